package dev.panamark.measure;

import java.util.Locale;

/** The parts of one measurement, each with a deadline of its own. */
public enum Phase {
    /** The image is compiled or loaded, buffers are allocated and filled. */
    LOAD,
    /** The launches whose outputs are checked before anything is timed. */
    VALIDATE,
    /** The host computes what the outputs should be and compares; nothing runs on the device. */
    CHECK,
    /** Launches that are not kept. */
    WARM,
    /** Launches that are. */
    SAMPLE,
    /** A launch whose accesses and operations are counted. */
    COUNT,
    /** Launches whose energy is measured, and idle times beside them. */
    ENERGY,
    /** Launches whose outputs are checked again, on other inputs. */
    REVALIDATE;

    /** The name in messages. */
    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }
}
