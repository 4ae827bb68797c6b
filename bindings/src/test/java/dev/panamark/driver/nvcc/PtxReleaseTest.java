package dev.panamark.driver.nvcc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PtxReleaseTest {
    /** Figures of NVIDIA's release notes: the ends of the table and a release that came with a new major version. */
    @Test
    void publishedFigures() {
        assertEquals(
                new PtxRelease("7.0", "11.0", Optional.of("450.36.06")),
                PtxRelease.of("7.0").orElseThrow());
        assertEquals(
                new PtxRelease("8.0", "12.0", Optional.of("525.60.13")),
                PtxRelease.of("8.0").orElseThrow());
        assertEquals(
                new PtxRelease("9.0", "13.0", Optional.of("580.65.06")),
                PtxRelease.of("9.0").orElseThrow());
        assertTrue(PtxRelease.of("6.5").isEmpty());
    }

    /** A later version never asks for an older release or driver. */
    @Test
    void theTableAscends() {
        ascends(PtxRelease.KNOWN.stream().map(PtxRelease::ptx).toList());
        ascends(PtxRelease.KNOWN.stream().map(PtxRelease::cuda).toList());
        ascends(PtxRelease.KNOWN.stream().flatMap(r -> r.driver().stream()).toList());
    }

    private static void ascends(List<String> versions) {
        List<Double> numbers = versions.stream()
                .map(v -> v.split("\\.", -1))
                .map(parts -> Double.parseDouble(parts[0]) * 1000 + Double.parseDouble(parts[1]))
                .toList();
        assertEquals(
                numbers.stream().sorted(Comparator.naturalOrder()).distinct().toList(), numbers);
    }
}
