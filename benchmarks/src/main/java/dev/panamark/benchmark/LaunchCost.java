package dev.panamark.benchmark;

import java.io.PrintStream;
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
import org.openjdk.jmh.runner.RunnerException;

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
        CallCosts costs = CallCosts.run(LaunchCost.class, CallCosts.LAUNCH);
        double c = costs.best("cLoop");
        CallCosts.header(out, "Launch of an empty kernel");
        boolean holds = true;
        holds &= costs.line(out, "cLoop", "C loop over a function pointer", c, false);
        holds &= costs.line(out, "hostFunction", "HostFunction.call", c, true);
        holds &= costs.line(out, "oneBlock", "Bound.launch, 1 block", c, true);
        holds &= costs.line(out, "manyBlocks", "Bound.launch, 1024 blocks, all threads", c, false);
        return costs.judged(out, holds);
    }
}
