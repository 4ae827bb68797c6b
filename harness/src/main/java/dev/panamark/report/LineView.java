package dev.panamark.report;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one line of a program did, as {@code panamark emulate} shows it.
 *
 * @param place file and line; {@code ptx:12} of the PTX text
 * @param code what stands there; null where the file is not at hand
 * @param instructions that threads executed
 * @param wavefronts that its accesses to shared memory took
 * @param conflicts those of them that bank conflicts cost
 * @param requests of warps to global memory
 * @param sectors of 32 bytes that these touched
 * @param branches of warps
 * @param divergent those at which lanes went both ways
 */
public record LineView(
        String place,
        @Nullable String code,
        long instructions,
        long wavefronts,
        long conflicts,
        long requests,
        long sectors,
        long branches,
        long divergent) {

    /** Of all lines together. */
    public static LineView total(List<LineView> all) {
        return new LineView(
                "all",
                null,
                all.stream().mapToLong(LineView::instructions).sum(),
                all.stream().mapToLong(LineView::wavefronts).sum(),
                all.stream().mapToLong(LineView::conflicts).sum(),
                all.stream().mapToLong(LineView::requests).sum(),
                all.stream().mapToLong(LineView::sectors).sum(),
                all.stream().mapToLong(LineView::branches).sum(),
                all.stream().mapToLong(LineView::divergent).sum());
    }

    /** What lines can be ordered by, the most first. */
    public enum Order {
        /** Bank conflicts; those without by wavefronts, then sectors. */
        CONFLICTS,
        /** Sectors of global memory. */
        SECTORS,
        /** Instructions of threads. */
        INSTRUCTIONS,
        /** Branches at which lanes part. */
        DIVERGENCE
    }
}
