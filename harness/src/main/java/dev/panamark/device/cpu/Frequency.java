package dev.panamark.device.cpu;

import dev.panamark.device.TextFiles;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * The clock that processors run at, as the kernel's cpufreq sees it ({@code scaling_cur_freq}, kHz). Virtual machines
 * have none.
 */
final class Frequency {
    private final Path cpus;

    Frequency(HostRoots roots) {
        this.cpus = roots.sys().resolve("devices/system/cpu");
    }

    /** The slowest of these processors, Hz, because it is what a launch waits for; empty where one is not readable. */
    OptionalDouble slowest(List<Integer> processors) {
        double slowest = Double.POSITIVE_INFINITY;
        for (int processor : processors) {
            OptionalLong khz = TextFiles.number(file(processor));
            if (khz.isEmpty() || khz.getAsLong() <= 0) {
                return OptionalDouble.empty();
            }
            slowest = Math.min(slowest, khz.getAsLong() * 1e3);
        }
        return Double.isInfinite(slowest) ? OptionalDouble.empty() : OptionalDouble.of(slowest);
    }

    /** Where the clock of a processor stands. */
    Path file(int processor) {
        return cpus.resolve("cpu" + processor).resolve("cpufreq").resolve("scaling_cur_freq");
    }
}
