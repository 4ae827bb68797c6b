package dev.panamark.result;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** The lines of a journal as bytes, one at a time. */
final class JournalLines implements AutoCloseable {
    private static final int BUFFER = 1 << 16;

    private final InputStream in;
    private final byte[] buffer = new byte[BUFFER];
    private int next;
    private int end;
    private byte[] line = new byte[BUFFER];
    private int length;

    JournalLines(InputStream in) {
        this.in = in;
    }

    /** Goes to the next whole line; where there is none, what the file ends with is left, which may be nothing. */
    boolean next() throws IOException {
        length = 0;
        while (next < end || fill()) {
            int from = next;
            while (next < end && buffer[next] != '\n') {
                next++;
            }
            append(from, next);
            if (next < end) {
                next++;
                return true;
            }
        }
        return false;
    }

    private boolean fill() throws IOException {
        next = 0;
        end = Math.max(0, in.read(buffer));
        return end > 0;
    }

    private void append(int from, int to) {
        int count = to - from;
        if (length + count > line.length) {
            line = Arrays.copyOf(line, Math.max(2 * line.length, length + count));
        }
        System.arraycopy(buffer, from, line, length, count);
        length += count;
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
