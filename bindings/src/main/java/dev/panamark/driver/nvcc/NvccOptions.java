package dev.panamark.driver.nvcc;

import dev.panamark.driver.compile.CompileException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** What may not be given to nvcc, because it starts its programs by a shell. */
final class NvccOptions {
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

    /** Refuses what a shell would act on. */
    static void check(List<String> options, Path source) {
        for (String option : options) {
            if (OF_A_SHELL.matcher(option).find()) {
                throw new CompileException(
                        "option '" + option + "' for " + source
                                + " has one of ` $ ; & | < > or a line break, which a shell would act on, and nvcc gives it to one");
            }
        }
    }
}
