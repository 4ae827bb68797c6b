package dev.panamark.driver.nvrtc;

import dev.panamark.driver.compile.CompileException;
import dev.panamark.driver.nvcc.CudaOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Options of a kernel file as NVRTC is given them: it starts from the folder of the process, where nvcc starts from that of
 * the source.
 *
 * @param all folders and files absolute
 * @param folders those of {@code -I}
 * @param includesFirst whether a file is read before the source, which may include others
 */
record NvrtcOptions(List<String> all, List<Path> folders, boolean includesFirst) {
    /** What makes or reads files of NVRTC's own. */
    private static final Set<String> REFUSED = Set.of(
            "pch", "create-pch", "use-pch", "pch-dir", "pch-verbose", "pch-messages", "instantiate-templates-in-pch");

    /** What NVRTC does not refuse by itself, and takes for something else. */
    private static final Set<String> OF_NVCC = Set.of("Xcudafe", "Xnvlink", "Xarchive", "Xcompiler");

    private static final Set<String> FOLDERS = Set.of("I", "include-path");
    private static final Set<String> FIRST = Set.of("include", "pre-include");

    static NvrtcOptions of(List<String> options, Path source, Path folder) {
        CudaOptions.check(options, source, "NVRTC");
        List<String> all = new ArrayList<>();
        List<Path> folders = new ArrayList<>();
        boolean includesFirst = false;
        for (String option : options) {
            check(option, source);
            String name = option.startsWith("-I") ? "I" : CudaOptions.name(option);
            String value = name.equals("I")
                    ? option.substring(2).replaceFirst("^=", "")
                    : option.substring(option.indexOf('=') + 1);
            if (FOLDERS.contains(name)) {
                Path headers = folder.resolve(value).normalize();
                folders.add(headers);
                all.add("-I" + headers);
            } else if (FIRST.contains(name)) {
                includesFirst = true;
                Path file = folder.resolve(value).normalize();
                all.add("--pre-include=" + (Files.isRegularFile(file) ? file.toString() : value));
            } else {
                all.add(option);
            }
        }
        return new NvrtcOptions(List.copyOf(all), List.copyOf(folders), includesFirst);
    }

    private static void check(String option, Path source) {
        String name = CudaOptions.name(option);
        if (option.indexOf('\0') >= 0) {
            throw new CompileException("an option for " + source + " holds a zero character, which would end it");
        }
        if (REFUSED.contains(name)) {
            throw new CompileException("option " + option + " for " + source
                    + " makes NVRTC keep precompiled headers, whose changes nobody would see; leave it out");
        }
        if (OF_NVCC.contains(name)) {
            throw new CompileException("option " + option + " for " + source
                    + " is one of nvcc's, which is not here, and NVRTC does not know it; install the CUDA toolkit or leave"
                    + " it out");
        }
        boolean takesValue = FIRST.contains(name) || name.equals("include-path");
        if (option.equals("-I") || (takesValue && !option.contains("="))) {
            throw new CompileException("option " + option + " for " + source + " has no value; expected one such as "
                    + "-Iinclude or -include=first.cuh");
        }
    }
}
