package dev.panamark.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.result.Row;
import dev.panamark.result.RunResult;
import dev.panamark.result.Source;
import dev.panamark.result.Status;
import dev.panamark.result.Tag;
import dev.panamark.result.Tags;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SequencedMap;
import org.junit.jupiter.api.Test;

/** The expected tables were written by hand. */
class ConsoleTableTest {
    private static Row.Builder plain(String kernel, long n, double time) {
        return Row.builder("cpu:0", kernel, "", Runs.map("n", n), "hot")
                .metric(
                        Tags.TIME_MEDIAN,
                        Tags.TIME_MEDIAN.value(time, Source.MEASURED).withCi95(time * 0.99, time * 1.01));
    }

    private static Row wrong(String kernel) {
        return Row.builder("cpu:0", kernel, "", Runs.map("n", 64), "hot")
                .status(Status.WRONG, "got 1")
                .build();
    }

    @Test
    void aSmallTable() {
        Row right = plain("a.b", 64, 1.5e-3)
                .metric(Tags.RATE_FLOPS, Tags.RATE_FLOPS.value(2e9, Source.COMPUTED))
                .build();
        assertEquals("""
                cpu:0 · Example CPU 9000 · hot · seed 42
                kernel  problem  status      time  ± %  GFLOP/s
                ───────────────────────────────────────────────
                a.b     n=64     ok      1.500 ms  1.0     2.00
                a.c     n=64     WRONG          –    –        –
                    got 1

                  Where from: time measured; ± %, GFLOP/s computed.

                2 rows: 1 ok, 1 wrong; took 1 min 12 s; results in out.json
                """, ConsoleTable.render(Runs.run(List.of(right, wrong("a.c"))), 120, false, "out.json"));
    }

    @Test
    void theLargestStallsAreNamed() {
        Row.Builder row = plain("a.b", 64, 1.5e-3);
        double[] shares = {0.05, 0.5, 0.125, 0, 0.325};
        String[] reasons = {"barrier", "long_scoreboard", "wait", "sleeping", "mio_throttle"};
        for (int i = 0; i < shares.length; i++) {
            Tag tag = Tags.of("stall/" + reasons[i]).orElseThrow();
            row.metric(tag, tag.value(shares[i], Source.COMPUTED));
        }
        row.metric("stall/gmma", Tags.of("stall/gmma").orElseThrow().missing("no such counter"));
        assertEquals("""
                cpu:0 · Example CPU 9000 · hot · seed 42
                kernel  problem  status      time  ± %
                ──────────────────────────────────────
                a.b     n=64     ok      1.500 ms  1.0

                  Where from: time measured; ± % computed.
                  a.b n=64: warps do not issue because of long_scoreboard (50 %), mio_throttle (32 %), wait (12 %).

                1 row: 1 ok; took 1 min 12 s; results in out.json
                """, ConsoleTable.render(Runs.run(List.of(row.build())), 120, false, "out.json"));
        List<Row> many = new ArrayList<>();
        for (int n = 0; n < 10; n++) {
            Tag tag = Tags.of("stall/wait").orElseThrow();
            many.add(plain("a.b", n, 1)
                    .metric(tag, tag.value(1, Source.COMPUTED))
                    .build());
        }
        String table = ConsoleTable.render(Runs.run(many), 120, false, null);
        assertTrue(table.contains("n=7: warps do not") && !table.contains("n=8: warps do not"), table);
        assertTrue(table.contains("Stalls of 2 more rows are in the result file (stall/…)."), table);
    }

    @Test
    void footnotesShareAMarkAndColumnsWithoutValuesGo() {
        Tag flops = Tags.RATE_FLOPS;
        Tag bytes = Tags.RATE_BYTES;
        Row a = plain("a.b", 64, 1e-6)
                .metric(flops, flops.value(1.5e12, Source.COMPUTED))
                .metric(bytes, bytes.missing("no bytes"))
                .metric(Tags.UTIL_PEAK, Tags.UTIL_PEAK.missing("no peak."))
                .flag("hasty")
                .flag("everywhere")
                .build();
        Row b = plain("a.b", 128, 2e-6)
                .metric(flops, flops.missing("moves data"))
                .metric(bytes, bytes.value(3e9, Source.COMPUTED))
                .flag("everywhere")
                .build();
        Row c = plain("a.b", 256, 3e-6)
                .metric(flops, flops.missing("moves data"))
                .metric(Tags.UTIL_PEAK, Tags.UTIL_PEAK.missing("another"))
                .flag("everywhere")
                .build();
        assertEquals("""
                cpu:0 · Example CPU 9000 · hot · seed 42
                kernel  problem  status      time  ± %  TFLOP/s  GB/s
                ─────────────────────────────────────────────────────
                a.b     n=64     ok¹     1.000 µs  1.0     1.50    –²
                a.b     n=128    ok      2.000 µs  1.0       –³  3.00
                a.b     n=256    ok      3.000 µs  1.0       –³    –⁴

                  Where from: time measured; ± %, TFLOP/s, GB/s computed.
                  No % peak: no peak. (and 1 other reason).
                  All rows: everywhere.

                  ¹ hasty
                  ² no bytes
                  ³ moves data
                  ⁴ the row does not hold it

                3 rows: 3 ok; took 1 min 12 s.
                """, ConsoleTable.render(Runs.run(List.of(a, b, c)), 120, false));
    }

