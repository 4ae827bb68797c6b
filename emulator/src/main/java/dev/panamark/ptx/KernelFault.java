package dev.panamark.ptx;

import org.jspecify.annotations.Nullable;

/** A launch ended before its end: what a kernel did wrong, or a limit that it ran into. Its memory is half written. */
public final class KernelFault extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What ended the launch. */
    public enum Kind {
        OUT_OF_BOUNDS,
        MISALIGNED,
        TRAP,
        DEADLOCK,
        /** Something that PTX does not define, such as a shuffle by a lane that its mask does not name. */
        UNDEFINED,
        BUDGET,
        DEADLINE
    }

    private final Kind kind;
    private final transient @Nullable Place place;

    /**
     * Where it happened.
     *
     * @param line of the PTX text
     * @param source line of the program, {@code file:line}; null where the text does not say
     * @param block x, y and z
     * @param thread x, y and z in the block
     * @param address null where no access is at fault
     */
    public record Place(
            String kernel,
            int line,
            @Nullable String source,
            Extent block,
            Extent thread,
            @Nullable Long address) {}

    public KernelFault(Kind kind, String message, @Nullable Place place) {
        super(message);
        this.kind = kind;
        this.place = place;
    }

    public Kind kind() {
        return kind;
    }

    /** Null where no single thread is at fault. */
    public @Nullable Place place() {
        return place;
    }
}
