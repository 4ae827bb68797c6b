package dev.panamark.driver.nvcc;

import dev.panamark.driver.compile.CompileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** Which options and architectures a kernel file may give to a compiler of CUDA C++. */
public final class CudaOptions {
    private static final String ARCHITECTURE = "sm_[0-9]{2,3}[af]?";

    /** Without dashes; each under its long and its short name, as {@code nvcc --help} has them. */
    private static final Set<String> REFUSED = Set.of(
            // what is made
            "cuda",
            "cubin",
            "fatbin",
            "ptx",
            "optix-ir",
            "ltoir",
            "dlto",
            "dlink-time-opt",
            "lto",
            "gen-opt-lto",
            "preprocess",
            "E",
            "generate-dependencies",
            "M",
            "generate-nonsystem-dependencies",
            "MM",
            "generate-dependencies-with-compile",
            "MD",
            "generate-nonsystem-dependencies-with-compile",
            "MMD",
            "compile",
            "c",
            "device-c",
            "dc",
            "device-w",
            "dw",
            "device-link",
            "dlink",
            "link",
            "lib",
            "run",
            "run-args",
            "fdevice-syntax-only",
            "dryrun",
            "clean-targets",
            "clean",
            "help",
            "h",
            "version",
            "V",
            "list-gpu-code",
            "code-ls",
            "list-gpu-arch",
            "arch-ls",
            // from what, and for what
            "x",
            "gpu-architecture",
            "arch",
            "gpu-code",
            "code",
            "generate-code",
            "gencode",
            // where it and other files go
            "output-file",
            "o",
            "output-directory",
            "odir",
            "dependency-output",
            "MF",
            "dependency-target-name",
            "MT",
            "keep",
            "keep-dir",
            "save-temps",
            "objdir-as-tempdir",
            "objtemp",
            "time",
            "fdevice-time-trace",
            // by which programs, with which options that nobody sees
            "compiler-bindir",
            "ccbin",
            "archiver-binary",
            "arbin",
            "compiler-options",
            "Xcompiler",
            "forward-unknown-to-host-compiler",
            "forward-unknown-opts",
            "options-file",
            "optf",
            "libdevice-directory",
            "ldir",
            "target-directory",
            "target-dir");

    private CudaOptions() {}

    /** Refuses what is no architecture. */
    public static void checkArchitecture(String arch, Path source) {
        if (!arch.matches(ARCHITECTURE)) {
            throw new CompileException(
                    "'" + arch + "' for " + source + " is no architecture; expected one such as sm_80");
        }
    }

    /**
     * Refuses what would change what is made, from what, where, or by which program.
     *
     * @param compiler for messages
     */
    public static void check(List<String> options, Path source, String compiler) {
        for (String option : options) {
            if (!option.startsWith("-")) {
                throw new CompileException("option '" + option + "' for " + source
                        + " would be another input of " + compiler
                        + "; expected options that begin with '-' and hold their value, such as -DN=4 or -Iinclude");
            }
            if (REFUSED.contains(name(option))) {
                throw new CompileException("option " + option + " for " + source + " changes what " + compiler
                        + " makes, from what, where or by which program; expected options of the"
                        + " language and of optimization, such as -DN=4, -Iinclude, -std=c++20, -use_fast_math");
            }
        }
    }

    /** Without dashes and value: {@code std} of {@code --std=c++20}. */
    public static String name(String option) {
        return option.replaceFirst("^--?", "").replaceFirst("=.*", "");
    }
}
