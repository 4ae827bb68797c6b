package dev.panamark.ptx;

/** A PTX text cannot be run: says where, what came and what was expected. */
public final class PtxException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int line;
    private final int column;
    private final boolean unsupported;

    /**
     * A fault of a text.
     *
     * @param source what the text is called, such as a file name
     * @param line from 1; 0 when the fault has no place
     * @param column from 1; 0 when the fault has no place
     * @param fault what came and what was expected
     */
    public PtxException(String source, int line, int column, String fault) {
        this(source, line, column, fault, false);
    }

    private PtxException(String source, int line, int column, String fault, boolean unsupported) {
        super(source + (line > 0 ? ":" + line + ":" + column : "") + ": " + fault);
        this.line = line;
        this.column = column;
        this.unsupported = unsupported;
    }

    /** Of a text that may be right, but holds what is not emulated. */
    public static PtxException unsupported(String source, int line, int column, String what) {
        return new PtxException(source, line, column, what, true);
    }

    /** Whether the text may be right, and holds what is not emulated. */
    public boolean isUnsupported() {
        return unsupported;
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
