package dev.panamark.result;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A text file that grows while something is measured; each piece is out of the process when {@link #add} returns. */
public final class LineFile implements AutoCloseable {
    private final Path file;
    private final BufferedWriter writer;

    private LineFile(Path file, BufferedWriter writer) {
        this.file = file;
        this.writer = writer;
    }

    /**
     * Begins it anew.
     *
     * @throws ResultWriteException when that fails
     */
    public static LineFile create(Path file) {
        try {
            return new LineFile(file, Files.newBufferedWriter(file, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw FileTrouble.writing(file, e);
        }
    }

    /**
     * Writes some lines.
     *
     * @throws ResultWriteException when that fails
     */
    public void add(String lines) {
        try {
            writer.write(lines);
            writer.flush();
        } catch (IOException e) {
            throw FileTrouble.writing(file, e);
        }
    }

    /**
     * Closes it.
     *
     * @throws ResultWriteException when that fails
     */
    @Override
    public void close() {
        try {
            writer.close();
        } catch (IOException e) {
            throw FileTrouble.writing(file, e);
        }
    }
}
