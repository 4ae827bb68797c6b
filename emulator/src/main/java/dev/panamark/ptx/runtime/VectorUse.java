package dev.panamark.ptx.runtime;

/** When vectors are used by what has a way without them that comes to the same. */
public enum VectorUse {
    NEVER,
    /** Once it was found that they are faster. */
    WHERE_FASTER,
    /** From the beginning, where this JVM has them. */
    ALWAYS
}
