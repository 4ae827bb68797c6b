package dev.panamark.result;

/** A result file or journal cannot be read; the message names file, line and field, and what was expected. */
public final class ResultFileException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String file;
    private final int line;
    private final String field;

    /**
     * With all that is known.
     *
     * @param file as the user named it
     * @param line from 1; 0 where no line is at fault
     * @param field path of the field, {@code rows[3].status}; empty where none is at fault
     * @param problem what was found and what was expected
     */
    public ResultFileException(String file, int line, String field, String problem) {
        super(file + (line > 0 ? ":" + line : "") + ": " + (field.isEmpty() ? "" : field + ": ") + problem);
        this.file = file;
        this.line = line;
        this.field = field;
    }

    /** The file, as the user named it. */
    public String file() {
        return file;
    }

    /** Its line, from 1; 0 where no line is at fault. */
    public int line() {
        return line;
    }

    /** Path of the field; empty where none is at fault. */
    public String field() {
        return field;
    }
}
