package dev.panamark.result;

import com.fasterxml.jackson.core.JsonParser;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Makes one object of equal values of a file: rows repeat names, problems, reasons and sizes thousands of times. It
 * remembers what was read lately, so it never grows with the file. Used by one thread.
 */
final class Sharing {
    private static final int SLOTS = 1 << 14;
    /** Objects with more keys than this are no rows of a table, and their lists of keys are not shared. */
    static final int MOST_SHARED = 100;

    /** More different lists of keys than this are not remembered. */
    private static final int MOST_KEYS = 10_000;

    private final @Nullable String[] texts;
    private final @Nullable Object[] values;
    private final @Nullable FrozenMap<?>[] maps;
    private final Keys none = new Keys(List.of());
    private int keys;

    Sharing() {
        texts = new @Nullable String[SLOTS];
        values = new @Nullable Object[SLOTS];
        maps = new @Nullable FrozenMap<?>[SLOTS];
    }

    /** The keys of a map as they are read; one that adds the same key to the same ones leads to the same object. */
    final class Keys {
        private final List<String> list;
        private final Map<String, Keys> longer = new HashMap<>(2);
        /** Nearly always the next one, too. */
        private @Nullable Keys latest;

        private FrozenMap.@Nullable Names names;

        private final String last;

        private Keys(List<String> list) {
            this.list = list;
            this.last = list.isEmpty() ? "" : list.getLast();
        }

        /** These keys and another one; null where that is among them. */
        @Nullable
        Keys plus(String name) {
            Keys same = latest;
            if (same != null && same.last.equals(name)) {
                return same;
            }
            Keys known = longer.get(name);
            if (known == null) {
                if (list.contains(name)) {
                    return null;
                }
                List<String> all = new ArrayList<>(list);
                all.add(name);
                known = new Keys(List.copyOf(all));
                if (keys >= MOST_KEYS) {
                    return known;
                }
                keys++;
                longer.put(name, known);
            }
            latest = known;
            return known;
        }

        List<String> list() {
            return list;
        }

        FrozenMap.Names names() {
            if (names == null) {
                names = new FrozenMap.Names(list);
            }
            return names;
        }
    }

    /** No keys at all. */
    Keys none() {
        return none;
    }

    /** The text that the parser stands on. */
    String text(JsonParser p) throws IOException {
        char[] chars = p.getTextCharacters();
        int from = p.getTextOffset();
        int length = p.getTextLength();
        int hash = 0; // that of String
        for (int i = 0; i < length; i++) {
            hash = 31 * hash + chars[from + i];
        }
        int slot = slot(hash);
        String known = texts[slot];
        if (known != null && known.hashCode() == hash && isSame(known, chars, from, length)) {
            return known;
        }
        String text = new String(chars, from, length);
        texts[slot] = text;
        return text;
    }

    private static boolean isSame(String text, char[] chars, int from, int length) {
        if (text.length() != length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (text.charAt(i) != chars[from + i]) {
                return false;
            }
        }
        return true;
    }

    Long whole(long number) {
        return values[slot(Long.hashCode(number))] instanceof Long known && known == number
                ? known
                : remembered(Long.hashCode(number), (Long) number);
    }

    Double real(double number) {
        int hash = Double.hashCode(number);
        // Told apart by bits: 0 and -0 are equal numbers.
        return values[slot(hash)] instanceof Double known
                        && Double.doubleToRawLongBits(known) == Double.doubleToRawLongBits(number)
                ? known
                : remembered(hash, (Double) number);
    }

    private <T> T remembered(int hash, T value) {
        values[slot(hash)] = value;
        return value;
    }

    /** A list of values that were shared themselves. */
    List<?> list(List<?> list) {
        int hash = list.hashCode();
        return values[slot(hash)] instanceof List<?> known && isSame(known, list) ? known : remembered(hash, list);
    }

    private static boolean isSame(List<?> a, List<?> b) {
        if (a.size() != b.size()) {
            return false;
        }
        for (int i = 0; i < a.size(); i++) {
            if (!FrozenMap.isSame(a.get(i), b.get(i))) {
                return false;
            }
        }
        return true;
    }

    /** A metric: missing ones and sizes are alike in many rows, measured ones in none. */
    Metric metric(Metric metric) {
        if (metric.n() != null || metric.ci95() != null) {
            return metric;
        }
        int hash = 31 * Objects.hashCode(metric.value()) + metric.unit().hashCode() + Objects.hashCode(metric.reason());
        return values[slot(hash)] instanceof Metric known && isSame(known, metric) ? known : remembered(hash, metric);
    }

    /** Of metrics that stand on no samples; texts are nearly always the same objects. */
    private static boolean isSame(Metric a, Metric b) {
        return Objects.equals(a.value(), b.value())
                && a.source() == b.source()
                && a.unit().equals(b.unit())
                && Objects.equals(a.reason(), b.reason())
                && Objects.equals(a.note(), b.note())
                && FrozenMap.isSame(a.detail(), b.detail());
    }

    /** A map of values that were shared themselves. */
    <V> FrozenMap<V> map(FrozenMap<V> map) {
        int slot = slot(map.valuesHash());
        FrozenMap<?> known = maps[slot];
        if (known != null && known.isTwinOf(map)) {
            @SuppressWarnings("unchecked") // it has the same values
            FrozenMap<V> twin = (FrozenMap<V>) known;
            return twin;
        }
        maps[slot] = map;
        return map;
    }

    private static int slot(int hash) {
        int mixed = hash * 0x9E3779B9; // the golden ratio's: neighbours lie far apart
        return mixed >>> (Integer.SIZE - Integer.numberOfTrailingZeros(SLOTS));
    }
}
