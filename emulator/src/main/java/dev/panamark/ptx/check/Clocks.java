package dev.panamark.ptx.check;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What happened before what in one block, by vector clocks of its warps (Lamport 1978, Mattern 1989): the time is a number that
 * grows with everything that lets others go on, and a warp knows of each other one up to which time what that one did comes
 * before what it does itself. Order between lanes of one warp comes from barriers of the warp and of the block alone. What a
 * lane does at a fence, or releases or acquires, counts for all lanes of its warp; threads that have ended count as having come to every barrier of all threads.
 */
final class Clocks {
    private static final int LANES = 32;
    private static final int BARRIERS = 16;

    /** By warp: up to when what another one did comes before; of the warp itself, what its other lanes did. */
    private final int[][] known;

    private final int[] floor;

    /** By warp, lane and lane: the same where barriers of some lanes order them; null where there were none. */
    private final int[] @Nullable [][] lanes;

    private final int[][] arrived = new int[BARRIERS][];

    /** What a strong write of a warp hands on: what it knew at its last fence. */
    private final int[] @Nullable [] fenced;

    /** What strong reads of a warp have seen, and its next fence takes over. */
    private final int[] @Nullable [] pending;

    private final Map<Long, int[]> released = new HashMap<>();

    /** By mbarrier: of arrivals of the current phase, and of those up to the one before. */
    private final Map<Integer, int[]> arriving = new HashMap<>();

    private final Map<Integer, int[]> passed = new HashMap<>();
    private int now = 1;
    private int start = 1;

    Clocks(int warps) {
        known = new int[warps][warps];
        floor = new int[warps];
        lanes = new int[warps][][];
        fenced = new int[warps][];
        pending = new int[warps][];
        for (int i = 0; i < BARRIERS; i++) {
            arrived[i] = new int[warps];
        }
    }

    /** Another block begins: all that is noted of the one before comes before, and what is there at its first time too. */
    void start() {
        start = ++now;
        now++;
        for (int[] of : known) {
            Arrays.fill(of, start);
        }
        for (int[] of : arrived) {
            Arrays.fill(of, start);
        }
        Arrays.fill(floor, start);
        Arrays.fill(lanes, null);
        Arrays.fill(fenced, null);
        Arrays.fill(pending, null);
        released.clear();
        arriving.clear();
        passed.clear();
    }

    /** An mbarrier begins anew. */
    void forget(int mbarrier) {
        arriving.remove(mbarrier);
        passed.remove(mbarrier);
    }

    /** A warp arrives at an mbarrier; {@code completes} if that ends its phase. */
    void arriveAt(int warp, int mbarrier, boolean completes) {
        int[] all = arriving.merge(mbarrier, atThisTime(warp), Clocks::joined);
        if (completes) {
            passed.merge(mbarrier, all, Clocks::joined);
            arriving.remove(mbarrier);
        }
    }

    /** A warp saw that a phase of an mbarrier is over. */
    void passFrom(int warp, int mbarrier) {
        int[] seen = passed.get(mbarrier);
        if (seen != null) {
            join(known[warp], seen);
            lowest(warp);
        }
    }

    int now() {
        return now;
    }

    /** The first time of this block, before all that its threads do. */
    int first() {
        return start;
    }

    /** Up to when all that anybody did comes before what the warp does. */
    int floor(int warp) {
        return floor[warp];
    }

    /**
     * Whether what lanes of a warp did comes before what others do now.
     *
     * @param lanesNow of {@code warp}, a bit each; they do it together
     * @param lanesThen of {@code other}
     * @param time at which the last of these did it
     */
    boolean ordered(int warp, int lanesNow, int other, int lanesThen, int time) {
        if (time <= floor[warp] || time <= known[warp][other]) {
            return true;
        }
        if (warp != other) {
            return false;
        }
        int[][] within = lanes[warp];
        for (int rest = lanesNow; rest != 0; rest &= rest - 1) {
            int now = Integer.numberOfTrailingZeros(rest);
            for (int left = lanesThen & ~(1 << now); left != 0; left &= left - 1) {
                if (within == null || time > within[now][Integer.numberOfTrailingZeros(left)]) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Lanes of a warp meet. */
    void meet(int warp, int mask, int live) {
        if ((live & ~mask) == 0) {
            known[warp][warp] = now++;
            lowest(warp);
            return;
        }
        int[][] within = lanes[warp];
        if (within == null) {
            within = new int[LANES][LANES];
            for (int[] of : within) {
                Arrays.fill(of, known[warp][warp]);
            }
            lanes[warp] = within;
        }
        int[] together = new int[LANES];
        for (int rest = mask; rest != 0; rest &= rest - 1) {
            int lane = Integer.numberOfTrailingZeros(rest);
            join(together, within[lane]);
            together[lane] = now;
        }
        for (int rest = mask; rest != 0; rest &= rest - 1) {
            within[Integer.numberOfTrailingZeros(rest)] = together.clone();
        }
        now++;
    }

    /** A warp, or some of its lanes, comes to a barrier of the block. */
    void arrive(int barrier, int warp) {
        join(arrived[barrier], known[warp]);
        arrived[barrier][warp] = now++;
    }

    /** All threads of the block are there or have ended: all that anybody did comes before what comes now. */
    void complete(int barrier) {
        Arrays.fill(arrived[barrier], now++);
    }

    /** A warp goes on from a barrier that is complete. */
    void pass(int barrier, int warp) {
        join(known[warp], arrived[barrier]);
        lowest(warp);
    }

    /** The next use of the barrier begins. */
    void reset(int barrier) {
        Arrays.fill(arrived[barrier], start);
    }

    /** A warp hands on from here what it knows, and takes over what its strong reads have seen. */
    void fence(int warp) {
        int[] seen = pending[warp];
        if (seen != null) {
            join(known[warp], seen);
            lowest(warp);
            pending[warp] = null;
        }
        fenced[warp] = atThisTime(warp);
    }

    private int[] atThisTime(int warp) {
        int[] copy = known[warp].clone();
        copy[warp] = now++;
        return copy;
    }

    /** A strong write: who reads it and then has a fence knows what this warp knew at its last fence, or now if it releases. */
    void write(int warp, long address, boolean releases) {
        int[] handed = releases ? atThisTime(warp) : fenced[warp];
        if (handed != null) {
            released.merge(address, handed, Clocks::joined);
        }
    }

    /** A strong read; one that acquires needs no fence. */
    void read(int warp, long address, boolean acquires) {
        int[] seen = released.get(address);
        if (seen == null) {
            return;
        }
        if (acquires) {
            join(known[warp], seen);
            lowest(warp);
        } else {
            int[] before = pending[warp];
            pending[warp] = before == null ? seen.clone() : joined(before, seen);
        }
    }

    private void lowest(int warp) {
        int least = Integer.MAX_VALUE;
        for (int time : known[warp]) {
            least = Math.min(least, time);
        }
        floor[warp] = least;
    }

    private static void join(int[] into, int[] other) {
        for (int i = 0; i < into.length; i++) {
            into[i] = Math.max(into[i], other[i]);
        }
    }

    private static int[] joined(int[] one, int[] other) {
        int[] all = one.clone();
        join(all, other);
        return all;
    }
}
