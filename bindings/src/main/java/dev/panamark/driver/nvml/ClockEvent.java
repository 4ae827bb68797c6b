package dev.panamark.driver.nvml;

import dev.panamark.raw.nvml.nvml_h;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Why clocks are what they are: bits of {@code nvmlDeviceGetCurrentClocksEventReasons}. */
public enum ClockEvent {
    GPU_IDLE(nvml_h.nvmlClocksEventReasonGpuIdle(), false),
    APPLICATIONS_CLOCKS(nvml_h.nvmlClocksEventReasonApplicationsClocksSetting(), false),
    /** The power limit. */
    SW_POWER_CAP(nvml_h.nvmlClocksEventReasonSwPowerCap(), false),
    /** Clocks are halved or worse: temperature, power brake or power draw is too high. */
    HW_SLOWDOWN(nvml_h.nvmlClocksThrottleReasonHwSlowdown(), true),
    SYNC_BOOST(nvml_h.nvmlClocksEventReasonSyncBoost(), false),
    SW_THERMAL_SLOWDOWN(nvml_h.nvmlClocksEventReasonSwThermalSlowdown(), true),
    HW_THERMAL_SLOWDOWN(nvml_h.nvmlClocksThrottleReasonHwThermalSlowdown(), true),
    HW_POWER_BRAKE(nvml_h.nvmlClocksThrottleReasonHwPowerBrakeSlowdown(), true),
    DISPLAY_CLOCKS(nvml_h.nvmlClocksEventReasonDisplayClockSetting(), false);

    private final long mask;
    private final boolean invalidates;

    ClockEvent(long mask, boolean invalidates) {
        this.mask = mask;
        this.invalidates = invalidates;
    }

    /** Its bit. */
    public long mask() {
        return mask;
    }

    /** Whether what is measured while one of these bits is set says nothing of the device in its usual state. */
    public static boolean invalidates(long reasons) {
        return Arrays.stream(values()).anyMatch(event -> event.invalidates && (reasons & event.mask) != 0);
    }

    /** {@code sw_power_cap}. */
    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Tags of the bits that are set; bits that have no name here as {@code 0x200}. */
    public static List<String> tags(long reasons) {
        List<String> tags = new ArrayList<>();
        long rest = reasons;
        for (ClockEvent event : values()) {
            if ((reasons & event.mask) != 0) {
                tags.add(event.tag());
                rest &= ~event.mask;
            }
        }
        while (rest != 0) {
            long bit = Long.lowestOneBit(rest);
            tags.add("0x" + Long.toHexString(bit));
            rest &= ~bit;
        }
        return tags;
    }
}
