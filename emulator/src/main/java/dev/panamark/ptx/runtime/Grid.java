package dev.panamark.ptx.runtime;

import dev.panamark.ptx.Counts;
import dev.panamark.ptx.DeviceMemory;
import dev.panamark.ptx.Extent;
import dev.panamark.ptx.KernelFault;
import dev.panamark.ptx.check.Checker;
import dev.panamark.ptx.check.LaunchChecks;
import dev.panamark.ptx.ir.KernelCode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/** One launch: hands blocks to threads. A block that does not end is left for others and gone on with later. */
public final class Grid {
    private static final long QUANTUM = 2_000_000;

    final Program program;
    private final Executor given;

    final VectorUse vectors;

    /** What blocks are executed by at the moment. */
    volatile Executor executor;

    final Replay replay;
    final DeviceMemory memory;
    final byte[] parameters;
    final long[] variables;
    final Extent blocks;
    final Extent threads;
    final int sharedBytes;
    final int dynamicShared;
    final int units;
    final long workspace;

    final Output output;

    /** Null where no faults are looked for. */
    final @Nullable LaunchChecks checks;

    private final Limits limits;
    private final AtomicLong spent = new AtomicLong();
    private final AtomicLong next = new AtomicLong();
    private final List<SegmentCounts> counted = new ArrayList<>();
    private volatile @Nullable Throwable failure;

    /** Executes one lane of a segment again, to find out what went wrong. */
    public interface Replay {
        void lane(int segment, Warp warp, int lane);
    }

    /**
     * What ends a launch.
     *
     * @param instructions of warps
     * @param deadline in the time of {@link System#nanoTime}
     */
    public record Limits(long instructions, long deadline) {}

    public Grid(
            KernelCode code,
            Executor executor,
            Replay replay,
            DeviceMemory memory,
            long[] variables,
            byte[] parameters,
            Extent blocks,
            Extent threads,
            int dynamicSharedBytes,
            int units,
            long workspace,
            @Nullable Consumer<String> printing,
            @Nullable Checker checker,
            Limits limits) {
        this.program = new Program(code);
        this.given = executor;
        this.vectors = executor.vectors();
        this.executor = executor.after(0);
        this.replay = replay;
        this.memory = memory;
        this.variables = variables;
        this.parameters = parameters;
        this.blocks = blocks;
        this.threads = threads;
        int alignment = code.dynamicAlignment();
        this.dynamicShared = (code.sharedBytes() + alignment - 1) / alignment * alignment;
        this.sharedBytes = dynamicSharedBytes == 0 ? code.sharedBytes() : dynamicShared + dynamicSharedBytes;
        this.units = units;
        this.workspace = workspace;
        this.output = new Output(printing);
        this.checks = checker == null ? null : checker.launch(code, executor.tracks());
        this.limits = limits;
    }

    /**
     * Runs blocks.
     *
     * @param count how many
     * @param number the linear index of the i-th
     * @param pairing see {@link dev.panamark.ptx.LaunchOptions}
     * @throws KernelFault the first fault of any block
     */
    public Counts run(long count, LongUnaryOperator number, int workers, boolean counting, boolean pairing) {
        int threadCount = program.code.oneHostThread() ? 1 : (int) Math.max(1, Math.min(workers, count));
        List<Thread> helpers = new ArrayList<>();
        for (int i = 1; i < threadCount; i++) {
            helpers.add(Thread.ofPlatform()
                    .daemon()
                    .name("emulator-" + i)
                    .start(() -> work(count, number, counting, pairing)));
        }
        work(count, number, counting, pairing);
        boolean interrupted = false;
        for (Thread helper : helpers) {
            while (helper.isAlive()) {
                try {
                    helper.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                    fail(new KernelFault(KernelFault.Kind.DEADLINE, "the launch was interrupted", null));
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        Throwable problem = failure;
        if (problem instanceof RuntimeException e) {
            throw e;
        }
        if (problem instanceof Error e) {
            throw e;
        }
        Counts counts = counting ? Summary.of(program.code, counted) : Counts.NONE;
        return counts.printed(output.text());
    }

    private void work(long count, LongUnaryOperator number, boolean counting, boolean pairing) {
        try {
            SegmentCounts counts = new SegmentCounts(counting, program.code, given.tracks(), pairing);
            synchronized (this) {
                counted.add(counts);
            }
            ArrayDeque<Block> left = new ArrayDeque<>();
            ArrayDeque<Block> idle = new ArrayDeque<>();
            int room = 1;
            int sinceEnd = 0;
            while (failure == null) {
                Block block = null;
                if (left.size() < room) {
                    long index = next.getAndIncrement();
                    if (index < count) {
                        block = idle.isEmpty() ? new Block(this, counts) : idle.poll();
                        block.start(number.applyAsLong(index));
                    }
                }
                if (block == null) {
                    block = left.poll();
                }
                if (block == null) {
                    return;
                }
                if (block.run(QUANTUM)) {
                    idle.add(block);
                    sinceEnd = 0;
                } else {
                    left.add(block);
                    // No block ended in a whole round: perhaps they wait for one that has not begun.
                    if (++sinceEnd > 2 * room) {
                        room *= 2;
                        sinceEnd = 0;
                    }
                }
            }
        } catch (RuntimeException | Error e) {
            fail(e);
        }
    }

    private synchronized void fail(Throwable problem) {
        if (failure == null) {
            failure = problem;
        }
    }

    /** Counts instructions against the limits. */
    void spend(long instructions) {
        executor = given.after(instructions);
        long total = spent.addAndGet(instructions);
        if (total > limits.instructions()) {
            throw new KernelFault(
                    KernelFault.Kind.BUDGET,
                    "kernel " + program.code.name() + " executed more than " + limits.instructions()
                            + " warp instructions; give a larger budget or run fewer blocks",
                    null);
        }
        if (System.nanoTime() - limits.deadline() > 0) {
            throw new KernelFault(
                    KernelFault.Kind.DEADLINE,
                    "kernel " + program.code.name() + " ran into its deadline after " + total
                            + " warp instructions; give more time or run fewer blocks",
                    null);
        }
        if (failure != null) {
            throw new KernelFault(KernelFault.Kind.TRAP, "another block of the launch failed", null);
        }
    }
}
