package dev.panamark.cli;

/** A command cannot go on; carries the message for the user and the exit code. */
final class CommandFailed extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final ExitCode code;

    CommandFailed(ExitCode code, String message) {
        super(message);
        this.code = code;
    }

    ExitCode code() {
        return code;
    }
}
