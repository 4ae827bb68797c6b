package dev.panamark.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.result.Row;
import dev.panamark.result.Status;
import dev.panamark.result.Tags;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kernels that are wrong, crash or hang, as a user brings them with {@code -k}; each costs its own row only. */
class FaultyKernelTest {
    private static final String GOOD = Session.source("out[i] = 2 * x[i];");

    @TempDir
    Path folder;

    private Session session;
    private Path json;

    @BeforeEach
    void start() {
        Session.needsCompiler();
        session = new Session(folder);
        json = session.path("result.json");
    }

    private Row only(String source, int code, String... more) {
        Path yaml = session.doubling("k", source);
        List<String> args = new java.util.ArrayList<>(List.of(
                "run", "-k", yaml.toString(), "--json", json.toString(), "--budget", "10s", "--min-time", "10ms"));
        args.addAll(List.of(more));
        Session.Ended ended = session.run(args.toArray(String[]::new));
        assertEquals(code, ended.code(), () -> ended.out() + ended.err());
        assertFalse(ended.hasStackTrace(), () -> ended.out() + ended.err());
        return session.rows(json).getFirst();
    }

    private static void reasonHas(Row row, String... parts) {
        String reason = String.valueOf(row.reason());
        for (String part : parts) {
            assertTrue(reason.contains(part), () -> "'" + part + "' is not in: " + reason);
        }
    }

    @Test
    void aGoodKernelIsOkAndTimed() {
        Row row = only(GOOD, 0);
        assertEquals(Status.OK, row.status());
        assertNull(row.reason());
        var time = row.metric(Tags.TIME_MEDIAN);
        assertNotNull(time);
        assertNotNull(time.value());
        assertNotNull(time.ci95(), time::toString);
        var rate = row.metric(Tags.RATE_FLOPS);
        assertNotNull(rate);
        // The kernel file counts n flops: 1000 over the median, by definition.
        assertEquals(1000 / time.value(), java.util.Objects.requireNonNull(rate.value()), 1e-6 * 1000 / time.value());
    }

    @Test
    void aWrongElementIsNamedByItsIndex() {
        Row row = only(Session.source("out[i] = i == 737 ? x[i] : 2 * x[i];"), 1);
        assertEquals(Status.WRONG, row.status());
        reasonHas(row, "out[737]", "before the timed launches");
        var time = row.metric(Tags.TIME_MEDIAN);
        assertNotNull(time);
        assertNull(time.value(), "no time is reported for a wrong kernel");
    }

    @Test
    void anUnwrittenTailIsWrong() {
        Row row = only(Session.source("if (i < 990) out[i] = 2 * x[i];"), 1);
        assertEquals(Status.WRONG, row.status());
        reasonHas(row, "out[990]", "written");
    }

    @Test
    void nothingWrittenAtAllIsWrong() {
        Row row = only(Session.source(";"), 1);
        assertEquals(Status.WRONG, row.status());
        reasonHas(row, "out[0]", "written");
    }

    @Test
    void notANumberIsWrong() {
        Row row = only(Session.source("out[i] = i == 5 ? (float)NAN : 2 * x[i];"), 1);
        assertEquals(Status.WRONG, row.status());
        reasonHas(row, "out[5]", "NaN");
    }

    @Test
    void aWritePastTheEndIsWrong() {
        Row row = only(Session.source("out[i] = 2 * x[i]; if (i == n - 1) out[n + 3] = 1;"), 1);
        assertEquals(Status.WRONG, row.status());
        reasonHas(row, "outside buffer 'out'", "past its end");
    }

    @Test
    void aChangedInputIsWrong() {
        Row row = only(Session.source("out[i] = 2 * x[i]; if (i == 12) ((float *)x)[i] = 7;"), 1);
        assertEquals(Status.WRONG, row.status());
        reasonHas(row, "x[12]");
    }

    @Test
    void aKernelThatReturnsItsFirstResultAgainIsWrong() {
        String cached = """
                static float kept[1000]; static int have;
                void doubled(void **args, const int64_t grid[3], int64_t first, int64_t last) {
                  const float *x = *(const float **)args[0];
                  float *out = *(float **)args[1];
                  (void)grid; (void)first; (void)last;
                  if (!have) { for (int i = 0; i < 1000; i++) kept[i] = 2 * x[i]; have = 1; }
                  for (int i = 0; i < 1000; i++) out[i] = kept[i];
                }
                """;
        Path yaml = session.doubling("k", cached);
        Session.Ended ended = session.run(
                "run",
                "-k",
                yaml.toString(),
                "--json",
                json.toString(),
                "--budget",
                "10s",
                "--min-time",
                "10ms",
                "-a",
                "n=1000");
        assertEquals(1, ended.code(), ended::err);
        Row row = session.rows(json).getFirst();
        assertEquals(Status.WRONG, row.status());
        reasonHas(row, "after the timed launches");
    }

