package dev.panamark.driver.nvcc;

import dev.panamark.driver.compile.CompileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** Which options a kernel file may give to nvcc. */
final class NvccOptions {
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

    private NvccOptions() {}

    /** Refuses what would change what is made, from what, where, or by which program. */
    static void check(List<String> options, Path source) {
        for (String option : options) {
            if (!option.startsWith("-")) {
                throw new CompileException("option '" + option + "' for " + source
                        + " would be another input of nvcc; expected options that begin with '-' and hold their value,"
                        + " such as -DN=4 or -Iinclude");
            }
            String name = option.replaceFirst("^--?", "").replaceFirst("=.*", "");
            if (REFUSED.contains(name)) {
                throw new CompileException("option " + option + " for " + source
                        + " changes what nvcc makes, from what, where or by which program; expected options of the"
                        + " language and of optimization, such as -DN=4, -Iinclude, -std=c++20, -use_fast_math");
            }
        }
    }
}
