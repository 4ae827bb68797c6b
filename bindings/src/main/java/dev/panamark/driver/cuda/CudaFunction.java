package dev.panamark.driver.cuda;

import java.util.List;

/**
 * Functions of the driver that are used here.
 *
 * <p>The symbols are the names that the driver exports, the newest ABI first, all with the same parameters. Names without
 * {@code _v2} are not among them where they stand for an ABI with 32-bit sizes and addresses.
 */
@SuppressWarnings("ImmutableEnumChecker") // its fields are a record of numbers and an unmodifiable list
public enum CudaFunction {
    INIT("cuInit", 2, 0, "cuInit"),
    DRIVER_GET_VERSION("cuDriverGetVersion", 2, 2, "cuDriverGetVersion"),
    GET_ERROR_NAME("cuGetErrorName", 6, 0, "cuGetErrorName"),
    GET_ERROR_STRING("cuGetErrorString", 6, 0, "cuGetErrorString"),
    DEVICE_GET_COUNT("cuDeviceGetCount", 2, 0, "cuDeviceGetCount"),
    DEVICE_GET("cuDeviceGet", 2, 0, "cuDeviceGet"),
    DEVICE_GET_NAME("cuDeviceGetName", 2, 0, "cuDeviceGetName"),
    DEVICE_GET_UUID("cuDeviceGetUuid", 9, 2, "cuDeviceGetUuid_v2", "cuDeviceGetUuid"),
    DEVICE_GET_ATTRIBUTE("cuDeviceGetAttribute", 2, 0, "cuDeviceGetAttribute"),
    DEVICE_TOTAL_MEM("cuDeviceTotalMem", 3, 2, "cuDeviceTotalMem_v2"),
    DEVICE_GET_PCI_BUS_ID("cuDeviceGetPCIBusId", 4, 1, "cuDeviceGetPCIBusId"),
    DEVICE_PRIMARY_CTX_RETAIN("cuDevicePrimaryCtxRetain", 7, 0, "cuDevicePrimaryCtxRetain"),
    DEVICE_PRIMARY_CTX_RELEASE("cuDevicePrimaryCtxRelease", 11, 0, "cuDevicePrimaryCtxRelease_v2"),
    DEVICE_PRIMARY_CTX_RESET("cuDevicePrimaryCtxReset", 11, 0, "cuDevicePrimaryCtxReset_v2"),
    CTX_SET_CURRENT("cuCtxSetCurrent", 4, 0, "cuCtxSetCurrent"),
    CTX_GET_CURRENT("cuCtxGetCurrent", 4, 0, "cuCtxGetCurrent"),
    CTX_SYNCHRONIZE("cuCtxSynchronize", 2, 0, "cuCtxSynchronize"),
    MODULE_LOAD_DATA_EX("cuModuleLoadDataEx", 2, 1, "cuModuleLoadDataEx"),
    MODULE_UNLOAD("cuModuleUnload", 2, 0, "cuModuleUnload"),
    MODULE_GET_FUNCTION("cuModuleGetFunction", 2, 0, "cuModuleGetFunction"),
    MODULE_GET_GLOBAL("cuModuleGetGlobal", 3, 2, "cuModuleGetGlobal_v2"),
    FUNC_GET_ATTRIBUTE("cuFuncGetAttribute", 2, 2, "cuFuncGetAttribute"),
    FUNC_SET_ATTRIBUTE("cuFuncSetAttribute", 9, 0, "cuFuncSetAttribute"),
    FUNC_LOAD("cuFuncLoad", 12, 4, "cuFuncLoad"),
    FUNC_GET_PARAM_INFO("cuFuncGetParamInfo", 12, 4, "cuFuncGetParamInfo"),
    OCCUPANCY_MAX_ACTIVE_BLOCKS(
            "cuOccupancyMaxActiveBlocksPerMultiprocessor", 6, 5, "cuOccupancyMaxActiveBlocksPerMultiprocessor"),
    OCCUPANCY_MAX_ACTIVE_CLUSTERS("cuOccupancyMaxActiveClusters", 11, 7, "cuOccupancyMaxActiveClusters"),
    OCCUPANCY_MAX_POTENTIAL_CLUSTER_SIZE(
            "cuOccupancyMaxPotentialClusterSize", 11, 7, "cuOccupancyMaxPotentialClusterSize"),
    MEM_GET_INFO("cuMemGetInfo", 3, 2, "cuMemGetInfo_v2"),
    MEM_ALLOC("cuMemAlloc", 3, 2, "cuMemAlloc_v2"),
    MEM_FREE("cuMemFree", 3, 2, "cuMemFree_v2"),
    MEM_HOST_ALLOC("cuMemHostAlloc", 2, 2, "cuMemHostAlloc"),
    MEM_FREE_HOST("cuMemFreeHost", 2, 0, "cuMemFreeHost"),
    MEM_HOST_GET_DEVICE_POINTER("cuMemHostGetDevicePointer", 3, 2, "cuMemHostGetDevicePointer_v2"),
    MEMCPY_HTOD("cuMemcpyHtoD", 3, 2, "cuMemcpyHtoD_v2"),
    MEMCPY_DTOH("cuMemcpyDtoH", 3, 2, "cuMemcpyDtoH_v2"),
    MEMCPY_DTOD("cuMemcpyDtoD", 3, 2, "cuMemcpyDtoD_v2"),
    MEMCPY_HTOD_ASYNC("cuMemcpyHtoDAsync", 3, 2, "cuMemcpyHtoDAsync_v2"),
    MEMCPY_DTOH_ASYNC("cuMemcpyDtoHAsync", 3, 2, "cuMemcpyDtoHAsync_v2"),
    MEMCPY_DTOD_ASYNC("cuMemcpyDtoDAsync", 3, 2, "cuMemcpyDtoDAsync_v2"),
    MEMSET_D8("cuMemsetD8", 3, 2, "cuMemsetD8_v2"),
    MEMSET_D32("cuMemsetD32", 3, 2, "cuMemsetD32_v2"),
    MEMSET_D8_ASYNC("cuMemsetD8Async", 3, 2, "cuMemsetD8Async"),
    MEMSET_D32_ASYNC("cuMemsetD32Async", 3, 2, "cuMemsetD32Async"),
    STREAM_CREATE("cuStreamCreate", 2, 0, "cuStreamCreate"),
    STREAM_DESTROY("cuStreamDestroy", 4, 0, "cuStreamDestroy_v2"),
    STREAM_QUERY("cuStreamQuery", 2, 0, "cuStreamQuery"),
    STREAM_SYNCHRONIZE("cuStreamSynchronize", 2, 0, "cuStreamSynchronize"),
    STREAM_WAIT_EVENT("cuStreamWaitEvent", 3, 2, "cuStreamWaitEvent"),
    STREAM_WAIT_VALUE_32("cuStreamWaitValue32", 11, 7, "cuStreamWaitValue32_v2"),
    STREAM_WRITE_VALUE_32("cuStreamWriteValue32", 11, 7, "cuStreamWriteValue32_v2"),
    STREAM_BEGIN_CAPTURE("cuStreamBeginCapture", 10, 1, "cuStreamBeginCapture_v2"),
    STREAM_END_CAPTURE("cuStreamEndCapture", 10, 0, "cuStreamEndCapture"),
    EVENT_CREATE("cuEventCreate", 2, 0, "cuEventCreate"),
    EVENT_RECORD("cuEventRecord", 2, 0, "cuEventRecord"),
    EVENT_QUERY("cuEventQuery", 2, 0, "cuEventQuery"),
    EVENT_SYNCHRONIZE("cuEventSynchronize", 2, 0, "cuEventSynchronize"),
    EVENT_ELAPSED_TIME("cuEventElapsedTime", 2, 0, "cuEventElapsedTime_v2", "cuEventElapsedTime"),
    EVENT_DESTROY("cuEventDestroy", 4, 0, "cuEventDestroy_v2"),
    GRAPH_INSTANTIATE("cuGraphInstantiateWithFlags", 11, 4, "cuGraphInstantiateWithFlags"),
    GRAPH_UPLOAD("cuGraphUpload", 11, 1, "cuGraphUpload"),
    GRAPH_LAUNCH("cuGraphLaunch", 10, 0, "cuGraphLaunch"),
    GRAPH_EXEC_DESTROY("cuGraphExecDestroy", 10, 0, "cuGraphExecDestroy"),
    GRAPH_DESTROY("cuGraphDestroy", 10, 0, "cuGraphDestroy"),
    LAUNCH_KERNEL("cuLaunchKernel", 4, 0, "cuLaunchKernel"),
    LAUNCH_KERNEL_EX("cuLaunchKernelEx", 11, 6, "cuLaunchKernelEx"),
    LAUNCH_COOPERATIVE_KERNEL("cuLaunchCooperativeKernel", 9, 0, "cuLaunchCooperativeKernel"),
    TENSOR_MAP_ENCODE_TILED("cuTensorMapEncodeTiled", 12, 0, "cuTensorMapEncodeTiled");

    private final String documented;
    private final CudaVersion since;
    private final List<String> symbols;

    CudaFunction(String documented, int major, int minor, String... symbols) {
        this.documented = documented;
        this.since = new CudaVersion(major, minor);
        this.symbols = List.of(symbols);
    }

    /** The name that the manual has it under. */
    public String documented() {
        return documented;
    }

    /** The first release of CUDA whose driver has it with these parameters. */
    public CudaVersion since() {
        return since;
    }

    /** Exported names to look for, in order. */
    public List<String> symbols() {
        return symbols;
    }
}
