package dev.panamark.ptx.runtime;

import dev.panamark.ptx.Extent;
import dev.panamark.ptx.KernelFault;
import dev.panamark.ptx.check.BlockChecker;
import dev.panamark.ptx.ir.BlockValue;
import dev.panamark.ptx.ir.Site;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A block of threads. It can be left and gone on with; one thread at a time. */
@SuppressWarnings("EnumOrdinal") // Within one program run, a number says as much as the constant.
final class Block {
    /** Instructions after which another warp has its turn, so that none waits for ever for what a later one does. */
    private static final long TURN = 100_000;

    /** Turns after which all who wait for mbarriers that nothing happens to are taken to do so for ever. */
    private static final int PATIENCE = 2_000;

    /**
     * Instructions of a warp without a pause after which its lanes are taken to wait for what those do that wait to meet
     * them; and what a sleep counts as.
     */
    private static final long SPIN = 1_000_000;

    private static final long SLEEP = 500;

    final Grid grid;
    final Program program;
    final SegmentCounts counters;
    final int[] shared;
    final int[] values = new int[BlockValue.values().length];
    final long[] bounds;
    final Barriers barriers;
    final Tensors tensors;
    final Mbarriers mbarriers = new Mbarriers();

    /** Null where no faults are looked for. */
    final @Nullable BlockChecker checker;

    long fuel;

    private final Warp[] warps;
    private int live;
    private long spent;
    private long unreported;
    private long turnStart;
    private boolean yielded;
    private boolean paused;
    private long seen;
    private Extent at = new Extent(0, 0, 0);

    Block(Grid grid, SegmentCounts counters) {
        this.grid = grid;
        this.program = grid.program;
        this.counters = counters;
        shared = new int[(grid.sharedBytes + 3) / 4];
        bounds = new long[Memory.BOUNDS * program.code.sites().size()];
        // No allocation is there, so that the first access of each instruction looks its own up.
        for (int i = 0; i < bounds.length; i += 2) {
            bounds[i] = Long.MIN_VALUE;
        }
        checker = grid.checks == null
                ? null
                : new BlockChecker(grid.checks, grid.threads, 4 * shared.length, counters.scratch());
        barriers = new Barriers(this);
        tensors = new Tensors(counters, grid.vectors);
        warps = new Warp[(int) ((grid.threads.count() + 31) / 32)];
        for (int i = 0; i < warps.length; i++) {
            warps[i] = new Warp(this, i, (int) Math.min(32, grid.threads.count() - 32L * i));
        }
        set(BlockValue.GRID_X, grid.blocks.x());
        set(BlockValue.GRID_Y, grid.blocks.y());
        set(BlockValue.GRID_Z, grid.blocks.z());
        set(BlockValue.THREADS_X, grid.threads.x());
        set(BlockValue.THREADS_Y, grid.threads.y());
        set(BlockValue.THREADS_Z, grid.threads.z());
        set(BlockValue.WARPS, warps.length);
        set(BlockValue.DYNAMIC_SHARED, grid.dynamicShared);
        set(BlockValue.DYNAMIC_SHARED_BYTES, grid.sharedBytes - grid.dynamicShared);
        set(BlockValue.TOTAL_SHARED_BYTES, grid.sharedBytes);
        set(BlockValue.WORKSPACE_HIGH, (int) (grid.workspace >>> 32));
        set(BlockValue.WORKSPACE_LOW, (int) grid.workspace);
        set(BlockValue.SMS, grid.units);
    }

    private void set(BlockValue value, int to) {
        values[value.ordinal()] = to;
    }

    /** Begins with the block of that number. */
    void start(long linear) {
        int x = grid.blocks.x();
        int y = grid.blocks.y();
        at = new Extent((int) (linear % x), (int) (linear / x % y), (int) (linear / x / y));
        set(BlockValue.BLOCK_X, at.x());
        set(BlockValue.BLOCK_Y, at.y());
        set(BlockValue.BLOCK_Z, at.z());
        set(BlockValue.SM, (int) (linear % grid.units));
        Arrays.fill(shared, 0);
        if (checker != null) {
            checker.start(at, linear == grid.blocks.count() - 1);
        }
        mbarriers.clear();
        seen = 0;
        live = (int) grid.threads.count();
        for (Warp warp : warps) {
            warp.restart();
        }
    }

    /** Threads that have not ended. */
    int live() {
        return live;
    }

    void ended(int threads) {
        live -= threads;
    }

    long clock() {
        return spent + (turnStart - fuel);
    }

