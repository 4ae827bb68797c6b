package dev.panamark.driver.nvcc;

import java.util.List;
import java.util.Optional;

/**
 * A version of PTX, and what a machine must have to load it.
 *
 * <p>Versions and releases are those of the release history in NVIDIA's PTX ISA manual; drivers are those that
 * the CUDA release notes (to 11.6; of the release candidate for 11.0) or the names of installers (from 11.7 on) give for a
 * release on Linux, where that could be checked.
 *
 * @param ptx as {@code .version} says it: {@code 7.0}
 * @param cuda the first release of CUDA whose driver takes it: {@code 11.0}
 * @param driver the first Linux driver of that release; empty where only the release is known
 */
public record PtxRelease(String ptx, String cuda, Optional<String> driver) {
    /** From 7.0 on, ascending: the oldest that names Ampere and later, and lines of inlined functions. */
    static final List<PtxRelease> KNOWN = List.of(
            release("7.0", "11.0", "450.36.06"),
            release("7.1", "11.1", "455.23"),
            release("7.2", "11.2", "460.27.03"),
            release("7.3", "11.3", "465.19.01"),
            release("7.4", "11.4", "470.42.01"),
            release("7.5", "11.5", "495.29.05"),
            release("7.6", "11.6", "510.39.01"),
            release("7.7", "11.7", "515.43.04"),
            release("7.8", "11.8", "520.61.05"),
            release("8.0", "12.0", "525.60.13"),
            release("8.1", "12.1", "530.30.02"),
            release("8.2", "12.2", "535.54.03"),
            release("8.3", "12.3", "545.23.06"),
            release("8.4", "12.4", "550.54.14"),
            release("8.5", "12.5", "555.42.02"),
            new PtxRelease("8.6", "12.7", Optional.empty()),
            new PtxRelease("8.7", "12.8", Optional.empty()),
            release("8.8", "12.9", "575.51.03"),
            release("9.0", "13.0", "580.65.06"),
            new PtxRelease("9.1", "13.1", Optional.empty()));

    /** What is known of a version; empty for one that is not in the table. */
    public static Optional<PtxRelease> of(String ptx) {
        return KNOWN.stream().filter(r -> r.ptx.equals(ptx)).findFirst();
    }

    private static PtxRelease release(String ptx, String cuda, String driver) {
        return new PtxRelease(ptx, cuda, Optional.of(driver));
    }
}
