package dev.panamark.driver.nvml;

import java.util.List;

/**
 * Functions of NVML that are used here.
 *
 * <p>The symbols are the names that the library exports, the newest first, all with the same parameters. Names without
 * their {@code _v2} or {@code _v3} are not among them: they stand for older structures.
 */
@SuppressWarnings("ImmutableEnumChecker") // its field is an unmodifiable list
public enum NvmlFunction {
    INIT("nvmlInit", "nvmlInit_v2"),
    SHUTDOWN("nvmlShutdown", "nvmlShutdown"),
    ERROR_STRING("nvmlErrorString", "nvmlErrorString"),
    SYSTEM_GET_DRIVER_VERSION("nvmlSystemGetDriverVersion", "nvmlSystemGetDriverVersion"),
    SYSTEM_GET_NVML_VERSION("nvmlSystemGetNVMLVersion", "nvmlSystemGetNVMLVersion"),
    DEVICE_GET_COUNT("nvmlDeviceGetCount", "nvmlDeviceGetCount_v2"),
    DEVICE_GET_HANDLE_BY_INDEX("nvmlDeviceGetHandleByIndex", "nvmlDeviceGetHandleByIndex_v2"),
    DEVICE_GET_HANDLE_BY_UUID("nvmlDeviceGetHandleByUUID", "nvmlDeviceGetHandleByUUID"),
    DEVICE_GET_HANDLE_BY_PCI_BUS_ID("nvmlDeviceGetHandleByPciBusId", "nvmlDeviceGetHandleByPciBusId_v2"),
    DEVICE_GET_NAME("nvmlDeviceGetName", "nvmlDeviceGetName"),
    DEVICE_GET_UUID("nvmlDeviceGetUUID", "nvmlDeviceGetUUID"),
    DEVICE_GET_PCI_INFO("nvmlDeviceGetPciInfo", "nvmlDeviceGetPciInfo_v3"),
    DEVICE_GET_TOTAL_ENERGY_CONSUMPTION("nvmlDeviceGetTotalEnergyConsumption", "nvmlDeviceGetTotalEnergyConsumption"),
    DEVICE_GET_POWER_USAGE("nvmlDeviceGetPowerUsage", "nvmlDeviceGetPowerUsage"),
    DEVICE_GET_FIELD_VALUES("nvmlDeviceGetFieldValues", "nvmlDeviceGetFieldValues"),
    DEVICE_GET_ENFORCED_POWER_LIMIT("nvmlDeviceGetEnforcedPowerLimit", "nvmlDeviceGetEnforcedPowerLimit"),
    DEVICE_GET_POWER_MANAGEMENT_LIMIT_CONSTRAINTS(
            "nvmlDeviceGetPowerManagementLimitConstraints", "nvmlDeviceGetPowerManagementLimitConstraints"),
    DEVICE_GET_CLOCK_INFO("nvmlDeviceGetClockInfo", "nvmlDeviceGetClockInfo"),
    DEVICE_GET_MAX_CLOCK_INFO("nvmlDeviceGetMaxClockInfo", "nvmlDeviceGetMaxClockInfo"),
    /** Renamed when throttle reasons became event reasons; both names have the same bits. */
    DEVICE_GET_CURRENT_CLOCKS_EVENT_REASONS(
            "nvmlDeviceGetCurrentClocksEventReasons",
            "nvmlDeviceGetCurrentClocksEventReasons",
            "nvmlDeviceGetCurrentClocksThrottleReasons"),
    DEVICE_GET_TEMPERATURE_V("nvmlDeviceGetTemperatureV", "nvmlDeviceGetTemperatureV"),
    /** What {@link #DEVICE_GET_TEMPERATURE_V} takes the place of in newer drivers. */
    DEVICE_GET_TEMPERATURE("nvmlDeviceGetTemperature", "nvmlDeviceGetTemperature"),
    DEVICE_GET_ECC_MODE("nvmlDeviceGetEccMode", "nvmlDeviceGetEccMode"),
    DEVICE_GET_MIG_MODE("nvmlDeviceGetMigMode", "nvmlDeviceGetMigMode"),
    DEVICE_GET_PERSISTENCE_MODE("nvmlDeviceGetPersistenceMode", "nvmlDeviceGetPersistenceMode"),
    DEVICE_GET_COMPUTE_RUNNING_PROCESSES(
            "nvmlDeviceGetComputeRunningProcesses", "nvmlDeviceGetComputeRunningProcesses_v3"),
    DEVICE_SET_GPU_LOCKED_CLOCKS("nvmlDeviceSetGpuLockedClocks", "nvmlDeviceSetGpuLockedClocks"),
    DEVICE_RESET_GPU_LOCKED_CLOCKS("nvmlDeviceResetGpuLockedClocks", "nvmlDeviceResetGpuLockedClocks");

    private final String documented;
    private final List<String> symbols;

    NvmlFunction(String documented, String... symbols) {
        this.documented = documented;
        this.symbols = List.of(symbols);
    }

    /** The name that the manual has it under. */
    public String documented() {
        return documented;
    }

    /** Exported names to look for, in order. */
    public List<String> symbols() {
        return symbols;
    }
}
