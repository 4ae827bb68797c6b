package dev.panamark.kernel;

/** Something a person wrote is wrong: says which file, line and field, what came and what was expected. */
public final class KernelFileException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * A fault in a kernel file.
     *
     * @param file as the user named it
     * @param line from 1; 0 when the fault has no line
     * @param field path of keys, such as {@code buffers.q.shape[1]}; empty when it has none
     * @param fault what came and what was expected
     */
    public KernelFileException(String file, int line, String field, String fault) {
        super(file + (line > 0 ? ":" + line : "") + ": " + (field.isEmpty() ? "" : field + ": ") + fault);
    }
}
