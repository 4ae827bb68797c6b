package dev.panamark.driver.cupti;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the process has in memory. */
final class ResidentMemory {
    private static final String LINE = "VmRSS:";

    private ResidentMemory() {}

    /** {@code VmRSS} of {@code /proc/self/status} (proc(5)), in bytes. */
    static long bytes() throws IOException {
        try (var lines = Files.lines(Path.of("/proc/self/status"))) {
            return lines.filter(line -> line.startsWith(LINE))
                    .map(line -> line.substring(LINE.length()).replace("kB", "").strip())
                    .mapToLong(Long::parseLong)
                    .map(kibibytes -> kibibytes << 10)
                    .findFirst()
                    .orElseThrow();
        }
    }
}
