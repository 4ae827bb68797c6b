package dev.panamark.kernel;

import java.util.Map;

/**
 * What kernel files see of a device.
 *
 * @param backend {@code cuda}, {@code hip}, {@code cpu} or {@code emu}
 * @param values as {@code device.NAME}; {@code memory} (bytes) also bounds a problem's buffers
 */
public record DeviceValues(String backend, Map<String, Number> values) {
    /** Copies. */
    public DeviceValues {
        values = Map.copyOf(values);
    }
}