    @Test
    void aCrashCostsOneRowAndNamesTheFrame() {
        Path bad = session.doubling("bad", Session.source("out[i] = 2 * x[i]; if (i == 500) *(volatile int *)16 = 1;"));
        Path good = session.doubling("good", GOOD);
        Session.Ended ended = session.run(
                "run",
                "-k",
                bad.toString(),
                "-k",
                good.toString(),
                "--json",
                json.toString(),
                "--budget",
                "15s",
                "--min-time",
                "10ms");
        assertEquals(1, ended.code(), ended::err);
        Row crashed = session.rows(json).getFirst();
        assertEquals(Status.FAILED, crashed.status());
        reasonHas(crashed, "SIGSEGV", "doubled", "validate");
        assertEquals(Status.OK, session.rows(json).get(1).status(), "the next row is measured in a fresh worker");
    }

    @Test
    void aHangIsEndedAndTheNextRowGoesOn() {
        Path bad = session.doubling("bad", Session.source("if (i == 3) { volatile int on = 1; while (on) {} }"));
        Path good = session.doubling("good", GOOD);
        Session.Ended ended = session.run(
                "run",
                "-k",
                bad.toString(),
                "-k",
                good.toString(),
                "--json",
                json.toString(),
                "--budget",
                "20s",
                "--min-time",
                "10ms",
                "--timeout",
                "2s");
        assertEquals(1, ended.code(), ended::err);
        Row hung = session.rows(json).getFirst();
        assertEquals(Status.TIMEOUT, hung.status());
        reasonHas(hung, "validate", "2.0 s", "--timeout");
        assertEquals(Status.OK, session.rows(json).get(1).status());
    }

    @Test
    void anImageWithoutTheEntryIsBadInputAndNamesWhatThereIs() {
        Row row = only(GOOD.replace("doubled", "trippled"), 2);
        assertEquals(Status.FAILED, row.status());
        reasonHas(row, "doubled", "trippled");
    }

    @Test
    void aSourceThatDoesNotCompileShowsTheCompilersWords() {
        Row row = only(GOOD.replace("2 * x[i]", "2 * nowhere[i]"), 1);
        assertEquals(Status.FAILED, row.status());
        reasonHas(row, "k.c", "nowhere");
    }

    @Test
    void wrongRowsAreDumpedForNumpy() throws Exception {
        Path dump = session.path("dump");
        Row row = only(Session.source("out[i] = 3 * x[i];"), 1, "--dump", dump.toString());
        assertEquals(Status.WRONG, row.status());
        Path own = Path.of(String.valueOf(row.check().get("dump")));
        assertTrue(own.startsWith(dump), own::toString);
        byte[] npy = Files.readAllBytes(own.resolve("out-out.npy"));
        // NumPy format 1.0: magic, version, header padded to 64 bytes, then 1000 floats.
        assertEquals("NUMPY", new String(npy, 1, 5, java.nio.charset.StandardCharsets.US_ASCII));
        String header = new String(npy, 10, 118, java.nio.charset.StandardCharsets.US_ASCII);
        assertTrue(header.contains("'descr': '<f4'") && header.contains("'shape': (1000,)"), header);
        assertEquals(128 + 4000, npy.length);
        assertTrue(Files.exists(own.resolve("in-x.npy")));
        assertTrue(Files.exists(own.resolve("want-out.npy")));
    }

    @Test
    void onceLaunchesInThisProcessAndTimesNothing() {
        Row row = only(GOOD, 0, "--once");
        assertEquals(Status.OK, row.status());
        var time = row.metric(Tags.TIME_MEDIAN);
        assertNotNull(time);
        assertNull(time.value());
        assertEquals(List.of(), row.samples());
    }

