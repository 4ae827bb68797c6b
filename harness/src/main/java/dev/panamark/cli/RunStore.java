package dev.panamark.cli;

import dev.panamark.result.Journal;
import dev.panamark.result.ResultFile;
import dev.panamark.result.ResultWriteException;
import dev.panamark.result.Row;
import dev.panamark.result.RunResult;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a run's rows on disk while it goes on, and its result when it ends: in the file that was asked for, or below
 * the cache folder.
 */
final class RunStore implements AutoCloseable {
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

    private final Path file;
    private final RunResult header;
    private final Journal journal;
    private final List<Row> rows;
    private final Set<SequencedMap<String, Object>> codes;
    private @Nullable RunResult finished;

    private RunStore(Path file, RunResult header, Journal journal) {
        this.file = file;
        this.header = header;
        this.journal = journal;
        this.rows = new ArrayList<>(header.rows());
        this.codes = new LinkedHashSet<>(header.kernels());
    }

    /**
     * Goes on with an earlier part of a run.
     *
     * @param known that part: its header, and the rows and kernels that are kept
     */
    static RunStore resume(Path file, RunResult known) {
        return new RunStore(file, known, Journal.resume(journal(file), known));
    }

    /** Where the rows of a run into this file are while it goes on. */
    static Path journal(Path file) {
        return file.resolveSibling(file.getFileName() + ".journal");
    }

    /** Starts a run anew. */
    static RunStore open(
            Surroundings surroundings, @Nullable Path wanted, RunResult header, @Nullable PrintWriter err) {
        Path file = wanted != null ? wanted : unnamed(surroundings, header.started());
        Path journal = journal(file);
        keepOld(journal, err);
        return new RunStore(file, header, Journal.create(journal, header));
    }

    private static Path unnamed(Surroundings surroundings, Instant started) {
        Path folder = surroundings.cache().resolve("runs");
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new ResultWriteException(
                    "the folder " + folder + " for results cannot be made (" + e.getMessage()
                            + "); set PANAMARK_CACHE to one that can, or name a file with --json",
                    e);
        }
        return folder.resolve(
                STAMP.format(started) + "-" + ProcessHandle.current().pid() + ".json");
    }

    /** A journal that is there belongs to a run that was killed, or to one that still runs: it is never written over. */
    private static void keepOld(Path journal, @Nullable PrintWriter err) {
        if (!Files.exists(journal)) {
            return;
        }
        requireFree(journal);
        for (int i = 1; ; i++) {
            Path kept = journal.resolveSibling(journal.getFileName() + "." + i);
            if (Files.exists(kept)) {
                continue;
            }
            try {
                Files.move(journal, kept);
            } catch (IOException e) {
                throw new ResultWriteException(
                        "the journal of an earlier run, " + journal + ", cannot be moved out of the way: "
                                + e.getMessage(),
                        e);
            }
            if (err != null) {
                err.println("panamark: an earlier run into this file did not end; its rows are kept in " + kept
                        + " (to go on with them, end this run, rename that file to "
                        + journal.getFileName() + " and give --resume)");
            }
            return;
        }
    }

    /** Refuses a journal that another run is writing. */
    static void requireFree(Path journal) {
        if (Journal.inUse(journal)) {
            throw new CommandFailed(
                    ExitCode.BAD_INPUT,
                    "another run is writing into " + journal + "; let it end, or name another file with --json");
        }
    }

    /** {@code code} identifies what ran; empty when nothing was loaded. */
    void add(Row row, SequencedMap<String, Object> code) {
        if (!code.isEmpty() && codes.add(code)) {
            journal.append(code);
        }
        journal.append(row);
        rows.add(row);
    }

    Path file() {
        return file;
    }

    /** Writes the result; the journal goes, as the result holds all of it. Once; then the same result again. */
    RunResult finish() {
        if (finished != null) {
            return finished;
        }
        RunResult run = header.withRows(rows).withKernels(List.copyOf(codes)).withFinished(Instant.now());
        ResultFile.write(run, file);
        finished = run;
        try {
            journal.close();
            Files.deleteIfExists(journal.file());
        } catch (IOException e) {
            throw new ResultWriteException("the journal " + journal.file() + " cannot be removed", e);
        }
        return run;
    }

    @Override
    public void close() {
        journal.close();
    }
}
