package dev.panamark.benchmark;

import dev.panamark.device.Device;
import dev.panamark.device.Hold;
import dev.panamark.device.PowerMeter;
import dev.panamark.device.Watch;
import dev.panamark.device.cuda.CudaProvider;
import dev.panamark.device.nvml.NvmlProvider;
import dev.panamark.driver.host.HostFunction;
import dev.panamark.driver.nvml.Nvml;
import dev.panamark.ffi.Availability;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
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
 * What Java adds to a sample of a GPU's energy and to a look at its state, beside the same calls of NVML made by a loop in
 * C. {@code benchmarks/cuda-launch-cost} runs it on the fake driver.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 6, time = 150, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 20, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
        value = 2,
        jvmArgsAppend = {"--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow", "-Xmx256m"})
@SuppressWarnings("NullAway.Init") // JMH calls open() before anything else
public class TelemetryCost {
    private static final int CALLS = 1000;

    /** A sample of one device may cost 5 us more than in C. */
    private static final double SAMPLE = 5000;

    private CompiledC c;
    private HostFunction energyInC;
    private HostFunction stateInC;
    private MemorySegment nothing;
    private List<PowerMeter> meters;
    private PowerMeter counter;
    private Device device;
    private Hold hold;
    private Watch watch;
    private long joules;

    /** Loads. */
    @Setup(Level.Trial)
    public void open() {
        c = CompiledC.of("nvml.c");
        nothing = Arena.ofAuto().allocate(24, 8);
        String file = System.getenv(Nvml.VARIABLE);
        c.open("nvml_open", file, Arena.ofAuto().allocateFrom(file));
        energyInC = c.entry("nvml_energy");
        stateInC = c.entry("nvml_state");
        meters = new NvmlProvider(System.getenv())
                .discover().stream().map(CompiledC::available).toList();
        counter = meters.getFirst();
        device = CompiledC.available(
                        new CudaProvider(System.getenv(), c.folder()).discover().getFirst())
                .open();
        hold = device.hold();
        watch = hold.watch();
    }

    /** Unloads. */
    @TearDown(Level.Trial)
    public void close() {
        if (watch.seen().orElseThrow() instanceof Availability.Unavailable<Watch.Seen> none) {
            throw new IllegalStateException(none.text());
        }
        hold.close();
        device.close();
        meters.forEach(PowerMeter::close);
        c.close();
    }

    /** A loop in C over the energy counter. */
    @Benchmark
    @OperationsPerInvocation(CALLS)
    public void energyInC() {
        energyInC.call(nothing, nothing, 0, CALLS);
    }

    /** A loop in Java over the meter of a row. */
    @Benchmark
    @OperationsPerInvocation(CALLS)
    public long energy() {
        for (int i = 0; i < CALLS; i++) {
            joules += counter.read();
        }
        return joules;
    }

    /** A loop in C over what lowers the clocks, and the temperature. */
    @Benchmark
    @OperationsPerInvocation(CALLS)
    public void stateInC() {
        stateInC.call(nothing, nothing, 0, CALLS);
    }

    /** A loop in Java over looks at the state of a row's GPU. */
    @Benchmark
    @OperationsPerInvocation(CALLS)
    public void state() {
        for (int i = 0; i < CALLS; i++) {
            watch.look();
        }
    }

    /** Runs all, prints, and judges. */
    public static void main(String[] args) throws RunnerException {
        System.exit(run(System.out));
    }

    private static int run(PrintStream out) throws RunnerException {
        CallCosts costs = CallCosts.run(TelemetryCost.class, SAMPLE);
        CallCosts.header(out, "NVML of the fake driver, which computes what it tells");
        double energy = costs.best("energyInC");
        double state = costs.best("stateInC");
        boolean holds = costs.line(out, "energyInC", "C loop over the energy counter", energy, false);
        holds &= costs.line(out, "energy", "a sample of the energy counter", energy, true);
        holds &= costs.line(out, "stateInC", "C loop over the state", state, false);
        holds &= costs.line(out, "state", "a look at the state", state, true);
        return costs.judged(out, holds);
    }
}
