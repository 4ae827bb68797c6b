package dev.panamark.cli;

import dev.panamark.measure.HostClock;
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
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a run's rows on disk while it goes on, and its result when it ends: in the file that was asked for, or below
 * the cache folder.
 */
final class RunStore implements AutoCloseable {
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

    private final RunResult header;
    private final HostClock clock;
    private final long begun;
    private final Instant opened;
    private final Supplier<Path> refuge;
    private final @Nullable PrintWriter err;
    private Path file;
    private @Nullable Journal journal;
    private final List<Row> rows;
    private final Set<SequencedMap<String, Object>> codes;
    private @Nullable RunResult finished;
    private @Nullable String trouble;
    private boolean fled;

    private RunStore(
            Path file,
            RunResult header,
            Journal journal,
            Supplier<Path> refuge,
            HostClock clock,
            @Nullable PrintWriter err) {
        this.file = file;
        this.header = header;
        this.journal = journal;
        this.refuge = refuge;
        this.clock = clock;
        this.begun = clock.nanos();
        this.opened = Instant.now();
        this.err = err;
        this.rows = new ArrayList<>(header.rows());
        this.codes = new LinkedHashSet<>(header.kernels());
    }

    /**
     * Goes on with an earlier part of a run.
     *
     * @param known that part: its header, and the rows and kernels that are kept
     */
    static RunStore resume(
            Surroundings surroundings, Path file, RunResult known, HostClock clock, @Nullable PrintWriter err) {
        return new RunStore(
                file,
                known,
                Journal.resume(journal(file), known),
                () -> unnamed(surroundings, Instant.now()),
                clock,
                err);
    }

    /** Where the rows of a run into this file are while it goes on. */
    static Path journal(Path file) {
        return file.resolveSibling(file.getFileName() + ".journal");
    }

    /** Starts a run anew. */
    static RunStore open(
            Surroundings surroundings,
            @Nullable Path wanted,
            RunResult header,
            HostClock clock,
            @Nullable PrintWriter err) {
        Path file = wanted != null ? wanted : unnamed(surroundings, header.started());
        Path journal = journal(file);
        keepOld(journal, err);
        return new RunStore(
                file,
                header,
                Journal.create(journal, header),
                () -> unnamed(surroundings, header.started()),
                clock,
                err);
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

    /**
     * Keeps a row. Where it cannot be written, the rows go below the cache folder from then on; where they cannot go
     * there either, they stay in memory until the end. {@link #trouble} says so.
     *
     * @param code identifies what ran; empty when nothing was loaded
     */
    void add(Row row, SequencedMap<String, Object> code) {
        boolean fresh = !code.isEmpty() && codes.add(code);
        rows.add(row);
        Journal current = journal;
        if (current == null) {
            return;
        }
        try {
            if (fresh) {
                current.append(code);
            }
            current.append(row);
        } catch (ResultWriteException e) {
            flee(e, null);
        }
    }

    /** Takes everything that is known to another place; what is on disk here stays; {@code intact} holds all rows. */
    private void flee(ResultWriteException why, @Nullable Path intact) {
        String what = why.getMessage();
        Journal old = journal;
        journal = null;
        if (old != null) {
            try {
                old.close();
            } catch (ResultWriteException e) {
                why.addSuppressed(e);
            }
        }
        if (!fled) {
            fled = true;
            try {
                Path other = refuge.get();
                if (!other.equals(file)) {
                    journal = Journal.resume(journal(other), known());
                    file = other;
                    trouble = what + ". The results are in " + other;
                    tell(what + "; rows go to " + journal(other) + " now");
                    return;
                }
            } catch (ResultWriteException e) {
                what += "; " + e.getMessage();
            }
        }
        boolean whole = intact != null && Files.exists(intact);
        trouble = what + (whole ? ". All rows are in " + intact : ". No file holds all results");
        if (!whole) {
            tell(what + "; rows are in memory only, until the table at the end");
        }
    }

    private void tell(String what) {
        if (err != null) {
            err.println("panamark: " + what);
            err.flush();
        }
    }

    private RunResult known() {
        return header.withRows(rows).withKernels(List.copyOf(codes));
    }

    /** Where the result is, or will be. */
    Path file() {
        return file;
    }

    /** What kept the result from where it was wanted, and where it is instead; empty where nothing did. */
    Optional<String> trouble() {
        return Optional.ofNullable(trouble);
    }

    /**
     * Writes the result; the journal goes, as the result holds all of it. Once; then the same result again. Does not
     * throw for a file that cannot be written: see {@link #trouble}.
     */
    RunResult finish() {
        if (finished != null) {
            return finished;
        }
        RunResult run = known().withFinished(now());
        finished = run;
        while (journal != null) {
            Journal current = journal;
            try {
                ResultFile.write(run, file);
                current.close();
                Files.deleteIfExists(current.file());
                return run;
            } catch (ResultWriteException e) {
                flee(e, current.file());
            } catch (IOException e) {
                trouble = "the journal " + current.file() + " cannot be removed (" + e.getMessage()
                        + "); the results are in " + file;
                return run;
            }
        }
        return run;
    }

    /** By a clock that nobody sets, so that a run never ends before it began. */
    private Instant now() {
        Instant now = opened.plusNanos(clock.nanos() - begun);
        return now.isBefore(header.started()) ? header.started() : now;
    }

    @Override
    public void close() {
        if (journal != null) {
            journal.close();
        }
    }
}
