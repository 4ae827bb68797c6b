package dev.panamark.ptx.compile;

import dev.panamark.ptx.count.Track;
import dev.panamark.ptx.runtime.Executor;
import dev.panamark.ptx.runtime.VectorModule;
import dev.panamark.ptx.runtime.VectorUse;
import dev.panamark.ptx.runtime.Warp;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A kernel in two tiers. All begin lane after lane. One that has executed for a while gets methods with vectors, which a
 * thread of their own makes. They are slow until the JVM has compiled them, so each is tried now and then until it is the
 * faster one; those that are replace the others. Launches ask after every few instructions what to go on with. Threads may
 * use one at the same time.
 */
final class Tiers implements Executor {
    /** Instructions of warps before vectors are thought of: more than a first launch is likely to have. */
    private static final long BEGIN = 6_000_000;

    /** Instructions of warps after which no method is tried any more, beside those of which it is known how fast they are. */
    private static final long TRIED = 1_000_000_000;

    private final Compiler compiler;
    private final Executor first;
    private final AtomicLong instructions = new AtomicLong();
    private volatile Executor now;
    private volatile boolean begun;
    private volatile long end = Long.MAX_VALUE;

    /** What is being tried; null before and after. */
    private volatile @Nullable Trials trials;

    Tiers(Compiler compiler) {
        this.compiler = compiler;
        first = compiler.first();
        now = first;
    }

    @Override
    public int run(int segment, Warp warp, int mask) {
        return now.run(segment, warp, mask);
    }

    @Override
    public Executor after(long executed) {
        long all = instructions.addAndGet(executed);
        if (!begun && all >= BEGIN) {
            begin();
        }
        Trials running = trials;
        if (running != null && (all >= end || running.decided())) {
            settle(running);
        }
        return now;
    }

    @Override
    public List<List<Track>> tracks() {
        return compiler.tracks();
    }

    @Override
    public VectorUse vectors() {
        return VectorUse.WHERE_FASTER;
    }

    private synchronized void begin() {
        if (!begun) {
            begun = true;
            Thread.ofPlatform().daemon().name("emulator-vectors").start(this::compile);
        }
    }

    private void compile() {
        int lanes = VectorModule.lanes();
        Map<Integer, VectorPlan> plans = compiler.plans(lanes);
        if (plans.isEmpty()) {
            return;
        }
        BitSet open = new BitSet();
        plans.keySet().forEach(open::set);
        ClassLoader vectors = compiler.vectors(first, plans, lanes);
        Trials made = new Trials(first, compiler.mixed(vectors, open), vectors, open);
        end = instructions.get() + TRIED;
        trials = made;
        now = made;
    }

    private synchronized void settle(Trials running) {
        if (trials == running) {
            BitSet chosen = running.chosen();
            now = chosen.isEmpty() ? first : compiler.mixed(running.loader(), chosen);
            trials = null;
        }
    }
}
