package dev.panamark.cli;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Standard output, which tells whether what was written to it got lost. A reader that has had enough is no loss. */
final class AnswerStream extends OutputStream {
    private final OutputStream out;
    private boolean lost;

    AnswerStream(OutputStream out) {
        this.out = new BufferedOutputStream(out, 1 << 16);
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int count) throws IOException {
        try {
            out.write(bytes, from, count);
        } catch (IOException e) {
            failed(e);
            throw e;
        }
    }

    @Override
    public void flush() throws IOException {
        try {
            out.flush();
        } catch (IOException e) {
            failed(e);
            throw e;
        }
    }

    private void failed(IOException e) {
        lost |= !String.valueOf(e.getMessage()).contains("Broken pipe");
    }

    boolean lost() {
        return lost;
    }
}
