package dev.panamark.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/**
 * How much else the machine is doing.
 *
 * @param load average over the last minute (Linux)
 * @param threads hardware threads it is shared by
 */
record HostLoad(double load, int threads) {
    /** A share of the hardware threads above which other work shows in times. */
    private static final double BUSY = 0.3;

    static Optional<HostLoad> read() {
        try {
            String text = Files.readString(Path.of("/proc/loadavg"));
            return Optional.of(new HostLoad(
                    Double.parseDouble(text.substring(0, text.indexOf(' '))),
                    Runtime.getRuntime().availableProcessors()));
        } catch (IOException | NumberFormatException | StringIndexOutOfBoundsException e) {
            return Optional.empty();
        }
    }

    boolean busy() {
        return load > BUSY * threads;
    }

    String text() {
        return String.format(Locale.ROOT, "%.1f on %d hardware threads", load, threads);
    }
}