    @Test
    void axesOfOneValueStandBelow() {
        List<Row> rows = new ArrayList<>();
        for (long seq : new long[] {256, 512}) {
            for (String kernel : List.of("attention.naive", "attention.blocked")) {
                rows.add(Row.builder(
                                "cpu:0",
                                kernel,
                                "",
                                Runs.map("batch", 1, "heads", 8, "seq", seq, "dtype", "f32"),
                                "hot")
                        .build());
            }
        }
        assertEquals("""
                cpu:0 · Example CPU 9000 · hot · seed 42
                kernel             problem  status
                ──────────────────────────────────
                attention.naive    seq=256  ok
                attention.blocked  seq=256  ok
                attention.naive    seq=512  ok
                attention.blocked  seq=512  ok

                  All rows of attention.naive, attention.blocked: batch=1 heads=8 dtype=f32

                4 rows: 4 ok; took 1 min 12 s.
                """, ConsoleTable.render(Runs.run(rows), 120, false));
    }

    @Test
    void nothingMeasured() {
        RunResult none = RunResult.started(List.of(), Instant.EPOCH, Runs.map(), List.of(), List.of(), 1);
        assertEquals("No rows: nothing was measured; the run did not finish.\n", ConsoleTable.render(none, 120, false));
    }

    @Test
    void modesInvocationsAndImagesTellRowsApart() {
        Row hot = plain("a.b", 64, 1e-3).build();
        Row cold = Row.builder("cpu:0", "a.b", "sha256:0123456789", Runs.map("n", 64L), "cold")
                .build();
        String text = ConsoleTable.render(
                Runs.run(List.of(hot, cold, hot.toBuilder().invocation(1).build())), 120, false);
        assertTrue(text.contains("n=64 hot "), text);
        assertTrue(text.contains("n=64 cold "), text);
        assertFalse(text.contains("image="), "modes tell these rows apart already: " + text);
        Row other = Row.builder("cpu:0", "a.b", "sha256:fedcba98", Runs.map("n", 64L), "cold")
                .build();
        String builds = ConsoleTable.render(Runs.run(List.of(cold, other)), 120, false);
        assertTrue(builds.contains("image=01234567 ") && builds.contains("image=fedcba98 "), builds);
        // The aggregated row stands for its invocations, unless one went wrong.
        assertFalse(text.contains("invocation=1"), text);
        assertTrue(text.contains("Rows of single invocations are in the result file."), text);
        Row failed =
                hot.toBuilder().invocation(1).status(Status.FAILED, "crashed").build();
        String withFailure = ConsoleTable.render(Runs.run(List.of(hot, failed)), 120, false);
        assertTrue(withFailure.contains("n=64 invocation=1  FAILED"), withFailure);
    }

    @Test
    void ratesFarApartCarryTheirPrefixes() {
        Row slow = plain("a.b", 1, 1e-3)
                .metric(Tags.RATE_BYTES, Tags.RATE_BYTES.value(1.25e3, Source.COMPUTED))
                .build();
        Row fast = plain("a.b", 2, 1e-3)
                .metric(Tags.RATE_BYTES, Tags.RATE_BYTES.value(2.5e12, Source.COMPUTED))
                .build();
        String text = ConsoleTable.render(Runs.run(List.of(slow, fast)), 120, false);
        assertTrue(text.contains("     B/s\n"), text);
        assertTrue(text.contains("  1.25 k\n"), text);
        assertTrue(text.contains("  2.50 T\n"), text);
    }

    @Test
    void narrowTablesSayWhatTheyLeaveOut() {
        String wide = ConsoleTable.render(Runs.realistic(), 120, false);
        assertFalse(wide.contains("Left out"), wide);
        String narrow = ConsoleTable.render(Runs.realistic(), 60, false);
        assertTrue(narrow.contains("Left out for width: GFLOP/s, B/s, % ceil,"), narrow);
    }

    @Test
    void groupsByDevice() {
        Row other = Row.builder("emu:h100", "a.b", "", Runs.map("n", 64), "hot")
                .metric(Tags.TIME_MEDIAN, Tags.TIME_MEDIAN.missing("an emulated device has no clock; see time/bound"))
                .metric(Tags.TIME_BOUND, Tags.TIME_BOUND.value(1.9e-4, Source.COMPUTED))
                .build();
        String text =
                ConsoleTable.render(Runs.run(List.of(plain("a.b", 64, 1e-3).build(), other, wrong("x"))), 120, false);
        assertTrue(
                text.indexOf("cpu:0 ·") < text.indexOf("\nx ") && text.indexOf("\nx ") < text.indexOf("emu:h100 ·"),
                text);
        assertTrue(text.contains("190.0 µs"), text);
        assertTrue(text.contains("No time: an emulated device has no clock; see time/bound."), text);
    }

