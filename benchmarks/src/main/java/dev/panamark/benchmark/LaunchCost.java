package dev.panamark.benchmark;

import java.io.PrintStream;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.openjdk.jmh.util.Statistics;

/**
 * What a launch of an empty kernel costs on the host CPU, beside the same calls made by a loop in C.
 *
 * <p>{@code java --enable-native-access=ALL-UNNAMED -cp "benchmarks/target/classes:benchmarks/target/lib/*"
 * dev.panamark.benchmark.LaunchCost} runs it in about a minute, prints a table and ends with 1 when the claim does not
 * hold.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 6, time = 150, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 20, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
        value = 2,
        jvmArgsAppend = {"--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow", "-Xmx256m"})
public class LaunchCost {
    private static final int CALLS = 1000;
    private static final double NANOS_OVER_C = 25;
    // The smallest object takes 16 bytes. The profiler divides what the whole VM allocated, JMH's own work included, by
    // the number of calls, so a little remains where nothing is allocated.
    private static final double NO_BYTES = 1;

    @SuppressWarnings("NullAway.Init") // JMH calls open() before anything else
    private EmptyKernel kernel;

    /** Compiles and loads. */
    @Setup(Level.Trial)
    public void open() {
        kernel = new EmptyKernel();
    }

    /** Unloads. */
    @TearDown(Level.Trial)
    public void close() {
        kernel.close();
    }

    /** A loop in C that calls the kernel through a function pointer. */
    @Benchmark
    @OperationsPerInvocation(CALLS)
    public void cLoop() {
        kernel.cLoop.call(kernel.args, kernel.grid, 0, CALLS);
    }

    /** A loop in Java that calls the kernel through FFM. */
    @Benchmark
    @OperationsPerInvocation(CALLS)
    public void hostFunction() {
        for (int i = 0; i < CALLS; i++) {
            kernel.function.call(kernel.args, kernel.grid, 0, 1);
        }
    }

    /** A loop in Java that launches a grid of one block, as the harness does. */
    @Benchmark
    @OperationsPerInvocation(CALLS)
    public void oneBlock() {
        for (int i = 0; i < CALLS; i++) {
            kernel.bound.launch(EmptyKernel.ONE, EmptyKernel.ONE, 0);
        }
    }

    /** One launch of 1024 blocks on all threads. */
    @Benchmark
    public void manyBlocks() {
        kernel.bound.launch(EmptyKernel.MANY, EmptyKernel.ONE, 0);
    }

    /** Runs all four, prints, and judges. */
    public static void main(String[] args) throws RunnerException {
        System.exit(run(System.out));
    }

    private static int run(PrintStream out) throws RunnerException {
        Collection<RunResult> results = new Runner(new OptionsBuilder()
                        .include(LaunchCost.class.getName() + "\\..*")
                        .addProfiler(GCProfiler.class)
                        .verbosity(VerboseMode.SILENT)
                        .shouldFailOnError(true)
                        .build())
                .run();
        Map<String, RunResult> byName = new LinkedHashMap<>();
        for (RunResult result : results) {
            String name = result.getParams().getBenchmark();
            byName.put(name.substring(name.lastIndexOf('.') + 1), result);
        }
        double c = best(byName, "cLoop");
        out.println(
                "Launch of an empty kernel: iterations of 100 ms, 20 in each of 2 VMs. Other load only ever adds time,");
        out.println("so the best iteration counts.");
        out.printf("%-40s %10s %10s %10s %10s%n", "ns per call", "best", "median", "over C", "B per call");
        boolean holds = true;
        holds &= line(out, byName, "cLoop", "C loop over a function pointer", c, false);
        holds &= line(out, byName, "hostFunction", "HostFunction.call", c, true);
        holds &= line(out, byName, "oneBlock", "Bound.launch, 1 block", c, true);
        holds &= line(out, byName, "manyBlocks", "Bound.launch, 1024 blocks, all threads", c, false);
        out.printf(
                Locale.ROOT,
                "claim: one call costs at most %.0f ns over C, and no launch allocates: %s%n",
                NANOS_OVER_C,
                holds ? "pass" : "FAIL");
        return holds ? 0 : 1;
    }

    /** Prints one line; whether the claim holds for it. */
    private static boolean line(
            PrintStream out, Map<String, RunResult> results, String name, String label, double c, boolean timed) {
        double best = best(results, name);
        double bytes = allocated(results, name);
        Statistics times = get(results, name).getPrimaryResult().getStatistics();
        out.printf(
                Locale.ROOT,
                "%-40s %10.2f %10.2f %10s %10.4f%n",
                label,
                best,
                times.getPercentile(50),
                timed ? String.format(Locale.ROOT, "%.2f", best - c) : "",
                bytes);
        return bytes < NO_BYTES && (!timed || best - c <= NANOS_OVER_C);
    }

    private static double best(Map<String, RunResult> results, String name) {
        return get(results, name).getPrimaryResult().getStatistics().getMin();
    }

    private static double allocated(Map<String, RunResult> results, String name) {
        Result<?> bytes = get(results, name).getSecondaryResults().get("gc.alloc.rate.norm");
        if (bytes == null) {
            throw new IllegalStateException("the profiler of allocations reported nothing for " + name);
        }
        return bytes.getScore();
    }

    private static RunResult get(Map<String, RunResult> results, String name) {
        RunResult result = results.get(name);
        if (result == null) {
            throw new IllegalStateException("no result for " + name);
        }
        return result;
    }
}
