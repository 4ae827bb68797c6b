package dev.panamark.device.profile;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A mapping in the data and the way to it.
 *
 * @param path for messages: {@code profiles[2].clock}
 * @param map its keys and values
 */
record Entry(String path, Map<?, ?> map) {

    static Entry of(String path, @Nullable Object value) {
        if (value instanceof Map<?, ?> map) {
            return new Entry(path, map);
        }
        throw wrong(path, "a mapping", value);
    }

    static ProfileDataException wrong(String path, String expected, @Nullable Object found) {
        return new ProfileDataException("profiles: " + path + ": expected " + expected + ", found "
                + (found == null ? "nothing" : "'" + found + "'"));
    }

    String at(String key) {
        return path.isEmpty() ? key : path + "." + key;
    }

    /** Refuses keys that are not of these. */
    void only(Set<String> known) {
        for (Object key : map.keySet()) {
            if (!known.contains(String.valueOf(key))) {
                throw wrong(at(String.valueOf(key)), "one of " + new TreeSet<>(known), key);
            }
        }
    }

    Optional<Object> find(String key) {
        return Optional.ofNullable(map.get(key));
    }

    Entry entry(String key) {
        return of(at(key), map.get(key));
    }

    String text(String key) {
        if (map.get(key) instanceof String text && !text.isBlank()) {
            return text;
        }
        throw wrong(at(key), "a text", map.get(key));
    }

    List<String> texts(String key) {
        Object value = map.get(key);
        List<String> out = new ArrayList<>();
        if (value instanceof List<?> list) {
            for (Object item : list) {
                if (!(item instanceof String text) || text.isBlank()) {
                    throw wrong(at(key), "a list of texts", item);
                }
                out.add(text);
            }
        } else if (value != null) {
            throw wrong(at(key), "a list of texts", value);
        }
        return List.copyOf(out);
    }

    List<String> keys() {
        return map.keySet().stream().map(String::valueOf).toList();
    }
}
