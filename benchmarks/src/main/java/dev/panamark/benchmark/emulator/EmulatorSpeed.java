package dev.panamark.benchmark.emulator;

import dev.panamark.ptx.DeviceMemory;
import dev.panamark.ptx.LaunchOptions;
import dev.panamark.ptx.PtxModule;
import dev.panamark.ptx.check.Check;
import dev.panamark.ptx.check.Checker;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code benchmarks/emulator}: the emulator's speed as ratios, against what was promised. */
@Command(name = "emulator", description = "Measures the emulator beside g++ and PoCL, and beside itself.")
final class EmulatorSpeed implements Callable<Integer> {
    static final int MATRIX = 256;
    static final int LINES = 3_000;

    /** Of a sum of 256 products of numbers below 0.5, in any order. */
    static final double TOLERANCE = 1e-4;

    private static final int HEADS = 2;
    private static final int LENGTH = 256;
    private static final int WIDTH = 64;
    private static final int GATHERED = 1 << 18;
    private static final int TABLE = 1 << 22;
    private static final int ROUNDS = 20;
    private static final double GIB = 1 << 30;

    @Option(names = "--plain", required = true, description = "plain.cpp of g++ -O2.")
    @SuppressWarnings("NullAway.Init") // picocli demands it
    private Path plain;

    @Option(names = "--vector", required = true, description = "plain.cpp of g++ -O2 -march=native.")
    @SuppressWarnings("NullAway.Init") // picocli demands it
    private Path vector;

    @Option(names = "--opencl", description = "opencl.cpp, compiled.")
    private @Nullable Path opencl;

    @Option(names = "--no-opencl", defaultValue = "not given", description = "Why there is none.")
    private String noOpencl = "not given";

    @Option(names = "--seconds", defaultValue = "4", description = "Of each race (default: ${DEFAULT-VALUE}).")
    private double seconds;

    private final PrintStream out = System.out;
    private final List<Claim> claims = new ArrayList<>();

    /** Exits with 0, with 1 when a claim is missed, or with 2 when the command line is wrong. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new EmulatorSpeed()).execute(args));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Peers peers = new Peers(plain, vector, opencl, noOpencl, out);
        PtxModule module = EmulatedKernel.load();
        try (DeviceMemory memory = DeviceMemory.create(1L << 30, Path.of(System.getProperty("java.io.tmpdir")))) {
            EmulatedKernel matmul = matmul(peers, module, memory);
            tensors(matmul, memory);
            attention(peers, module, memory);
            threads(matmul);
            counting(matmul, module, memory);
        }
        starts();
        room();
        claims.forEach(claim -> out.println(claim.line()));
        boolean missed = claims.stream().anyMatch(Claim::missed);
        out.println("Every target that was measured is kept: " + (missed ? "FAIL" : "pass"));
        return missed ? 1 : 0;
    }

    private EmulatedKernel matmul(Peers peers, PtxModule module, DeviceMemory memory) {
        float[] a = Numbers.random(MATRIX * MATRIX, 1);
        float[] b = Numbers.random(MATRIX * MATRIX, 2);
        EmulatedKernel emulator = EmulatedKernel.matmul(module, memory, a, b, MATRIX);
        List<Side> sides = peers.matmul(emulator, a, b, MATRIX);
        double[] expected = Numbers.product(a, b, MATRIX);
        double first = against("matrix product 256 x 256", sides, expected, peers, 2, 0.6);
        claims.addFirst(Claim.atMost(
                "matrix product 256 x 256 by g++ -O2, first target", 4.5, first, "x", "as in the next line"));
        return emulator;
    }

    private void tensors(EmulatedKernel matmul, DeviceMemory memory) {
        float[] a = halves(Numbers.random(MATRIX * MATRIX, 1));
        float[] b = halves(Numbers.random(MATRIX * MATRIX, 2));
        EmulatedKernel tensors = EmulatedKernel.tensors(memory, a, b, MATRIX);
        double[] expected = Numbers.product(a, b, MATRIX);
        List<Side> sides = List.of(matmul, tensors);
        sides.forEach(Side::run);
        Numbers.check(tensors, expected, TOLERANCE);
        Race race = Race.of(sides, 2, seconds, ROUNDS);
        Numbers.check(tensors, expected, TOLERANCE);
        claims.add(Claim.atLeast(
                "matrix product 256 x 256 by that of mma.sync", 1.5, ratio(race, 0, 1), "x", times(race, sides, 0, 1)));
    }

    /** Rounded to f16. */
    private static float[] halves(float[] values) {
        for (int i = 0; i < values.length; i++) {
            values[i] = Float.float16ToFloat(Float.floatToFloat16(values[i]));
        }
        return values;
    }

