package dev.panamark.device;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/**
 * Which device it is.
 *
 * @param id as on the command line: {@code cpu:0}
 * @param backend the part before the colon, which also chooses images in kernel files
 * @param name as the vendor calls it
 * @param uuid the same for the same piece of hardware in every run
 * @param values what kernel files see as {@code device.*}; whole numbers and reals
 * @param facts everything else that identifies it, as JSON values (text, numbers, booleans, lists, maps)
 */
public record DeviceInfo(
        String id,
        String backend,
        String name,
        String uuid,
        SequencedMap<String, Number> values,
        SequencedMap<String, Object> facts) {
    /** Copies, keeping the order. */
    public DeviceInfo {
        values = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(values));
        facts = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(facts));
    }
}
