package dev.panamark.driver.nvcc;

import dev.panamark.driver.compile.CompileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

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

    /** nvcc starts its programs by a shell, which would execute or replace what these begin or separate. */
    private static final Pattern OF_A_SHELL = Pattern.compile("[`$;&|<>\\n\\r]");

    private NvccOptions() {}

    /** Refuses a name that a shell would not take as it is. */
    static void checkName(String name, Path source) {
        if (OF_A_SHELL.matcher(name).find() || name.matches(".*[\"'\\\\*?(){}\\[\\]!#~].*")) {
            throw new CompileException(
                    source + " has a name that a shell would change, and nvcc gives it to one; expected"
                            + " letters, digits and marks such as . _ - +");
        }
    }

    /** Refuses what would change what is made, from what, where, or by which program. */
    static void check(List<String> options, Path source) {
        for (String option : options) {
            if (!option.startsWith("-")) {
                throw new CompileException("option '" + option + "' for " + source
                        + " would be another input of nvcc; expected options that begin with '-' and hold their value,"
                        + " such as -DN=4 or -Iinclude");
            }
            if (OF_A_SHELL.matcher(option).find()) {
                throw new CompileException(
                        "option '" + option + "' for " + source
                                + " has one of ` $ ; & | < > or a line break, which a shell would act on, and nvcc gives it to one");
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
