package dev.panamark.cli;

import dev.panamark.kernel.Dim3;

/** A grid or a block on the command line: {@code 64}, {@code 8,8} or {@code 8,8,2}; {@code 8x8} is taken as well. */
final class Extents {
    private static final int MOST = 3;

    private Extents() {}

    /**
     * Reads one.
     *
     * @param option for messages
     * @throws CommandFailed exit code 2
     */
    static Dim3 parse(String option, String written) {
        String[] parts = written.split("[,x]", -1);
        long[] extents = {1, 1, 1};
        if (parts.length > MOST) {
            throw fault(option, written);
        }
        for (int i = 0; i < parts.length; i++) {
            try {
                extents[i] = Integer.parseInt(parts[i].strip());
            } catch (NumberFormatException e) {
                throw fault(option, written);
            }
            if (extents[i] < 1) {
                throw fault(option, written);
            }
        }
        return new Dim3(extents[0], extents[1], extents[2]);
    }

    private static CommandFailed fault(String option, String written) {
        return new CommandFailed(
                ExitCode.BAD_INPUT,
                option + ": '" + written + "', expected one to three whole numbers of at least 1, such as 8,8");
    }
}
