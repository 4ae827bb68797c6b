package dev.panamark.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.compare.Better;
import dev.panamark.compare.Comparison;
import dev.panamark.compare.Comparison.Apart;
import dev.panamark.compare.Comparison.Difference;
import dev.panamark.compare.Comparison.Overall;
import dev.panamark.compare.Comparison.Pair;
import dev.panamark.compare.Comparison.Side;
import dev.panamark.compare.Comparison.State;
import dev.panamark.compare.Comparison.Why;
import dev.panamark.compare.Subject;
import dev.panamark.compare.Verdict;
import dev.panamark.result.Interval;
import dev.panamark.result.Status;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SequencedMap;
import org.junit.jupiter.api.Test;

/** The expected tables were written by hand. */
class ComparisonTableTest {
    private static Subject subject(String kernel, SequencedMap<String, Object> problem) {
        return new Subject(kernel, problem, "hot");
    }

    private static Side side(String device, double value) {
        return new Side(device, "", value, 100, 5, false, "invocations");
    }

    private static Comparison comparison(List<Pair> pairs, List<Apart> apart, List<Difference> environment) {
        return new Comparison(
                new Comparison.Run("before.json", Instant.parse("2026-01-31T12:00:00Z"), 3),
                new Comparison.Run("after.json", Instant.parse("2026-02-01T12:00:00Z"), 1),
                new Comparison.Question("time/device/median", null, 0.005, false, 1),
                "s",
                Better.LOWER,
                pairs,
                apart,
                environment,
                new Overall(2, 1.0247, new Interval(1.02, 1.03)),
                List.of("the remark"));
    }

    /** As of an emulated device, whose rows have no times on either side. */
    @Test
    void manyRowsThatAreLeftOutForOneReasonAreToldTogether() {
        List<Apart> apart = new ArrayList<>();
        for (long n = 1; n <= 6; n++) {
            State state = new State(n == 6 ? "cpu:0" : "emu:0", Status.OK);
            apart.add(new Apart(Why.NO_VALUE, subject("a.b", Runs.map("n", n)), state, state, "no clock"));
        }
        String text = ComparisonTable.render(comparison(List.of(), apart, List.of()), 100, false);
        assertTrue(text.contains("""
                        Not compared:
                          5 rows on emu:0: ok → ok
                            no clock
                          a.b n=6 on cpu:0: ok → ok
                            no clock
                        """), text);
    }

    private static Comparison small() {
        Pair slower = new Pair(
                subject("a.b", Runs.map("n", 64L)),
                side("cpu:0", 1e-3),
                side("cpu:0", 1.05e-3),
                1.05,
                new Interval(1.045, 1.0549),
                Verdict.WORSE,
                List.of("one note", "shared"));
        Pair same = new Pair(
                subject("a.long", Runs.map("n", 128L)),
                side("cpu:0", 2.5e-6),
                side("cpu:0", 2.5e-6),
                1.0,
                null,
                Verdict.UNDECIDED,
                List.of("shared"));
        Apart gone = new Apart(
                Why.NO_PARTNER,
                subject("a.gone", Runs.map("n", 1L)),
                new State("cpu:0", Status.OK),
                null,
                "NEW has no such row on cpu:0");
        return comparison(List.of(slower, same), List.of(gone), List.of(new Difference("host.java", "25", "26")));
    }

    @Test
    void aSmallTable() {
        assertEquals("""
                BASE: before.json · started 2026-01-31T12:00:00Z · 3 rows
                NEW: after.json · started 2026-02-01T12:00:00Z · 1 row
                time/device/median (s), lower is better; a change of 0.500 % or less does not matter

                cpu:0
                kernel  problem      base       new  new/base    95 % interval  verdict
                ─────────────────────────────────────────────────────────────────────────
                a.b     n=64     1.000 ms  1.050 ms    1.0500  1.0450 – 1.0549  slower¹
                a.long  n=128    2.500 µs  2.500 µs    1.0000                –  undecided

                  All pairs: Shared.
                  ¹ one note
                  The remark.

                Not compared:
                  a.gone n=1 on cpu:0: ok → no row
                    NEW has no such row on cpu:0

                What else differs, BASE → NEW:
                  host.java: 25 → 26

                2 pairs: 1 slower, 1 undecided; geometric mean of new/base 1.0247 (1.0200 – 1.0300); 1 row not compared.
                """, ComparisonTable.render(small(), 120, false));
    }

