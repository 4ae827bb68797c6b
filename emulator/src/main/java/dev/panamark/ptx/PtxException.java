package dev.panamark.ptx;

/** A PTX text cannot be run: says where, what came and what was expected. */
public final class PtxException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int line;
    private final int column;

    /**
     * A fault of a text.
     *
     * @param source what the text is called, such as a file name
     * @param line from 1; 0 when the fault has no place
     * @param column from 1; 0 when the fault has no place
     * @param fault what came and what was expected
     */
    public PtxException(String source, int line, int column, String fault) {
        super(source + (line > 0 ? ":" + line + ":" + column : "") + ": " + fault);
        this.line = line;
        this.column = column;
    }

    /** Line of the text from 1; 0 when the fault has no place. */
    public int line() {
        return line;
    }

    /** Column of the text from 1; 0 when the fault has no place. */
    public int column() {
        return column;
    }
}
