package dev.panamark.driver.codeobject;

import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * A map of the metadata note.
 *
 * @param where it stands, for messages
 */
record Fields(String where, Map<?, ?> map) {
    static Fields of(String where, @Nullable Object value) {
        if (value instanceof Map<?, ?> map) {
            return new Fields(where, map);
        }
        throw new CodeObjectException("the metadata note has no map as " + where);
    }

    String text(String key) {
        if (map.get(key) instanceof String text) {
            return text;
        }
        throw missing(key, "a text");
    }

    int number(String key) {
        return optional(key).orElseThrow(() -> missing(key, "a number from 0 to 2^31 - 1"));
    }

    /** Empty where the key is not there. */
    OptionalInt optional(String key) {
        Object value = map.get(key);
        if (value == null) {
            return OptionalInt.empty();
        }
        if (value instanceof Long number && number >= 0 && number <= Integer.MAX_VALUE) {
            return OptionalInt.of(number.intValue());
        }
        throw missing(key, "a number from 0 to 2^31 - 1");
    }

    /** Empty where the key is not there, as arguments of a kernel without any. */
    List<?> list(String key) {
        Object value = map.get(key);
        if (value == null) {
            return List.of();
        }
        if (value instanceof List<?> list) {
            return list;
        }
        throw missing(key, "a list");
    }

    private CodeObjectException missing(String key, String expected) {
        return new CodeObjectException(
                "the metadata note has " + map.get(key) + " as " + key + " of " + where + "; expected " + expected);
    }
}
