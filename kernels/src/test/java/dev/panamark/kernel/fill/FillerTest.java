package dev.panamark.kernel.fill;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.kernel.Buffer;
import dev.panamark.kernel.Fill;
import dev.panamark.kernel.HandMade;
import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.Instance;
import dev.panamark.kernel.Shape;
import dev.panamark.kernel.Tensor;
import dev.panamark.kernel.format.DataType;
import dev.panamark.kernel.format.Formats;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.concurrent.ForkJoinPool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FillerTest {
    private static final double UNUSED_ENTRY = 2147480000;

    private static Inputs fill(Instance instance, long seed) {
        return Filler.fill(instance, seed, Arena.ofAuto());
    }

    private static String refusal(Instance instance) {
        return String.valueOf(
                assertThrows(FillException.class, () -> fill(instance, 3)).getMessage());
    }

    private static double[] only(DataType type, Fill fill, long... dims) {
        return Formats.read(
                fill(new HandMade("copy").input("x", type, fill, dims).build(), 42)
                        .get("x"));
    }

    /** Published quantiles of the normal distribution. */
    @ParameterizedTest
    @CsvSource({
        "0.5, 0",
        "0.6, 0.25334710313579978",
        "0.9, 1.2815515655446004",
        "0.975, 1.9599639845400545",
        "0.001, -3.0902323061678132",
        "1e-10, -6.3613409024040557",
        "1e-20, -9.262340089798408",
    })
    void theQuantileIsThePublishedOne(double p, double z) {
        assertEquals(z, NormalQuantile.of(p), 1e-12);
    }

    /** Probability p has the bits p 2^64; both ends and the middle of cells, inside and outside the table. */
    @Test
    void theTableFollowsTheQuantile() {
        double furthest = 0;
        for (int i = 1; i < 1 << 14; i++) {
            double p = i * 0x1p-14;
            double z = NormalTable.of((long) (p * 0x1p63) << 1);
            furthest = Math.max(furthest, Math.abs(z - NormalQuantile.of(p)));
        }
        assertTrue(furthest < 1e-8, "off by " + furthest);
        assertEquals(-8.2, NormalTable.of(0), 0.1);
        assertEquals(8.2, NormalTable.of(-1), 0.1);
    }

    @Test
    void normalsHaveTheirMomentsAndDistribution() {
        int n = 1 << 20;
        double[] x = only(DataType.F32, new Fill.Normal(3, 2), n);
        double mean = Arrays.stream(x).average().orElseThrow();
        double variance = Arrays.stream(x).map(v -> (v - mean) * (v - mean)).sum() / n;
        // Five standard errors: 2/sqrt(n) = 0.00195 for the mean, 4*sqrt(2/n) = 0.0055 for the variance.
        assertEquals(3, mean, 5 * 0.00195);
        assertEquals(4, variance, 5 * 0.0055);
        assertEquals(0, correlation(x, 1), 5e-3);
        assertEquals(0, correlation(x, 32768), 5e-3);
        // Kolmogorov-Smirnov at a level of 1 in 1000: 1.95 / sqrt(n). The distribution function is Simpson's
        // integral of the density, so that it does not rest on the code under test.
        Arrays.sort(x);
        double furthest = 0;
        for (int i = 0; i < n; i += 997) {
            furthest = Math.max(furthest, Math.abs(distribution((x[i] - 3) / 2) - (i + 0.5) / n));
        }
        assertTrue(furthest < 1.95 / Math.sqrt(n), "KS distance " + furthest);
    }

    private static double correlation(double[] x, int lag) {
        double mean = Arrays.stream(x).average().orElseThrow();
        double sum = 0;
        double squares = 0;
        for (int i = 0; i + lag < x.length; i++) {
            sum += (x[i] - mean) * (x[i + lag] - mean);
            squares += (x[i] - mean) * (x[i] - mean);
        }
        return sum / squares;
    }

    private static double distribution(double z) {
        int steps = 200;
        double h = z / steps;
        double sum = 0;
        for (int i = 0; i <= steps; i++) {
            double weight = i == 0 || i == steps ? 1 : i % 2 == 1 ? 4 : 2;
            sum += weight * Math.exp(-i * h * i * h / 2);
        }
        return 0.5 + sum * h / 3 / Math.sqrt(2 * Math.PI);
    }

    @Test
    void uniformsStayInTheirRangeAndFillIt() {
        double[] x = only(DataType.F64, new Fill.Uniform(-2, 6), 100_000);
        assertTrue(Arrays.stream(x).allMatch(v -> v >= -2 && v < 6));
        assertEquals(2, Arrays.stream(x).average().orElseThrow(), 0.04);
        assertEquals(-2, Arrays.stream(x).min().orElseThrow(), 0.001);
        assertEquals(6, Arrays.stream(x).max().orElseThrow(), 0.001);
        double[] dice = only(DataType.I32, new Fill.Uniform(1, 6), 60_000);
        for (int face = 1; face <= 6; face++) {
            int f = face;
            long count = Arrays.stream(dice).filter(v -> v == f).count();
            assertTrue(Math.abs(count - 10_000) < 500, face + " came " + count + " times");
        }
        assertEquals(60_000, Arrays.stream(dice).filter(v -> v >= 1 && v <= 6).count());
    }

    @Test
    void constantsAndSequencesAreWrittenAsTheyAre() {
        assertArrayEquals(new double[] {2.5, 2.5, 2.5}, only(DataType.BF16, new Fill.Constant(2.5), 3));
        assertArrayEquals(
                new double[] {Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY},
                only(DataType.F16, new Fill.Constant(Double.POSITIVE_INFINITY), 2));
        assertArrayEquals(new double[] {10, 7, 4, 1}, only(DataType.I32, new Fill.Iota(10, -3), 2, 2));
    }

    @Test
    void bitsTakeEveryPattern() {
        double[] bytes = only(DataType.U8, new Fill.Bits(), 100_000);
        assertEquals(256, Arrays.stream(bytes).distinct().count());
        assertEquals(127.5, Arrays.stream(bytes).average().orElseThrow(), 1.2);
    }

    @Test
    void eightBitNormalsNeverOverflow() {
        double[] x = only(DataType.E4M3, new Fill.Normal(0, 400), 10_000);
        assertTrue(Arrays.stream(x).allMatch(Double::isFinite));
        assertEquals(448, Arrays.stream(x).max().orElseThrow());
    }

    @Test
    void contentsDependOnSeedAndNameButNotOnThreads() throws Exception {
        Instance instance = new HandMade("copy")
                .input("a", DataType.F32, 200_000)
                .input("b", DataType.F32, 200_000)
                .build();
        Inputs first = fill(instance, 1);
        Inputs again;
        try (ForkJoinPool one = new ForkJoinPool(1)) {
            again = one.submit(() -> fill(instance, 1)).get();
        }
        try (ForkJoinPool seven = new ForkJoinPool(7)) {
            Inputs more = seven.submit(() -> fill(instance, 1)).get();
            assertEquals(-1, first.get("a").data().mismatch(more.get("a").data()));
        }
        assertEquals(-1, first.get("a").data().mismatch(again.get("a").data()));
        assertTrue(equalElements(first.get("a"), first.get("b")) < 100);
        assertTrue(equalElements(first.get("a"), fill(instance, 2).get("a")) < 100);
    }

    private static int equalElements(Tensor a, Tensor b) {
        int equal = 0;
        for (int i = 0; i < a.shape().elements(); i++) {
            equal += Formats.get(a, i) == Formats.get(b, i) ? 1 : 0;
        }
        return equal;
    }

    @Test
    void lengthsAreAllTheLongestOrDrawn() {
        assertArrayEquals(new double[] {9, 9, 9}, only(DataType.I32, new Fill.Lengths(false, 1, 9), 3));
        double[] drawn = only(DataType.I32, new Fill.Lengths(true, 1, 9), 2000);
        assertEquals(9, Arrays.stream(drawn).distinct().count());
        assertEquals(1, Arrays.stream(drawn).min().orElseThrow());
        assertEquals(9, Arrays.stream(drawn).max().orElseThrow());
    }

    @Test
    void zerosEverywhereAreRefused() {
        HandMade made = new HandMade("copy").input("x", DataType.F32, new Fill.Constant(0), 4);
        assertTrue(refusal(made.build()).startsWith("buffers.x: every floating-point input is filled with zeros"));
        made.input("y", DataType.F32, 4);
        assertArrayEquals(new double[4], Formats.read(fill(made.build(), 1).get("x")));
    }

    @Test
    void aConfinedArenaIsRefused() {
        Instance instance = new HandMade("copy").input("x", DataType.F32, 4).build();
        try (Arena confined = Arena.ofConfined()) {
            assertTrue(String.valueOf(
                            assertThrows(IllegalArgumentException.class, () -> Filler.fill(instance, 1, confined))
                                    .getMessage())
                    .startsWith("Filler.fill got a confined arena"));
        }
    }

    // ---- pages ----

    private static Buffer pool(DataType type, Optional<String> scale, long pages) {
        return new Buffer(
                "kv",
                type,
                Shape.of(pages, 2, 4, 3, 8),
                Buffer.Role.INPUT,
                Optional.of(new Fill.Normal(0, 1)),
                scale,
                Optional.of(new Buffer.Paging("table", 0, 2)),
                OptionalDouble.of(Double.NaN),
                Optional.empty());
    }

    private static Buffer table(boolean random) {
        return new Buffer(
                "table",
                DataType.I32,
                Shape.of(5, 6),
                Buffer.Role.INPUT,
                Optional.of(new Fill.PageTable("lens", 4, random)),
                Optional.empty(),
                Optional.empty(),
                OptionalDouble.of(UNUSED_ENTRY),
                Optional.empty());
    }

    private static Instance paged(boolean random, DataType type, long pages) {
        HandMade made = new HandMade("attention")
                .add(pool(type, type == DataType.E4M3 ? Optional.of("ks") : Optional.empty(), pages))
                .add(table(random))
                .input("lens", DataType.I32, new Fill.Lengths(true, 0, 23), 5);
        if (type == DataType.E4M3) {
            made.input("ks", DataType.F32, new Fill.AmaxOf("kv", 448, List.of(3)), 3);
        }
        return made.build();
    }

    @Test
    void noPageIsUsedTwiceAndTheRestOfTheTableIsMarked() {
        Inputs inputs = fill(paged(true, DataType.F16, 40), 3);
        double[] lens = Formats.read(inputs.get("lens"));
        Set<Double> seen = new HashSet<>();
        int inOrder = 0;
        for (int s = 0; s < 5; s++) {
            int pages = (int) Math.ceil(lens[s] / 4);
            for (int p = 0; p < 6; p++) {
                double entry = Formats.get(inputs.get("table"), s * 6L + p);
                if (p < pages) {
                    assertTrue(entry >= 0 && entry < 40, "entry " + entry);
                    inOrder += entry == seen.size() ? 1 : 0;
                    assertTrue(seen.add(entry), "page " + entry + " used twice");
                } else {
                    assertEquals(UNUSED_ENTRY, entry);
                }
            }
        }
        assertTrue(seen.size() > 5 && inOrder < seen.size() / 2, inOrder + " of " + seen.size() + " in order");
    }

    @Test
    void pagesInOrderCountUp() {
        Inputs inputs = fill(paged(false, DataType.F16, 40), 3);
        double[] used = Arrays.stream(Formats.read(inputs.get("table")))
                .filter(e -> e != UNUSED_ENTRY)
                .toArray();
        assertTrue(used.length > 5);
        for (int i = 0; i < used.length; i++) {
            assertEquals(i, used[i]);
        }
    }

    @ParameterizedTest
    @CsvSource({"F16", "E4M3"})
    void exactlyTheUnusedSlotsHoldTheSentinel(DataType type) {
        Inputs inputs = fill(paged(true, type, 40), 3);
        double[] lens = Formats.read(inputs.get("lens"));
        boolean[] used = new boolean[40 * 4];
        for (int s = 0; s < 5; s++) {
            for (int t = 0; t < lens[s]; t++) {
                int page = (int) Formats.get(inputs.get("table"), s * 6L + t / 4);
                used[page * 4 + t % 4] = true;
            }
        }
        Tensor kv = inputs.get("kv");
        int numbers = 0;
        for (long i = 0; i < kv.shape().elements(); i++) {
            List<Long> at = kv.shape().index(i);
            boolean isUsed = used[(int) (at.get(0) * 4 + at.get(2))];
            assertEquals(isUsed, !Double.isNaN(Formats.get(kv, i)), "kv" + at);
            numbers += isUsed ? 1 : 0;
        }
        assertEquals(Arrays.stream(lens).sum() * 2 * 3 * 8, numbers);
    }

    @Test
    void scalesBringTheLargestMagnitudeToTheGivenOne() {
        Inputs inputs = fill(paged(true, DataType.E4M3, 40), 3);
        Inputs reals = fill(paged(true, DataType.F32, 40), 3);
        double[] amax = new double[3];
        double[] stored = new double[3];
        Tensor kv = inputs.get("kv");
        for (long i = 0; i < kv.shape().elements(); i++) {
            int head = (int) (i / 8 % 3);
            double real = Formats.get(reals.get("kv"), i);
            if (!Double.isNaN(real)) {
                double scale = Formats.get(inputs.get("ks"), head);
                amax[head] = Math.max(amax[head], Math.abs(real));
                stored[head] = Math.max(stored[head], Math.abs(Formats.get(kv, i)));
                // Half a step of e4m3 is 1/16 of the value, or 2^-10 below 2^-6.
                assertEquals(real, Formats.get(kv, i) * scale, Math.abs(real) / 16 + scale * 0x1p-10);
            }
        }
        for (int head = 0; head < 3; head++) {
            assertEquals(448, stored[head]);
            assertEquals((float) (amax[head] / 448), Formats.get(inputs.get("ks"), head), 1e-9);
        }
        assertFalse(amax[0] == amax[1]);
    }

    /** Blocks of two columns: amax of rows (1, 2 | 3, 4) and (5, 6 | 7, 8). */
    @Test
    void scalesMayRunOverBlocks() {
        Instance instance = new HandMade("copy")
                .add(new Buffer(
                        "x",
                        DataType.F32,
                        Shape.of(2, 4),
                        Buffer.Role.INPUT,
                        Optional.of(new Fill.Iota(1, 1)),
                        Optional.of("s"),
                        Optional.empty(),
                        OptionalDouble.empty(),
                        Optional.empty()))
                .input("s", DataType.F32, new Fill.AmaxOf("x", 2, List.of(0, 1)), 2, 2)
                .build();
        Inputs inputs = fill(instance, 1);
        assertArrayEquals(new double[] {1, 2, 3, 4}, Formats.read(inputs.get("s")));
        assertArrayEquals(
                new double[] {1, 2, 1.5, 2, (float) (5 / 3.0), 2, 1.75, 2}, Formats.read(inputs.get("x")), 1e-7);
    }

    /** Whole numbers that a scale makes reals of: the largest of 1 to 8 becomes 4, halves go to the even neighbour. */
    @ParameterizedTest
    @CsvSource({
        "I8, 1, 4, '0, 1, 2, 2, 2, 3, 4, 4'",
        "U8, 2, 4, '0x98, 0xaa, 0xba, 0xcc'",
        "I8, 1, 0, '1, 2, 3, 4, 5, 6, 7, 8'"
    })
    void wholeNumbersMayHoldReals(DataType type, int packed, double max, String stored) {
        Instance instance = new HandMade("copy")
                .add(new Buffer(
                        "x",
                        type,
                        Shape.of(8 / packed),
                        Buffer.Role.INPUT,
                        Optional.of(new Fill.Iota(1, 1)),
                        Optional.of("s"),
                        Optional.empty(),
                        OptionalDouble.empty(),
                        Optional.empty(),
                        packed,
                        true))
                .input("s", DataType.F32, new Fill.AmaxOf("x", max, List.of(0)), 1)
                .build();
        Inputs inputs = fill(instance, 1);
        assertArrayEquals(new double[] {max == 0 ? 1 : 2}, Formats.read(inputs.get("s")));
        assertArrayEquals(
                Arrays.stream(stored.split(", ")).mapToDouble(Integer::decode).toArray(),
                Formats.read(inputs.get("x")));
    }

    @Test
    void aPoolThatIsTooSmallIsNamed() {
        String message = refusal(paged(true, DataType.F16, 3));
        assertTrue(
                message.matches("buffers.table: the sequences need \\d+ pages, but the pool has 3;"
                        + " give the pool more pages or shorten 'lens'"),
                message);
    }

    @Test
    void lengthsBeyondTheTableAreNamed() {
        Instance instance = new HandMade("attention")
                .add(table(true))
                .input("lens", DataType.I32, new Fill.Constant(25), 5)
                .build();
        assertEquals(
                "buffers.table: lens[0] is 25, which takes 7 pages of 4 tokens, but the table has 6 entries for a"
                        + " sequence",
                refusal(instance));
    }

    @Test
    void fillsThatNeedEachOtherAreNamed() {
        Instance instance = new HandMade("attention")
                .input("a", DataType.I32, new Fill.PageTable("b", 4, true), 2, 2)
                .input("b", DataType.I32, new Fill.PageTable("a", 4, true), 2, 2)
                .build();
        assertEquals("buffers.a: its fill depends on itself", refusal(instance));
    }
}
