package dev.panamark.ptx.runtime;

import dev.panamark.ptx.check.BlockChecker;
import dev.panamark.ptx.ir.Segment;
import dev.panamark.ptx.ir.Site;
import dev.panamark.ptx.ir.Sync;
import java.util.ArrayList;
import java.util.List;

/** The 16 barriers of a block. */
final class Barriers {
    static final int COUNT = 16;

    private static final class State {
        final List<Fragment> waiters = new ArrayList<>();
        /** 0 for all threads of the block. */
        int expected;

        int arrived;
        int trues;
        int falses;
    }

    private final Block block;
    private final State[] states = new State[COUNT];

    Barriers(Block block) {
        this.block = block;
        for (int i = 0; i < COUNT; i++) {
            states[i] = new State();
        }
    }

    /** Whether a fragment goes on from a barrier for all threads that does nothing else. */
    boolean arrive(Fragment fragment, int id) {
        State state = states[id];
        if (state.arrived > 0 && state.expected != 0) {
            Segment.Together at = fragment.warp.together(fragment.segment);
            return arrive(fragment.warp, fragment, (Sync.Barrier) at.sync(), at);
        }
        state.expected = 0;
        state.arrived += Integer.bitCount(fragment.mask);
        check(fragment.warp, fragment, id);
        if (fragment.mask != fragment.warp.live) {
            block.counters.divergentBarrier();
        }
        fragment.waiting = true;
        state.waiters.add(fragment);
        complete(state, id);
        return !fragment.waiting;
    }

    /** Whether the fragment goes on. */
    boolean arrive(Warp warp, Fragment fragment, Sync.Barrier barrier, Segment.Together at) {
        int first = Integer.numberOfTrailingZeros(fragment.mask);
        int id = (int) Evaluate.bits(barrier.id(), warp, first);
        if (id < 0 || id >= COUNT) {
            throw warp.undefined(at.site(), first, "barrier " + id + "; expected 0 to " + (COUNT - 1));
        }
        State state = states[id];
        int expected = barrier.threads() == null ? 0 : (int) Evaluate.bits(barrier.threads(), warp, first);
        if (expected < 0 || expected % 32 != 0) {
            throw warp.undefined(
                    at.site(), first, expected + " threads at barrier " + id + "; expected a multiple of 32");
        }
        if (state.arrived > 0 && state.expected != expected) {
            throw warp.undefined(
                    at.site(),
                    first,
                    shown(expected) + " at barrier " + id + ", where others wait for " + shown(state.expected)
                            + "; expected the same number");
        }
        state.expected = expected;
        check(warp, fragment, id);
        boolean whole = fragment.mask == warp.live;
        // A count is of whole warps, those of the last one that do not exist too.
        state.arrived += expected != 0 && whole ? 32 : Integer.bitCount(fragment.mask);
        if (!whole) {
            block.counters.divergentBarrier();
        }
        if (barrier.predicate() != null) {
            for (int rest = fragment.mask; rest != 0; rest &= rest - 1) {
                int lane = Integer.numberOfTrailingZeros(rest);
                boolean is = (Evaluate.bits(barrier.predicate(), warp, lane) & 1) != 0;
                if (is != barrier.negated()) {
                    state.trues++;
                } else {
                    state.falses++;
                }
            }
        }
        if (barrier.kind() == Sync.BarrierKind.ARRIVE) {
            fragment.segment = at.next();
        } else {
            fragment.waiting = true;
            state.waiters.add(fragment);
        }
        complete(state, id);
        return !fragment.waiting;
    }

    private static String shown(int expected) {
        return expected == 0 ? "all threads" : expected + " threads";
    }

    /** Threads ended, so that a barrier for all may be complete. */
    void left() {
        for (int id = 0; id < COUNT; id++) {
            State state = states[id];
            if (state.arrived > 0 && state.expected == 0) {
                complete(state, id);
            }
        }
    }

    /** Lets who looks for faults know that lanes come to a barrier. */
    private void check(Warp warp, Fragment fragment, int id) {
        BlockChecker checker = block.checker;
        if (checker == null) {
            return;
        }
        Site site = warp.together(fragment.segment).site();
        boolean aligned = site.name().startsWith("bar.") || site.name().contains(".aligned");
        checker.arrive(id, warp.index, fragment.mask, site, aligned, warp.parted);
    }

    private void complete(State state, int id) {
        int expected = state.expected == 0 ? block.live() : state.expected;
        if (state.arrived < expected) {
            return;
        }
        BlockChecker checker = block.checker;
        if (checker != null) {
            checker.complete(id, state.expected == 0);
            state.waiters.forEach(waiter -> checker.pass(id, waiter.warp.index));
            checker.reset(id);
        }
        for (int i = 0; i < state.waiters.size(); i++) {
            Fragment waiter = state.waiters.get(i);
            Warp warp = waiter.warp;
            Segment.Together at = warp.together(waiter.segment);
            Sync.Barrier barrier = (Sync.Barrier) at.sync();
            if (barrier.target() != null) {
                int result = switch (barrier.kind()) {
                    case POPC -> state.trues;
                    case AND -> state.falses == 0 ? 1 : 0;
                    default -> state.trues > 0 ? 1 : 0;
                };
                for (int rest = waiter.mask; rest != 0; rest &= rest - 1) {
                    Evaluate.set(barrier.target(), warp, Integer.numberOfTrailingZeros(rest), result);
                }
            }
            waiter.waiting = false;
            waiter.segment = at.next();
        }
        state.waiters.clear();
        state.arrived = 0;
        state.expected = 0;
        state.trues = 0;
        state.falses = 0;
    }
}
