package dev.panamark.result;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/** Deep, ordered, unmodifiable copies that hold nothing but what JSON can: text, long, double, boolean, list, map. */
final class JsonValues {
    private JsonValues() {}

    /**
     * Copies a map that is no such copy yet. Narrower numbers become long or double; a real that is not finite becomes the text {@code NaN},
     * {@code Infinity} or {@code -Infinity}, as JSON has no number for it.
     *
     * @param where name of the field, for messages
     * @throws IllegalArgumentException when something in it has no place in JSON, or is null
     */
    static SequencedMap<String, Object> freeze(String where, Map<?, ?> map) {
        if (map instanceof FrozenMap<?> frozen && frozen.holdsJson()) {
            @SuppressWarnings("unchecked") // as it holds JSON values
            FrozenMap<Object> same = (FrozenMap<Object>) frozen;
            return same;
        }
        List<String> names = new ArrayList<>();
        List<Object> values = new ArrayList<>();
        map.forEach((key, value) -> {
            if (!(key instanceof String name)) {
                throw new IllegalArgumentException(where + ": keys must be text, not " + key);
            }
            names.add(name);
            values.add(freezeValue(where + "." + name, value));
        });
        return FrozenMap.ofJson(new FrozenMap.Names(names), values.toArray());
    }

    /** Copies a list of maps. */
    static List<SequencedMap<String, Object>> freezeAll(String where, List<? extends Map<?, ?>> maps) {
        List<SequencedMap<String, Object>> out = new ArrayList<>();
        for (Map<?, ?> map : maps) {
            out.add(freeze(where + "[" + out.size() + "]", map));
        }
        return List.copyOf(out);
    }

    private static Object freezeValue(String where, @Nullable Object value) {
        return switch (value) {
            case null ->
                throw new IllegalArgumentException(
                        where + " is null; leave it out, or say in words why it is not there");
            case String text -> text;
            case Boolean bool -> bool;
            case Long whole -> whole;
            case Integer whole -> whole.longValue();
            case Short whole -> whole.longValue();
            case Byte whole -> whole.longValue();
            case Double real -> Double.isFinite(real) ? real : (Object) real.toString();
            case Float real -> freezeValue(where, real.doubleValue());
            case Map<?, ?> map -> freeze(where, map);
            case List<?> list -> {
                List<Object> out = new ArrayList<>();
                for (Object item : list) {
                    out.add(freezeValue(where + "[" + out.size() + "]", item));
                }
                yield List.copyOf(out);
            }
            default ->
                throw new IllegalArgumentException(
                        where + " is a " + value.getClass().getName()
                                + "; JSON holds text, whole numbers, reals, booleans, lists and maps");
        };
    }
}
