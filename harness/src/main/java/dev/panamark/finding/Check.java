package dev.panamark.finding;

import java.util.Arrays;
import java.util.Optional;

/** A kind of fault that can be looked for. */
public enum Check {
    /** Accesses beyond an allocation, or not aligned. */
    MEM,
    /** Reads of memory that nothing has written; outputs that are not written; NaNs that no input had. */
    INIT,
    /** Accesses of two threads of a block to one place in shared memory, one of them a write, that nothing orders. */
    RACE,
    /** Barriers that only some threads come to, and threads that wait for ever. */
    SYNC;

    /** As the command line and results name it. */
    public String tag() {
        return switch (this) {
            case MEM -> "mem";
            case INIT -> "init";
            case RACE -> "race";
            case SYNC -> "sync";
        };
    }

    /** The one of that tag. */
    public static Optional<Check> ofTag(String tag) {
        return Arrays.stream(values()).filter(c -> c.tag().equals(tag)).findFirst();
    }
}