    @Test
    void markdownHasTheSame() {
        assertEquals("""
                - BASE: before.json · started 2026-01-31T12:00:00Z · 3 rows
                - NEW: after.json · started 2026-02-01T12:00:00Z · 1 row
                - time/device/median (s), lower is better; a change of 0.500 % or less does not matter

                ### cpu:0

                | kernel | problem | base | new | new/base | 95 % interval | verdict |
                | :--- | :--- | ---: | ---: | ---: | ---: | :--- |
                | a.b | n=64 | 1.000 ms | 1.050 ms | 1.0500 | 1.0450 – 1.0549 | **slower** ¹ |
                | a.long | n=128 | 2.500 µs | 2.500 µs | 1.0000 | – | undecided |

                - All pairs: Shared.
                - ¹ one note
                - The remark.

                Not compared:

                - a.gone n=1 on cpu:0: ok → no row (NEW has no such row on cpu:0)

                What else differs, BASE → NEW:

                - host.java: 25 → 26

                2 pairs: 1 slower, 1 undecided; geometric mean of new/base 1.0247 (1.0200 – 1.0300); 1 row not compared.
                """, ComparisonMarkdown.render(small()));
    }

    @Test
    void csvHasEveryRowToTheLastBit() {
        assertEquals("""
                kernel,mode,axis:n,metric,unit,base_device,new_device,base_status,new_status,base,new,ratio,ratio.lo,\
                ratio.hi,verdict,notes
                a.b,hot,64,time/device/median,s,cpu:0,cpu:0,ok,ok,0.001,0.00105,1.05,1.045,1.0549,slower,one note; shared
                a.long,hot,128,time/device/median,s,cpu:0,cpu:0,ok,ok,2.5E-6,2.5E-6,1.0,,,undecided,shared
                a.gone,hot,1,time/device/median,s,cpu:0,,ok,,,,,,,no_partner,NEW has no such row on cpu:0
                """.replace("\n", "\r\n"), ComparisonCsv.render(small()));
    }

    @Test
    void noLineIsWiderThanAskedAndNothingIsLost() {
        List<Pair> pairs = new ArrayList<>();
        List<Apart> apart = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            SequencedMap<String, Object> problem =
                    Runs.map("batch", 1L, "heads", 32L, "kv_len", 1L << i, "dtype", "f16", "granularity", "g" + i);
            Subject s = subject("attention.decode." + "variant".repeat(1 + i), problem);
            pairs.add(new Pair(
                    s,
                    side("cpu:0", 1e-7 * i + 1e-9),
                    side(i % 2 == 0 ? "cpu:0" : "cuda:" + "0".repeat(3 * i), 3.7 * i + 1e-9),
                    Math.pow(7, i - 5),
                    new Interval(Math.pow(7, i - 6), Math.pow(7, i - 4)),
                    List.of(Verdict.values()).get(i % 4),
                    List.of("note " + "word ".repeat(i))));
            apart.add(new Apart(
                    Why.NOT_OK,
                    s,
                    new State("cpu:0", Status.OK),
                    new State("cpu:0", Status.WRONG),
                    "w".repeat(40 * i) + " reason"));
        }
        Comparison c = comparison(
                pairs,
                apart,
                List.of(new Difference("host." + "f".repeat(200), "b".repeat(90), "n \u65e5".repeat(30))));
        for (int width = 60; width <= 120; width += 5) {
            String text = ComparisonTable.render(c, width, false);
            int most = width;
            text.lines().forEach(l -> assertTrue(Text.width(l) <= most, l));
            String squeezed = text.replaceAll("\\s", "");
            for (int i = 0; i < 12; i++) {
                assertTrue(squeezed.contains("attention.decode." + "variant".repeat(1 + i)), text);
                assertTrue(squeezed.contains("granularity=g" + i), text);
            }
            assertTrue(squeezed.contains("f".repeat(200)), text);
            assertFalse(text.contains("\u001b"));
            // Colours change nothing but colour.
            assertEquals(text, ComparisonTable.render(c, width, true).replaceAll("\u001b\\[[0-9]+m", ""));
        }
    }

    @Test
    void verdictsHaveColours() {
        String text = ComparisonTable.render(small(), 120, true);
        assertTrue(text.contains("\u001b[31mslower\u00b9\u001b[0m"), text);
        assertTrue(text.contains("\u001b[33mundecided\u001b[0m"), text);
    }
}
