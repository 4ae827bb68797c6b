package dev.panamark.result;

import java.util.Locale;

/** Where a number comes from. */
public enum Source {
    /** A clock, counter or meter read it. */
    MEASURED,
    /** Counted exactly while the emulator ran the kernel. */
    EMULATED,
    /** Derived by a stated formula. */
    COMPUTED,
    /** A vendor's published figure. */
    DATASHEET;

    private final String tag = name().toLowerCase(Locale.ROOT);

    /** The name in result files. */
    public String tag() {
        return tag;
    }
}
