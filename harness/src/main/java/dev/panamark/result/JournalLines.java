package dev.panamark.result;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** The lines of a journal as bytes, one at a time. */
final class JournalLines implements AutoCloseable {
    private static final int BUFFER = 1 << 16;

    private final InputStream in;
    private byte[] line = new byte[BUFFER];
    private int length;

    JournalLines(InputStream in) {
        this.in = new BufferedInputStream(in, BUFFER);
    }

    /** Goes to the next whole line; where there is none, what the file ends with is left, which may be nothing. */
    boolean next() throws IOException {
        length = 0;
        for (int b = in.read(); b >= 0; b = in.read()) {
            if (b == '\n') {
                return true;
            }
            if (length == line.length) {
                line = Arrays.copyOf(line, 2 * length);
            }
            line[length++] = (byte) b;
        }
        return false;
    }

    /** The line is the first {@link #length} of these bytes, until the next one. */
    byte[] bytes() {
        return line;
    }

    /** Bytes of the line, without its end. */
    int length() {
        return length;
    }

    boolean startsWith(byte[] start) {
        return length >= start.length && Arrays.equals(line, 0, start.length, start, 0, start.length);
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
