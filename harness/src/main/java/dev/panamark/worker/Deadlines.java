package dev.panamark.worker;

import dev.panamark.measure.Phase;
import java.time.Duration;

/**
 * How long a worker may stay silent in each phase before it is taken for hung.
 *
 * @param phase seconds for work whose length the kernel decides: one validation, one launch
 * @param opening seconds for opening the device, which no kernel has a part in
 */
public record Deadlines(double phase, double opening) {
    /** Compiling is not the kernel's doing, and a cold compiler is slow. */
    private static final double COMPILE = 90;

    /** References in double precision are the host's doing; the slowest take some ten seconds. */
    private static final double REFERENCE = 300;

    /** A worker says every few seconds that it launches; idle windows and their rest take two minutes at most. */
    private static final double ENERGY = 180;

    /** Devices that are there open in well under a second, on a machine that is not busy. */
    private static final double OPEN = 60;

    /** With the usual patience for opening a device. */
    public Deadlines(double phase) {
        this(phase, OPEN);
    }

    /** A JVM on a machine that is busy with other things. */
    private static final double START = 30;

    /** The deadline of one phase; {@code given}: seconds that all rows measured together may take. */
    Duration of(Phase phase, double given) {
        double seconds = switch (phase) {
            case LOAD -> this.phase + COMPILE;
            case VALIDATE, REVALIDATE -> this.phase;
            case CHECK -> REFERENCE;
            case ENERGY -> this.phase + ENERGY;
            case WARM, SAMPLE, COUNT -> this.phase + given;
        };
        return Duration.ofMillis((long) (seconds * 1000));
    }

    /** The deadline for a worker to start and connect; that is not the kernel's doing either. */
    Duration starting() {
        return Duration.ofMillis((long) ((phase + START) * 1000));
    }

    /** The deadline for opening a device. */
    Duration toOpen() {
        return Duration.ofMillis((long) (opening * 1000));
    }
}
