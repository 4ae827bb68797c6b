package dev.panamark.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/** Texts by seed, all of them in both engines; one that fails is kept. */
final class Fuzz {
    private final String kind;
    private final boolean complete;
    private final long instructions;
    private final LongFunction<String> text;

    /**
     * Texts of a kind.
     *
     * @param complete whether all have to come to their end
     * @param instructions warp instructions that each may execute
     * @param text what a seed gives
     */
    Fuzz(String kind, boolean complete, long instructions, LongFunction<String> text) {
        this.kind = kind;
        this.complete = complete;
        this.instructions = instructions;
        this.text = text;
    }

    /**
     * How many of the texts of {@code count} seeds ended in each way; on as many threads as there are processors.
     *
     * @throws AssertionError for the first that fails, with the file that it was written to
     */
    long[] run(long first, long count) {
        AtomicLong next = new AtomicLong(first);
        int workers = Runtime.getRuntime().availableProcessors();
        long[] ends = new long[Agreement.End.values().length];
        try (ExecutorService pool = Executors.newFixedThreadPool(workers)) {
            List<Future<long[]>> all = new ArrayList<>();
            Callable<long[]> work = () -> {
                try {
                    return work(next, first + count);
                } finally {
                    // Nobody goes on after a failure.
                    next.set(first + count);
                }
            };
            for (int i = 0; i < workers; i++) {
                all.add(pool.submit(work));
            }
            for (Future<long[]> some : all) {
                long[] part = some.get();
                for (int i = 0; i < ends.length; i++) {
                    ends[i] += part[i];
                }
            }
        } catch (ExecutionException e) {
            throw e.getCause() instanceof AssertionError failure ? failure : new AssertionError(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
        return ends;
    }

    @SuppressWarnings("EnumOrdinal") // Counts by kind, within one run.
    private long[] work(AtomicLong next, long end) {
        long[] ends = new long[Agreement.End.values().length];
        try (Agreement agreement = new Agreement()) {
            for (long seed = next.getAndIncrement(); seed < end; seed = next.getAndIncrement()) {
                String name = kind + "-" + seed + ".ptx";
                String one = text.apply(seed);
                ends[
                        attempt(name, one, () -> ended(agreement.of(name, one, instructions)))
                                .ordinal()]++;
            }
        }
        return ends;
    }

    private Agreement.End ended(Agreement.End end) {
        if (complete) {
            assertEquals(Agreement.End.COMPLETE, end);
        }
        return end;
    }

    /**
     * What the check of a text gives.
     *
     * @throws AssertionError where it fails in whichever way; names the file that the text was written to
     */
    static Agreement.End attempt(String name, String text, Supplier<Agreement.End> check) {
        try {
            return check.get();
        } catch (RuntimeException | Error e) {
            throw new AssertionError(kept(name, text), e);
        }
    }

    private static String kept(String name, String text) {
        Path file = Path.of("target", "fuzz", name);
        try {
            Files.createDirectories(file.getParent());
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return file.toAbsolutePath() + " fails; when it is mended keep it as emulator/src/test/resources/ptx/kept/"
                + name + " so that KeptTextsTest replays it";
    }
}
