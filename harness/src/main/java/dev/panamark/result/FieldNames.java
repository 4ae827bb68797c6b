package dev.panamark.result;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The fields that an object of a known kind has: at most 64. */
final class FieldNames {
    private final List<String> required;
    private final Map<String, Long> bits = new HashMap<>();
    private final long all;

    /** Required ones and others; all different. */
    FieldNames(List<String> required, List<String> optional) {
        this.required = List.copyOf(required);
        List<String> names = new ArrayList<>(required);
        names.addAll(optional);
        if (names.size() > Long.SIZE) {
            throw new IllegalArgumentException("at most " + Long.SIZE + " fields, not " + names.size());
        }
        for (String name : names) {
            bits.put(name, 1L << bits.size());
        }
        this.all = required.isEmpty() ? 0 : -1L >>> (Long.SIZE - required.size());
    }

    /** The bit of a field; 0 for one that there is not. */
    long bit(String name) {
        Long bit = bits.get(name);
        return bit == null ? 0 : bit;
    }

    /** The first required field that is not among these bits; empty text where all are. */
    String missing(long seen) {
        if ((seen & all) == all) {
            return "";
        }
        return required.stream().filter(n -> (seen & bit(n)) == 0).findFirst().orElse("");
    }

    /** "a, b, c", by name. */
    @Override
    public String toString() {
        return bits.keySet().stream().sorted().collect(Collectors.joining(", "));
    }
}
