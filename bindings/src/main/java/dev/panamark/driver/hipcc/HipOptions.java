package dev.panamark.driver.hipcc;

import dev.panamark.driver.compile.CompileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** Which options and processors a kernel file may give to a compiler of HIP, whichever it is. */
public final class HipOptions {
    /** As clang and the runtime write them, {@code gfx90a:sramecc+:xnack-}. */
    private static final String TARGET = "gfx[0-9a-f]{3,4}(:(sramecc|xnack)[+-]){0,2}";

    /** Whole options that change what is made, or where other files go. */
    private static final Set<String> REFUSED = Set.of(
            "-c",
            "-E",
            "-S",
            "-M",
            "-MM",
            "-MD",
            "-MMD",
            "-fsyntax-only",
            "-emit-llvm",
            "-dumpversion",
            "-dumpmachine",
            "-v",
            "-###",
            "--help",
            "--version",
            "--genco",
            "--cuda-host-only",
            "--offload-host-only",
            "--offload-host-device",
            "-fgpu-rdc",
            "--gpu-bundle-output",
            "-Xclang",
            "-Xlinker",
            "-include");

    /** Beginnings of options that say from what, for what, where to or by which programs. */
    private static final List<String> REFUSED_BEGINNINGS = List.of(
            "-o",
            "-x",
            "--offload-arch",
            "--offload=",
            "--cuda-gpu-arch",
            "-mcpu",
            "-march",
            "--target",
            "-save-temps",
            "--save-temps",
            "-MF",
            "-MT",
            "-B",
            "-fuse-ld",
            "--ld-path",
            "-fplugin",
            "--config",
            "-ftime-trace",
            "-foffload-lto");

    private HipOptions() {}

    /**
     * Refuses what is no target.
     *
     * @throws CompileException that names the source
     */
    public static void checkTarget(String target, Path source) {
        if (!target.matches(TARGET)) {
            throw new CompileException(
                    "'" + target + "' for " + source + " is no target; expected one such as gfx942 or gfx90a:xnack-");
        }
    }

    /**
     * Refuses what would change what is made, from what, where, or by which program.
     *
     * @throws CompileException that names option and source
     */
    public static void check(List<String> options, Path source) {
        for (String option : options) {
            if (!option.startsWith("-") || option.equals("-")) {
                throw new CompileException("option '" + option + "' for " + source
                        + " would be another input of the compiler; expected options that begin with '-' and hold their "
                        + "value, such as -DN=4 or -Iinclude");
            }
            if (REFUSED.contains(option) || REFUSED_BEGINNINGS.stream().anyMatch(option::startsWith)) {
                throw new CompileException("option " + option + " for " + source
                        + " changes what the compiler makes, from what, where or by which program; expected options of the "
                        + "language and of optimization, such as -DN=4, -Iinclude, -std=c++20, -ffast-math");
            }
        }
    }
}