    /** Lets others have their turn. */
    void giveWay() {
        yielded = true;
        fuel = Math.min(fuel, 0);
    }

    /** Ends the turn of a warp that waits in vain; what it did not use of it counts for nothing. */
    void pause() {
        paused = true;
        turnStart -= fuel;
        fuel = 0;
    }

    boolean paused() {
        return paused;
    }

    /**
     * Runs for about {@code quantum} instructions.
     *
     * @return whether the block has ended
     */
    boolean run(long quantum) {
        long end = spent + quantum;
        yielded = false;
        while (true) {
            boolean moved = false;
            boolean done = true;
            for (Warp warp : warps) {
                if (warp.done()) {
                    continue;
                }
                done = false;
                moved |= turn(warp);
            }
            if (done) {
                for (Warp warp : warps) {
                    warp.settle();
                }
                report();
                return true;
            }
            if (!moved || waitForEver()) {
                if (!releaseParked()) {
                    throw deadlock();
                }
            }
            if (spent > end || yielded) {
                return false;
            }
        }
    }

    /** Whether any lanes go on that only wait to meet others. */
    private boolean releaseParked() {
        boolean any = false;
        for (Warp warp : warps) {
            any |= warp.releaseParked();
        }
        return any;
    }

    private boolean turn(Warp warp) {
        Fragment first = warp.runnable();
        if (first == null) {
            return false;
        }
        fuel = TURN;
        turnStart = TURN;
        paused = false;
        warp.run(first);
        warp.waits = paused ? warp.waits + 1 : yielded ? warp.waits : 0;
        long used = turnStart - fuel;
        spent += used;
        warp.busy = warp.runnable() == null ? 0 : warp.busy + used + (yielded ? SLEEP : 0);
        if (warp.busy > SPIN) {
            warp.busy = 0;
            warp.releaseParked();
        }
        turnStart = 0;
        fuel = 0;
        unreported += used;
        if (unreported > TURN) {
            report();
        }
        return true;
    }

    private boolean waitForEver() {
        if (mbarriers.changes() != seen) {
            seen = mbarriers.changes();
            for (Warp warp : warps) {
                warp.waits = 0;
            }
        }
        boolean waits = false;
        for (Warp warp : warps) {
            if (warp.waits >= PATIENCE) {
                waits = true;
            } else if (warp.runnable() != null) {
                return false;
            }
        }
        return waits;
    }

    private void report() {
        grid.spend(unreported);
        unreported = 0;
    }

    private KernelFault deadlock() {
        Map<String, List<String>> waiting = new LinkedHashMap<>();
        KernelFault.Place place = null;
        for (Warp warp : warps) {
            for (Fragment fragment : warp.leaves) {
                Site site = warp.blocker(fragment);
                waiting.computeIfAbsent(site.name() + " at " + site.where(), key -> new ArrayList<>())
                        .add("warp " + warp.index
                                + (fragment.mask == warp.live ? "" : " lanes 0x" + Integer.toHexString(fragment.mask)));
                if (place == null) {
                    place = place(site, warp, Integer.numberOfTrailingZeros(fragment.mask), null);
                }
            }
        }
        StringBuilder text = new StringBuilder();
        waiting.forEach((where, who) -> text.append(text.isEmpty() ? "" : "; ")
                .append(String.join(", ", who.size() > 8 ? who.subList(0, 8) : who))
                .append(who.size() > 8 ? " and " + (who.size() - 8) + " more" : "")
                .append(" in ")
                .append(where));
        return new KernelFault(
                KernelFault.Kind.DEADLOCK,
                "kernel " + program.code.name() + ", block " + at + ": deadlock, all threads wait: " + text
                        + "; expected every thread to come to the same barrier, and at an mbarrier as many arrivals as it"
                        + " was made for",
                place);
    }

    KernelFault fault(KernelFault.Kind kind, int site, Warp warp, int lane, String message, @Nullable Long address) {
        Site where = program.code.sites().get(site);
        KernelFault.Place place = place(where, warp, lane, address);
        return new KernelFault(
                kind,
                "kernel " + program.code.name() + ", " + where.where() + ", " + where.name() + ", block " + at
                        + ", thread " + place.thread() + ": " + message,
                place);
    }

    private KernelFault.Place place(Site site, Warp warp, int lane, @Nullable Long address) {
        return new KernelFault.Place(
                program.code.name(),
                site.at().line(),
                site.source() == null ? null : site.source().toString(),
                at,
                new Extent(warp.threads[lane], warp.threads[32 + lane], warp.threads[64 + lane]),
                address);
    }
}
