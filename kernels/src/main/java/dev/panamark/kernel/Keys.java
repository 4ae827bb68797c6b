package dev.panamark.kernel;

import java.util.Optional;
import java.util.SequencedMap;

/**
 * A mapping whose keys are known to be allowed.
 *
 * @param owner where the mapping stands
 * @param fields by key
 */
record Keys(Field owner, SequencedMap<String, Field> fields) {

    /** The value under a key that must be there. */
    Field required(String key, String expected) {
        return optional(key).orElseThrow(() -> owner.missing(key, expected));
    }

    /** The value under a key that may be there. */
    Optional<Field> optional(String key) {
        return Optional.ofNullable(fields.get(key));
    }

    /** Whether the key is there. */
    boolean has(String key) {
        return fields.containsKey(key);
    }
}
