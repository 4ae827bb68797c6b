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
 * What {@code cuLaunchKernel} costs through the wrappers, beside the same calls made by a loop in C.
 * {@code benchmarks/cuda-launch-cost} runs it on the fake driver.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 6, time = 150, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 20, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
        value = 2,
        jvmArgsAppend = {"--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow", "-Xmx256m"})
public class CudaLaunchCost {
    private static final int CALLS = 1000;

    @SuppressWarnings("NullAway.Init") // JMH calls open() before anything else
    private CudaEmptyKernel kernel;

    /** Loads. */
    @Setup(Level.Trial)
    public void open() {
        kernel = new CudaEmptyKernel();
    }

    /** Unloads. */
    @TearDown(Level.Trial)
    public void close() {
        kernel.close();
    }

    /** A loop in C that calls the driver through a function pointer. */
    @Benchmark
    @OperationsPerInvocation(CALLS)
    public void cLoop() {
        kernel.cLoop.call(kernel.args, kernel.grid, 0, CALLS);
    }

    /** A loop in Java over a prepared launch. */
    @Benchmark
    @OperationsPerInvocation(CALLS)
    public void launch() {
        for (int i = 0; i < CALLS; i++) {
            kernel.launch.launch();
        }
    }

    /** A loop in Java over a launch as rows are measured. */
    @Benchmark
    @OperationsPerInvocation(CALLS)
    public void backend() {
        for (int i = 0; i < CALLS; i++) {
            kernel.backend.run();
        }
    }

    /** Runs all, prints, and judges. */
    public static void main(String[] args) throws RunnerException {
        System.exit(run(System.out));
    }

    private static int run(PrintStream out) throws RunnerException {
        CallCosts costs = CallCosts.run(CudaLaunchCost.class, CallCosts.LAUNCH);
        double c = costs.best("cLoop");
        CallCosts.header(out, "cuLaunchKernel of the fake driver, which does nothing");
        boolean holds = costs.line(out, "cLoop", "C loop over a function pointer", c, false);
        holds &= costs.line(out, "launch", "CudaLaunch.launch", c, true);
        holds &= costs.line(out, "backend", "a launch of the backend cuda", c, true);
        return costs.judged(out, holds);
    }
}
