package dev.panamark.measure;

import java.util.Locale;

/** In what state a launch finds the caches. */
public enum Mode {
    /** As the launch before left them. */
    HOT,
    /** With nothing of the kernel's data in them. */
    COLD,
    /** As launches of the same kernel on other data left them, in a graph of several. */
    GRAPH;

    /** The name in rows. */
    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }
}
