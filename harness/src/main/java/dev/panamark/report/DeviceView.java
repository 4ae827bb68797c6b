package dev.panamark.report;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/**
 * A device as {@code panamark devices} shows it.
 *
 * @param id as on the command line; for a backend without devices its name
 * @param name as the vendor calls it; may be empty
 * @param status {@code available}, or why not and what to do
 * @param facts what else identifies it, by name
 */
public record DeviceView(String id, String name, String status, SequencedMap<String, String> facts) {
    /** Copies, keeping the order. */
    public DeviceView {
        facts = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(facts));
    }
}
