package dev.panamark.cli;

/** What the program's exit status means; where several apply, the first in this order counts. */
enum ExitCode {
    /** The command line, a kernel file or an input file is wrong. */
    BAD_INPUT(2),
    /** Nothing could be measured: what was asked for is not there. */
    NOTHING_THERE(3),
    /** Done, but a row is wrong, failed or timed out. */
    NOT_RIGHT(1),
    /** Measured, but not to be trusted, or not all of it. */
    NOT_TRUSTED(4),
    /** Done, everything right. */
    OK(0);

    private final int status;

    ExitCode(int status) {
        this.status = status;
    }

    int status() {
        return status;
    }
}