    private void attention(Peers peers, PtxModule module, DeviceMemory memory) {
        int count = HEADS * LENGTH * WIDTH;
        float[] q = Numbers.random(count, 3);
        float[] k = Numbers.random(count, 4);
        float[] v = Numbers.random(count, 5);
        float scale = 0.125f;
        EmulatedKernel emulator = EmulatedKernel.attention(module, memory, q, k, v, HEADS, LENGTH, WIDTH, scale);
        List<Side> sides = peers.attention(emulator, q, k, v, HEADS, LENGTH, WIDTH, scale);
        double[] expected = Numbers.attention(q, k, v, HEADS, LENGTH, WIDTH, scale);
        against("attention 2 heads, 256 x 64", sides, expected, peers, 4, 1.5);
    }

    /** The ratio to g++ -O2. */
    private double against(
            String what, List<Side> sides, double[] expected, Peers peers, double ofPlain, double ofOpencl) {
        sides.forEach(Side::run);
        sides.forEach(side -> Numbers.check(side, expected, TOLERANCE));
        Race race = Race.of(sides, 2, seconds, ROUNDS);
        sides.forEach(side -> Numbers.check(side, expected, TOLERANCE));
        claims.add(Claim.atMost(what + " by g++ -O2", ofPlain, ratio(race, 0, 1), "x", times(race, sides, 0, 1)));
        claims.add(Claim.stated(what + " by g++ -O2 -march=native", ratio(race, 0, 2), "x", times(race, sides, 0, 2)));
        claims.add(
                peers.hasOpencl()
                        ? Claim.atMost(what + " by PoCL", ofOpencl, ratio(race, 0, 3), "x", times(race, sides, 0, 3))
                        : Claim.skipped(what + " by PoCL", ofOpencl, "x", peers.openclText()));
        return ratio(race, 0, 1);
    }

    private void threads(EmulatedKernel one) {
        if (Runtime.getRuntime().availableProcessors() < 2) {
            claims.add(Claim.skipped("two threads", 1.7, "x", "this machine has one processor"));
            return;
        }
        List<Side> sides =
                List.of(one, one.with("two threads", LaunchOptions.plain().threads(2)));
        Race race = Race.of(sides, 1, seconds, ROUNDS);
        claims.add(Claim.atLeast(
                "one thread by two, matrix product", 1.7, ratio(race, 0, 1), "x", times(race, sides, 0, 1)));
    }

    private void counting(EmulatedKernel matmul, PtxModule module, DeviceMemory memory) {
        LaunchOptions counts = LaunchOptions.plain().counting(true);
        counted("counting by not, matrix product", 1.3, matmul, matmul.with("counting", counts));
        checking(matmul, memory, counts);
        Random random = new Random(6);
        int[] index = new int[GATHERED];
        double[] expected = new double[GATHERED];
        float[] table = Numbers.random(TABLE, 7);
        for (int i = 0; i < GATHERED; i++) {
            index[i] = random.nextInt(TABLE);
            expected[i] = table[index[i]];
        }
        EmulatedKernel gather = EmulatedKernel.gather(module, memory, index, table);
        EmulatedKernel counted = gather.with("counting", counts);
        counted.run();
        Numbers.check(counted, expected, 0);
        counted("counting by not, gather at random from 16 MiB", 3, gather, counted);
    }

