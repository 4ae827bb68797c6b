package dev.panamark.report;

import dev.panamark.result.Status;

/** Colours for a terminal, or none. */
enum Ansi {
    BOLD("1"),
    DIM("2"),
    RED("31"),
    GREEN("32"),
    YELLOW("33");

    private final String code;

    Ansi(String code) {
        this.code = code;
    }

    /** The text in this colour, where colours are wanted. */
    String paint(String text, boolean color) {
        return color && !text.isEmpty() ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
    }

    /** What suits a status. */
    static Ansi of(Status status) {
        return switch (status) {
            case OK -> GREEN;
            case WRONG, FAILED, TIMEOUT -> RED;
            case REJECTED, UNSTABLE -> YELLOW;
            case UNSUPPORTED, SKIPPED -> DIM;
        };
    }
}
