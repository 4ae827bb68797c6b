package dev.panamark.ptx.check;

import java.util.Arrays;
import java.util.Optional;

/** A kind of fault that is looked for. */
public enum Check {
    /** Accesses beyond an allocation, or not aligned. The launch ends with the first. */
    MEMORY("mem"),
    /** Reads of global or shared memory that nobody wrote. */
    INITIALISED("init"),
    /** Two threads of a block access a place in shared memory, one of them writes, and nothing orders them. */
    RACE("race"),
    /** Barriers that only some threads come to, and threads that wait for ever. */
    SYNC("sync");

    private final String tag;

    Check(String tag) {
        this.tag = tag;
    }

    /** As the command line names it. */
    public String tag() {
        return tag;
    }

    /** The one of that tag. */
    public static Optional<Check> ofTag(String tag) {
        return Arrays.stream(values()).filter(c -> c.tag.equals(tag)).findFirst();
    }
}
