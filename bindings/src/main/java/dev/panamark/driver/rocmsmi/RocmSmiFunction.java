package dev.panamark.driver.rocmsmi;

/** Functions of ROCm SMI that are used here. All are scalar: structures under unchanged names differ between versions. */
public enum RocmSmiFunction {
    INIT("rsmi_init"),
    SHUT_DOWN("rsmi_shut_down"),
    STATUS_STRING("rsmi_status_string"),
    VERSION_GET("rsmi_version_get"),
    NUM_MONITOR_DEVICES("rsmi_num_monitor_devices"),
    DEV_NAME_GET("rsmi_dev_name_get"),
    DEV_PCI_ID_GET("rsmi_dev_pci_id_get"),
    DEV_UNIQUE_ID_GET("rsmi_dev_unique_id_get"),
    /** Since ROCm 6.0. */
    DEV_POWER_GET("rsmi_dev_power_get"),
    /** What {@link #DEV_POWER_GET} takes the place of. */
    DEV_POWER_AVE_GET("rsmi_dev_power_ave_get"),
    DEV_POWER_CAP_GET("rsmi_dev_power_cap_get"),
    DEV_ENERGY_COUNT_GET("rsmi_dev_energy_count_get"),
    DEV_TEMP_METRIC_GET("rsmi_dev_temp_metric_get");

    private final String symbol;

    RocmSmiFunction(String symbol) {
        this.symbol = symbol;
    }

    /** The name that the header and the library have it under. */
    public String symbol() {
        return symbol;
    }
}