    // ---- any rows whatever

    private static final String[] WORDS = {
        "a",
        "attention",
        "prefill",
        "\u65e5\u672c\u8a9e",
        "\uD83D\uDE00",
        "e\u0301t\u00e9",
        "x".repeat(70),
        "\u001b[31m",
        "tab\tand\nline"
    };

    private static final List<Status> STATUSES = List.of(Status.values());

    private static String words(Random random, int most, String between) {
        List<String> out = new ArrayList<>();
        for (int i = random.nextInt(most) + 1; i > 0; i--) {
            out.add(WORDS[random.nextInt(WORDS.length)]);
        }
        return String.join(between, out);
    }

    private static RunResult any(Random random) {
        List<Row> rows = new ArrayList<>();
        int axes = random.nextInt(4) == 0 ? 40 : random.nextInt(6);
        for (int i = random.nextInt(30); i >= 0; i--) {
            SequencedMap<String, Object> problem = Runs.map();
            for (int axis = 0; axis < axes; axis++) {
                problem.put("axis" + axis, random.nextBoolean() ? (Object) random.nextLong(5) : words(random, 2, "_"));
            }
            Row.Builder row = Row.builder(
                    "dev:" + random.nextInt(2),
                    words(random, 5, "."),
                    "",
                    problem,
                    random.nextInt(9) == 0 ? "cold" : "hot");
            Status status = STATUSES.get(random.nextInt(STATUSES.size()));
            if (status != Status.OK) {
                row.status(status, words(random, 20, " "));
            }
            for (Column column : Column.ALL) {
                int kind = random.nextInt(3);
                if (kind == 0) {
                    row.metric(column.tag(), column.tag().missing(words(random, 20, " ")));
                } else if (kind == 1) {
                    double value = Math.exp(random.nextGaussian() * 12);
                    row.metric(
                            column.tag(),
                            column.tag().value(value, Source.COMPUTED).withCi95(value / 2, value * 3));
                }
            }
            for (int flag = random.nextInt(3); flag > 0; flag--) {
                row.flag(words(random, 5, " "));
            }
            rows.add(row.build());
        }
        return Runs.run(rows);
    }

    /** Columns by what this test puts in: independent of what the table counts. */
    private static int columns(String line) {
        return line.codePoints()
                .map(c -> c == 0x301 ? 0 : c >= 0x2E80 && c != 0xFFFD ? 2 : 1)
                .sum();
    }

    @Test
    void noLineIsEverWider() {
        for (int seed = 0; seed < 60; seed++) {
            Random random = new Random(seed);
            RunResult run = any(random);
            int width = 30 + random.nextInt(110);
            int most = Math.clamp(width, 60, 120);
            String text =
                    ConsoleTable.render(run, width, false, "/some/where/" + "r".repeat(random.nextInt(100)) + ".json");
            for (String line : text.lines().toList()) {
                assertTrue(columns(line) <= most, "seed " + seed + ", " + columns(line) + " > " + most + ": " + line);
                assertFalse(line.chars().anyMatch(c -> c < ' '), line);
            }
            // Colours change nothing but colours.
            String coloured = ConsoleTable.render(run, width, true, null).replaceAll("\u001b\\[\\d*m", "");
            assertEquals(ConsoleTable.render(run, width, false, null), coloured);
            // Whatever is broken or moved, it is there.
            String all = text.replaceAll("\\s", "");
            for (Row row : run.rows()) {
                assertTrue(all.contains(Text.line(row.kernel()).replaceAll("\\s", "")), row.kernel());
                if (row.reason() != null) {
                    assertTrue(all.contains(Text.line(row.reason()).replaceAll("\\s", "")), row.reason());
                }
            }
        }
    }

    @Test
    void aThousandRowsWithReasonsOfTheirOwn() {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            rows.add(plain("kernel.with.a.name", i, 1e-3)
                    .metric(
                            Tags.RATE_FLOPS,
                            i == 7
                                    ? Tags.RATE_FLOPS.value(1e9, Source.COMPUTED)
                                    : Tags.RATE_FLOPS.missing("reason " + i))
                    .build());
        }
        String text = ConsoleTable.render(Runs.run(rows), 60, false);
        for (String line : text.lines().toList()) {
            assertTrue(columns(line) <= 60, line);
        }
        assertEquals(1000, text.lines().filter(l -> l.contains("  1.000 ms  ")).count());
        assertTrue(text.contains("\u2079\u2079\u2079 reason 999"), text.substring(text.length() - 300));
    }
}