    /** Looking for races beside counting; with all other checks too. */
    private void checking(EmulatedKernel matmul, DeviceMemory memory, LaunchOptions counts) {
        Path folder = Path.of(System.getProperty("java.io.tmpdir"));
        try (Checker races = new Checker(memory, EnumSet.of(Check.RACE), folder);
                Checker all = new Checker(memory, EnumSet.allOf(Check.class), folder)) {
            List<Side> sides = List.of(
                    matmul.with("races", LaunchOptions.plain().checker(races)),
                    matmul.with("all checks", LaunchOptions.plain().checker(all)),
                    matmul.with("counting", counts));
            Race race = Race.of(sides, 2, seconds, ROUNDS);
            claims.add(Claim.atMost(
                    "looking for races by counting, matrix product",
                    5,
                    ratio(race, 0, 2),
                    "x",
                    times(race, sides, 0, 2)));
            claims.add(Claim.stated(
                    "looking for all faults by counting, matrix product",
                    ratio(race, 1, 2),
                    "x",
                    times(race, sides, 1, 2)));
            if (!races.findings().isEmpty() || !all.findings().isEmpty()) {
                throw new IllegalStateException("the matrix product has no faults, but found were " + all.findings());
            }
        }
    }

    private void counted(String what, double limit, EmulatedKernel off, EmulatedKernel on) {
        List<Side> sides = List.of(on, off);
        Race race = Race.of(sides, 2, seconds, ROUNDS);
        claims.add(Claim.atMost(what, limit, ratio(race, 0, 1), "x", times(race, sides, 0, 1)));
    }

    private void starts() throws IOException, InterruptedException {
        double[] starts = new double[9];
        for (int i = 0; i < 10; i++) {
            FreshVm.start(i);
        }
        for (int i = 0; i < starts.length; i++) {
            starts[i] = FreshVm.start(100 + i);
        }
        Arrays.sort(starts);
        claims.add(Claim.atMost(
                "first instruction of a kernel of 3,000 lines",
                0.5,
                starts[starts.length / 2],
                "s",
                "median of 9 kernels, after 10 others; from the text on"));
        for (String where : List.of("module", "launch")) {
            double first = Double.POSITIVE_INFINITY;
            double steady = Double.POSITIVE_INFINITY;
            for (int i = 0; i < 5; i++) {
                double[] times = FreshVm.ask(where);
                first = Math.min(first, times[0]);
                steady = Math.min(steady, times[1]);
            }
            double best = first / steady;
            String detail = String.format(
                    Locale.ROOT, "%.1f ms / %.2f ms, each the least of 5 processes", first * 1e3, steady * 1e3);
            claims.add(
                    where.equals("module")
                            ? Claim.atMost("first launch by a steady one, other kernels ran", 25, best, "x", detail)
                            : Claim.stated("first launch by a steady one, nothing ran", best, "x", detail));
        }
    }

    private void room() throws IOException, InterruptedException {
        double[] bytes = FreshVm.ask("memory", Integer.toString(1 << 26));
        claims.add(Claim.atMost(
                "memory of the process",
                (1.2 * bytes[0] + 200e6) / GIB,
                bytes[1] / GIB,
                "GiB",
                String.format(Locale.ROOT, "buffers of %.2f GiB touched; 1.2 times that and 200 MB", bytes[0] / GIB)));
    }

    private static double ratio(Race race, int a, int b) {
        return race.seconds(a) / race.seconds(b);
    }

    private static String times(Race race, List<Side> sides, int a, int b) {
        return String.format(
                Locale.ROOT,
                "%.2f ms %s / %.2f ms %s",
                race.seconds(a) * 1e3,
                sides.get(a).name(),
                race.seconds(b) * 1e3,
                sides.get(b).name());
    }
}
