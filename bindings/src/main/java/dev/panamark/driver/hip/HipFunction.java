package dev.panamark.driver.hip;

/**
 * Functions of the library that are used here. The release is that of the version node under which libamdhip64 exports a
 * function (hipamd/src/hip_hcc.map.in of ROCm/clr); the oldest is 4.2, so whatever was there before has that one.
 */
@SuppressWarnings("ImmutableEnumChecker") // its release is a record of numbers
public enum HipFunction {
    INIT("hipInit", 4, 2),
    RUNTIME_GET_VERSION("hipRuntimeGetVersion", 4, 2),
    GET_ERROR_NAME("hipGetErrorName", 4, 2),
    GET_ERROR_STRING("hipGetErrorString", 4, 2),
    GET_DEVICE_COUNT("hipGetDeviceCount", 4, 2),
    DEVICE_GET("hipDeviceGet", 4, 2),
    DEVICE_GET_NAME("hipDeviceGetName", 4, 2),
    DEVICE_GET_UUID("hipDeviceGetUuid", 5, 1),
    DEVICE_GET_ATTRIBUTE("hipDeviceGetAttribute", 4, 2),
    DEVICE_TOTAL_MEM("hipDeviceTotalMem", 4, 2),
    DEVICE_GET_PCI_BUS_ID("hipDeviceGetPCIBusId", 4, 2),
    GET_DEVICE_PROPERTIES_R0600("hipGetDevicePropertiesR0600", 6, 0),
    /** Of 6.x too it fills the layout of 5.x, for programs that were compiled with that. */
    GET_DEVICE_PROPERTIES("hipGetDeviceProperties", 4, 2),
    SET_DEVICE("hipSetDevice", 4, 2),
    GET_DEVICE("hipGetDevice", 4, 2),
    DEVICE_RESET("hipDeviceReset", 4, 2),
    DEVICE_SYNCHRONIZE("hipDeviceSynchronize", 4, 2),
    MODULE_LOAD_DATA("hipModuleLoadData", 4, 2),
    MODULE_UNLOAD("hipModuleUnload", 4, 2),
    MODULE_GET_FUNCTION("hipModuleGetFunction", 4, 2),
    MODULE_GET_GLOBAL("hipModuleGetGlobal", 4, 2),
    FUNC_GET_ATTRIBUTE("hipFuncGetAttribute", 4, 2),
    OCCUPANCY_MAX_ACTIVE_BLOCKS("hipModuleOccupancyMaxActiveBlocksPerMultiprocessor", 4, 2),
    LAUNCH_KERNEL("hipModuleLaunchKernel", 4, 2),
    LAUNCH_COOPERATIVE_KERNEL("hipModuleLaunchCooperativeKernel", 5, 5),
    MEM_GET_INFO("hipMemGetInfo", 4, 2),
    MALLOC("hipMalloc", 4, 2),
    FREE("hipFree", 4, 2),
    HOST_MALLOC("hipHostMalloc", 4, 2),
    HOST_FREE("hipHostFree", 4, 2),
    HOST_GET_DEVICE_POINTER("hipHostGetDevicePointer", 4, 2),
    MEMCPY_HTOD("hipMemcpyHtoD", 4, 2),
    MEMCPY_DTOH("hipMemcpyDtoH", 4, 2),
    MEMCPY_DTOD("hipMemcpyDtoD", 4, 2),
    MEMCPY_HTOD_ASYNC("hipMemcpyHtoDAsync", 4, 2),
    MEMCPY_DTOH_ASYNC("hipMemcpyDtoHAsync", 4, 2),
    MEMCPY_DTOD_ASYNC("hipMemcpyDtoDAsync", 4, 2),
    MEMSET_D8("hipMemsetD8", 4, 2),
    MEMSET_D32("hipMemsetD32", 4, 2),
    MEMSET_D8_ASYNC("hipMemsetD8Async", 4, 2),
    MEMSET_D32_ASYNC("hipMemsetD32Async", 4, 2),
    STREAM_CREATE("hipStreamCreateWithFlags", 4, 2),
    STREAM_DESTROY("hipStreamDestroy", 4, 2),
    STREAM_QUERY("hipStreamQuery", 4, 2),
    STREAM_SYNCHRONIZE("hipStreamSynchronize", 4, 2),
    STREAM_WAIT_EVENT("hipStreamWaitEvent", 4, 2),
    STREAM_WAIT_VALUE_32("hipStreamWaitValue32", 4, 4),
    STREAM_WRITE_VALUE_32("hipStreamWriteValue32", 4, 4),
    STREAM_BEGIN_CAPTURE("hipStreamBeginCapture", 4, 3),
    STREAM_END_CAPTURE("hipStreamEndCapture", 4, 3),
    EVENT_CREATE("hipEventCreateWithFlags", 4, 2),
    EVENT_RECORD("hipEventRecord", 4, 2),
    EVENT_QUERY("hipEventQuery", 4, 2),
    EVENT_SYNCHRONIZE("hipEventSynchronize", 4, 2),
    EVENT_ELAPSED_TIME("hipEventElapsedTime", 4, 2),
    EVENT_DESTROY("hipEventDestroy", 4, 2),
    GRAPH_INSTANTIATE("hipGraphInstantiateWithFlags", 4, 5),
    GRAPH_UPLOAD("hipGraphUpload", 5, 3),
    GRAPH_LAUNCH("hipGraphLaunch", 4, 3),
    GRAPH_EXEC_DESTROY("hipGraphExecDestroy", 4, 3),
    GRAPH_DESTROY("hipGraphDestroy", 4, 3);

    private final String symbol;
    private final HipVersion since;

    HipFunction(String symbol, int major, int minor) {
        this.symbol = symbol;
        this.since = new HipVersion(major, minor);
    }

    /** The name that the library exports it under and the manual has it under. */
    public String symbol() {
        return symbol;
    }

    /** The first release that has it. */
    public HipVersion since() {
        return since;
    }
}