    @Test
    void anOracleChecksOthersAndIsNotTimed() {
        String reference = "check: {reference: linear, conventions: {alpha: 2}}";
        Path truth = session.doubling("truth", GOOD);
        session.file("truth.yaml", read(truth).replace(reference, "check: {oracle: true}"));
        Path mine = session.doubling("k", Session.source("out[i] = x[i] + x[i];"));
        session.file("k.yaml", read(mine).replace(reference, "check: {against: mine.truth}"));
        Session.Ended ended = session.run(
                "run",
                "-k",
                mine.toString(),
                "-k",
                truth.toString(),
                "--json",
                json.toString(),
                "--budget",
                "15s",
                "--min-time",
                "10ms");
        assertEquals(0, ended.code(), ended::err);
        for (Row row : session.rows(json)) {
            boolean oracle = row.kernel().equals("mine.truth");
            assertEquals(oracle ? Status.SKIPPED : Status.OK, row.status(), row::toString);
            assertEquals(oracle, row.samples().isEmpty());
        }
        assertEquals(2, session.rows(json).size());
    }

    @Test
    void aKernelCanBeCheckedAgainstAnother() throws Exception {
        Path other = session.doubling("other", GOOD);
        Path mine = session.doubling("k", Session.source("out[i] = i == 3 ? 0 : x[i] + x[i];"));
        Files.writeString(
                mine,
                Files.readString(mine)
                        .replace(
                                "check: {reference: linear, conventions: {alpha: 2}}", "check: {against: mine.other}"));
        Session.Ended ended = session.run(
                "run",
                "-k",
                other.toString(),
                "-k",
                mine.toString(),
                "--json",
                json.toString(),
                "--budget",
                "15s",
                "--min-time",
                "10ms");
        assertEquals(1, ended.code(), ended::err);
        Row row = session.rows(json).stream()
                .filter(r -> r.kernel().equals("mine.k"))
                .findFirst()
                .orElseThrow();
        assertEquals(Status.WRONG, row.status());
        reasonHas(row, "out[3]");
    }

    @Test
    void aKernelThatStopsWorkingOnceItIsTimedIsWrong() {
        String lazy = """
                static int calls;
                void doubled(void **args, const int64_t grid[3], int64_t first, int64_t last) {
                  const float *x = *(const float **)args[0];
                  float *out = *(float **)args[1];
                  (void)first; (void)last; (void)grid;
                  if (__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED) >= 2) return;
                  for (int i = 0; i < 1000; i++) out[i] = 2 * x[i];
                }
                """;
        Path yaml = session.doubling("k", lazy);
        String oneBlock = read(yaml).replace("\"ceil(n/100)\"", "1");
        session.file("k.yaml", oneBlock);
        Session.Ended ended = session.run(
                "run", "-k", yaml.toString(), "--json", json.toString(), "--budget", "10s", "--min-time", "10ms");
        assertEquals(1, ended.code(), ended::err);
        Row row = session.rows(json).getFirst();
        assertEquals(Status.WRONG, row.status());
        reasonHas(row, "after the timed launches");
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** A launch cannot take less than its kernel waits, whether it has a sample of its own (2 ms) or shares one (20 us). */
    @org.junit.jupiter.params.ParameterizedTest
    @org.junit.jupiter.params.provider.ValueSource(longs = {2_000_000, 20_000})
    void timesAreThoseOfTheKernel(long nanos) {
        String waiting = """
                #include <time.h>
                void doubled(void **args, const int64_t grid[3], int64_t first, int64_t last) {
                  const float *x = *(const float **)args[0];
                  float *out = *(float **)args[1];
                  struct timespec begin, now;
                  (void)first; (void)last; (void)grid;
                  for (int i = 0; i < 1000; i++) out[i] = 2 * x[i];
                  clock_gettime(CLOCK_MONOTONIC, &begin);
                  do clock_gettime(CLOCK_MONOTONIC, &now);
                  while ((now.tv_sec - begin.tv_sec) * 1000000000L + now.tv_nsec - begin.tv_nsec < %dL);
                }
                """.formatted(nanos);
        Path yaml = session.doubling("k", waiting);
        session.file("k.yaml", read(yaml).replace("\"ceil(n/100)\"", "1"));
        Session.Ended ended = session.run(
                "run", "-k", yaml.toString(), "--json", json.toString(), "--budget", "10s", "--min-time", "10ms");
        assertEquals(0, ended.code(), ended::err);
        Row row = session.rows(json).getFirst();
        var time = row.metric(Tags.TIME_MEDIAN);
        assertNotNull(time);
        assertTrue(java.util.Objects.requireNonNull(time.value()) >= nanos * 1e-9, time::toString);
        Object launches = row.run().get("launches_per_sample");
        assertEquals(nanos < 50_000, !Long.valueOf(1).equals(launches), () -> "launches per sample: " + launches);
    }
}
