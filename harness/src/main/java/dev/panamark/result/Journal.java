package dev.panamark.result;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;

/**
 * The rows of a run as they finish: a header line, then one line of JSON for each row and for the code of rows to
 * come, each on disk before the next begins.
 * A killed run loses at most the row being written. Used by one thread at a time.
 */
public final class Journal implements AutoCloseable {
    private static final byte[] CODE_START = ResultJson.CODE_START.getBytes(StandardCharsets.UTF_8);

    private final Path file;
    private final FileChannel channel;
    private boolean torn;

    private Journal(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /**
     * What a journal holds.
     *
     * @param run the header with all whole rows
     * @param torn what was wrong with the last line when it was not whole; empty when it was
     */
    public record Recovered(RunResult run, Optional<String> torn) {}

    /**
     * Starts a journal.
     *
     * @param file must not exist
     * @param header the run; its rows are not written
     * @throws ResultWriteException when the file is there already or cannot be written
     */
    public static Journal create(Path file, RunResult header) {
        try {
            FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            Journal journal = new Journal(file, channel);
            try {
                hold(channel);
                WholeFile.forceFolder(FileTrouble.folder(file));
                journal.line(ResultJson.headerLine(header));
            } catch (ResultWriteException e) {
                journal.close();
                throw e;
            }
            return journal;
        } catch (IOException e) {
            throw FileTrouble.writing(file, e);
        }
    }

    /**
     * Goes on with a run: the journal holds what is known of it already, instead of what the file held before, which
     * stays as it is until all of that is on disk.
     *
     * @param known the run, with the rows and kernels that are kept
     * @throws ResultWriteException when it cannot be written
     */
    public static Journal resume(Path file, RunResult known) {
        Path fresh = file.resolveSibling(
                file.getFileName() + "." + ProcessHandle.current().pid() + ".tmp");
        try {
            Files.deleteIfExists(fresh); // of a process that had this number before, and was killed here
            Journal journal = create(fresh, known);
            try {
                for (Row row : known.rows()) {
                    journal.write(ResultJson.line(row));
                }
                journal.channel.force(false);
                Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
                WholeFile.forceFolder(FileTrouble.folder(file));
                return new Journal(file, journal.channel);
            } catch (IOException | ResultWriteException e) {
                journal.close();
                Files.deleteIfExists(fresh);
                throw e;
            }
        } catch (IOException e) {
            throw FileTrouble.writing(file, e);
        }
    }

    /** Locked for as long as the channel is open, so that others can tell a run that goes on from one that died. */
    private static boolean hold(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false; // by this very process
        }
    }

    /**
     * Whether a run that is still going on writes this journal.
     *
     * @param file a journal, which must exist
     * @throws ResultWriteException when it cannot be opened
     */
    public static boolean inUse(Path file) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            return !hold(channel);
        } catch (IOException e) {
            throw FileTrouble.writing(file, e);
        }
    }

    /**
     * Appends a row; on disk when it returns.
     *
     * @throws ResultWriteException when that fails; the lines before it stay whole
     */
    public void append(Row row) {
        line(ResultJson.line(row));
    }

    /**
     * Appends what identifies the code of later rows; on disk when it returns.
     *
     * @param code an element of {@link RunResult#kernels}
     * @throws ResultWriteException when that fails; the lines before it stay whole
     */
    public void append(SequencedMap<String, Object> code) {
        line(ResultJson.codeLine(code));
    }

    /** The file. */
    public Path file() {
        return file;
    }

    /** Closes the file. */
    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw FileTrouble.writing(file, e);
        }
    }

    /**
     * Reads a journal. A last line without its end, as a killed run leaves, is left out and told of.
     *
     * @throws ResultFileException when it cannot be read, or any other line is not whole
     */
    public static Recovered read(Path file) {
        String name = file.toString();
        ResultReader reader = new ResultReader(name);
        RunResult header = null;
        List<Row> rows = new ArrayList<>();
        Set<SequencedMap<String, Object>> codes = new LinkedHashSet<>();
        int cut;
        int number = 0;
        try (JournalLines lines = new JournalLines(ResultFile.open(file))) {
            while (lines.next()) {
                number++;
                if (header == null) {
                    header = reader.run(lines.bytes(), lines.length(), number);
                    codes.addAll(header.kernels());
                } else if (lines.startsWith(CODE_START)) {
                    codes.add(reader.code(lines.bytes(), lines.length(), number));
                } else {
                    rows.add(reader.row(lines.bytes(), lines.length(), number));
                }
            }
            cut = lines.length();
        } catch (IOException e) {
            throw ResultFile.unreadable(file, e);
        }
        if (header == null) {
            throw new ResultFileException(
                    name, 0, "", "holds no whole line; the run was killed before its first row, so start it anew");
        }
        Optional<String> torn = cut == 0
                ? Optional.empty()
                : Optional.of(name + ":" + (number + 1) + ": the last line (" + cut
                        + " bytes) was cut short when the run ended; that row is left out");
        return new Recovered(header.withRows(rows).withKernels(List.copyOf(codes)), torn);
    }

    private void write(String json) throws IOException {
        if (torn) {
            throw new IOException("an earlier row could not be written whole");
        }
        torn = true;
        ByteBuffer bytes = ByteBuffer.wrap((json + "\n").getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
        torn = false;
    }

    private void line(String json) {
        try {
            write(json);
            channel.force(false);
        } catch (IOException e) {
            torn = true; // what is on disk of it nobody knows
            throw FileTrouble.writing(file, e);
        }
    }
}
