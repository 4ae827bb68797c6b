package dev.panamark.ptx;

import dev.panamark.ptx.check.Checker;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a launch is run.
 *
 * @param engine the compiler, or the slow interpreter that it is checked against
 * @param counting whether {@link Counts} are taken
 * @param threads of the host at most, at least 1
 * @param instructions warp instructions after which the launch is given up
 * @param time after which it is given up
 * @param blocks linear indices of the blocks to run, x fastest; empty for all
 * @param multiprocessors what {@code %nsmid} says
 * @param pairing whether counting lets the phases of a load of 8 or 16 bytes from shared memory pair up where lanes next
 *     to each other, or two apart, have the same address; published for compute capability 7.0 to 7.5, not verified since
 * @param printing is given what the kernel's threads print, one call of {@code printf} at a time, by any of the host's threads;
 *     null for {@link Counts#printed}
 * @param checker looks for faults, lane after lane and without vectors; null for none. What it does is counted too.
 */
public record LaunchOptions(
        Engine engine,
        boolean counting,
        int threads,
        long instructions,
        Duration time,
        List<Long> blocks,
        int multiprocessors,
        boolean pairing,
        @Nullable Consumer<String> printing,
        @Nullable Checker checker) {
    /** What executes kernels. */
    public enum Engine {
        /** Begins lane after lane; a kernel that runs for long gets vectors where they are faster. */
        COMPILER,
        INTERPRETER,
        /** The compiler with vectors wherever they can be used from the first instruction on, however slow; for tests. */
        VECTORS
    }

    /** The compiler, no counting, one thread, no limits, all blocks, phases pair up. */
    public static LaunchOptions plain() {
        return new LaunchOptions(
                Engine.COMPILER, false, 1, Long.MAX_VALUE, Duration.ofDays(365), List.of(), 132, true, null, null);
    }

    public LaunchOptions {
        if (threads < 1) {
            throw new IllegalArgumentException("threads is " + threads + "; expected at least 1");
        }
        if (multiprocessors < 1) {
            throw new IllegalArgumentException("multiprocessors is " + multiprocessors + "; expected at least 1");
        }
        blocks = List.copyOf(blocks);
    }

    public LaunchOptions engine(Engine other) {
        return new LaunchOptions(
                other, counting, threads, instructions, time, blocks, multiprocessors, pairing, printing, checker);
    }

    public LaunchOptions counting(boolean on) {
        return new LaunchOptions(
                engine, on, threads, instructions, time, blocks, multiprocessors, pairing, printing, checker);
    }

    public LaunchOptions threads(int most) {
        return new LaunchOptions(
                engine, counting, most, instructions, time, blocks, multiprocessors, pairing, printing, checker);
    }

    public LaunchOptions instructions(long most) {
        return new LaunchOptions(
                engine, counting, threads, most, time, blocks, multiprocessors, pairing, printing, checker);
    }

    public LaunchOptions time(Duration most) {
        return new LaunchOptions(
                engine, counting, threads, instructions, most, blocks, multiprocessors, pairing, printing, checker);
    }

    public LaunchOptions blocks(List<Long> only) {
        return new LaunchOptions(
                engine, counting, threads, instructions, time, only, multiprocessors, pairing, printing, checker);
    }

    public LaunchOptions multiprocessors(int count) {
        return new LaunchOptions(
                engine, counting, threads, instructions, time, blocks, count, pairing, printing, checker);
    }

    public LaunchOptions pairing(boolean on) {
        return new LaunchOptions(
                engine, counting, threads, instructions, time, blocks, multiprocessors, on, printing, checker);
    }

    public LaunchOptions printing(Consumer<String> sink) {
        return new LaunchOptions(
                engine, counting, threads, instructions, time, blocks, multiprocessors, pairing, sink, checker);
    }

    public LaunchOptions checker(Checker other) {
        return new LaunchOptions(
                engine, counting, threads, instructions, time, blocks, multiprocessors, pairing, printing, other);
    }
}
