package dev.panamark.ptx.runtime;

import dev.panamark.ptx.ir.AtomicKind;
import dev.panamark.ptx.ir.Expr;
import dev.panamark.ptx.ir.Register;
import dev.panamark.ptx.ir.Segment;
import dev.panamark.ptx.ir.Sync;
import dev.panamark.ptx.ir.Type;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the lanes of a warp do together. A lane waits until all that its mask names and that have not ended are there
 * with the same mask; those of other fragments at the same instruction take part.
 */
final class Together {
    private static final Expr ALL = Expr.Const.of(-1);

    private Together() {}

    /** Whether the fragment goes on; its segment is then the next one. Else it waits. */
    static boolean arrive(Warp warp, Block block, Fragment fragment, Segment.Together at) {
        return switch (at.sync()) {
            case Sync.Sleep ignored -> {
                fragment.segment = at.next();
                block.giveWay();
                yield true;
            }
            case Sync.ActiveMask active -> {
                each(fragment.mask, lane -> Evaluate.set(active.target(), warp, lane, fragment.mask));
                fragment.segment = at.next();
                yield true;
            }
            case Sync.Barrier barrier -> block.barriers.arrive(warp, fragment, barrier, at);
            case Sync.Tensor tensor
            when fragment.mask == -1 -> {
                block.tensors.execute(warp, at.site(), tensor);
                fragment.segment = at.next();
                yield true;
            }
            default -> {
                check(warp, fragment, at);
                fragment.waiting = true;
                release(warp, block, fragment);
                yield !fragment.waiting;
            }
        };
    }

    /** Lanes of a warp ended: those that waited for them may go on. */
    static void left(Warp warp, Block block) {
        block.barriers.left();
        for (Fragment fragment : List.copyOf(warp.leaves)) {
            if (fragment.waiting && isWarpWide(warp.together(fragment.segment).sync())) {
                release(warp, block, fragment);
            }
        }
    }

    private static boolean isWarpWide(Sync sync) {
        return !(sync instanceof Sync.Barrier);
    }

    /**
     * Lets those go on that wait with the fragment and are complete: the lanes that name the same lanes execute on
     * their own, once all of these that have not ended are there.
     */
    private static void release(Warp warp, Block block, Fragment fragment) {
        Segment.Together at = warp.together(fragment.segment);
        List<Fragment> present = new ArrayList<>();
        int lanes = 0;
        int[] members = new int[32];
        for (Fragment other : warp.leaves) {
            if (other.waiting && meets(warp, other, fragment, at)) {
                present.add(other);
                lanes |= other.mask;
                Expr mask = members(warp.together(other.segment).sync());
                each(other.mask, lane -> members[lane] = (int) Evaluate.bits(mask, warp, lane));
            }
        }
        int done = 0;
        int rest = lanes;
        while (rest != 0) {
            int named = members[Integer.numberOfTrailingZeros(rest)];
            int group = 0;
            for (int left = rest; left != 0; left &= left - 1) {
                int lane = Integer.numberOfTrailingZeros(left);
                group |= members[lane] == named ? 1 << lane : 0;
            }
            rest &= ~group;
            if ((named & warp.live & ~group) == 0) {
                done |= group;
                if (!(at.sync() instanceof Sync.WarpBarrier)) {
                    execute(warp, block, at, group);
                } else if (block.checker != null) {
                    block.checker.meet(warp.index, group, warp.live);
                }
            }
        }
        for (Fragment other : present) {
            int next = warp.together(other.segment).next();
            if ((other.mask & ~done) == 0) {
                other.waiting = false;
                other.segment = next;
            } else if ((other.mask & done) != 0) {
                warp.goAhead(other, other.mask & done, next);
            }
        }
    }

    /** At the same instruction, or at any barrier of the warp for a barrier of the warp. */
    private static boolean meets(Warp warp, Fragment other, Fragment fragment, Segment.Together at) {
        return other.segment == fragment.segment
                || (at.sync() instanceof Sync.WarpBarrier
                        && warp.together(other.segment).sync() instanceof Sync.WarpBarrier);
    }

    /** Which lanes a lane names. */
    private static Expr members(Sync sync) {
        return switch (sync) {
            case Sync.WarpBarrier s -> s.members();
            case Sync.Shuffle s -> s.members();
            case Sync.Vote s -> s.members();
            case Sync.Match s -> s.members();
            case Sync.Reduce s -> s.members();
            case Sync.Elect s -> s.members();
            case Sync.Tensor s -> ALL;
            case Sync.Barrier s -> throw new IllegalStateException("not of a warp: " + s);
            case Sync.ActiveMask s -> throw new IllegalStateException("names no lanes: " + s);
            case Sync.Sleep s -> throw new IllegalStateException("names no lanes: " + s);
        };
    }

    private static void check(Warp warp, Fragment fragment, Segment.Together at) {
        Expr mask = members(at.sync());
        each(fragment.mask, lane -> {
            int members = (int) Evaluate.bits(mask, warp, lane);
            if ((members >>> lane & 1) == 0) {
                throw warp.undefined(
                        at.site(),
                        lane,
                        "lane is not in the mask 0x" + Integer.toHexString(members)
                                + " of its instruction; expected a mask that names every lane that executes it");
            }
        });
    }

    private interface LaneAction {
        void on(int lane);
    }

    private static void each(int mask, LaneAction action) {
        for (int rest = mask; rest != 0; rest &= rest - 1) {
            action.on(Integer.numberOfTrailingZeros(rest));
        }
    }

    private static void execute(Warp warp, Block block, Segment.Together at, int mask) {
        Sync sync = at.sync();
        switch (sync) {
            case Sync.Tensor tensor -> {
                if (mask != -1) {
                    throw warp.undefined(
                            at.site(),
                            Integer.numberOfTrailingZeros(mask),
                            "lanes 0x" + Integer.toHexString(mask) + " execute it; expected all 32 of the warp");
                }
                block.tensors.execute(warp, at.site(), tensor);
            }
            case Sync.Shuffle shuffle -> shuffle(warp, shuffle, mask);
            case Sync.Vote vote -> vote(warp, vote, mask);
            case Sync.Match match -> match(warp, match, mask);
            case Sync.Reduce reduce -> reduce(warp, reduce, mask);
            case Sync.Elect elect -> {
                int leader = Integer.numberOfTrailingZeros(mask);
                each(mask, lane -> {
                    set(elect.leader(), warp, lane, leader);
                    Evaluate.set(elect.elected(), warp, lane, lane == leader ? 1 : 0);
                });
            }
            default -> throw new IllegalStateException("not executed by a warp: " + sync);
        }
    }

    private static void set(@Nullable Register register, Warp warp, int lane, long bits) {
        if (register != null) {
            Evaluate.set(register, warp, lane, bits);
        }
    }

    /** The formulas are those of the PTX ISA, {@code shfl.sync}. */
    private static void shuffle(Warp warp, Sync.Shuffle shuffle, int mask) {
        int[] values = new int[32];
        for (int lane = 0; lane < 32; lane++) {
            values[lane] = (int) Evaluate.bits(shuffle.value(), warp, lane);
        }
        int[] from = new int[32];
        int inRange = 0;
        for (int lane = 0; lane < 32; lane++) {
            int b = (int) Evaluate.bits(shuffle.lane(), warp, lane) & 31;
            int c = (int) Evaluate.bits(shuffle.clamp(), warp, lane);
            int segment = c >> 8 & 31;
            int least = lane & segment;
            int most = least | (c & 31 & ~segment);
            int j = switch (shuffle.mode()) {
                case UP -> lane - b;
                case DOWN -> lane + b;
                case BFLY -> lane ^ b;
                case IDX -> least | (b & ~segment);
            };
            boolean in = shuffle.mode() == Sync.ShuffleMode.UP ? j >= most : j <= most;
            from[lane] = in ? j : lane;
            inRange |= in ? 1 << lane : 0;
        }
        int ranges = inRange;
        each(mask, lane -> {
            set(shuffle.target(), warp, lane, values[from[lane]]);
            set(shuffle.inRange(), warp, lane, ranges >>> lane & 1);
        });
    }

    private static void vote(Warp warp, Sync.Vote vote, int mask) {
        int[] ballot = new int[1];
        each(mask, lane -> {
            boolean is = (Evaluate.bits(vote.predicate(), warp, lane) & 1) != 0;
            ballot[0] |= is != vote.negated() ? 1 << lane : 0;
        });
        int votes = ballot[0];
        int result = switch (vote.mode()) {
            case ALL -> votes == mask ? 1 : 0;
            case ANY -> votes != 0 ? 1 : 0;
            case UNI -> votes == mask || votes == 0 ? 1 : 0;
            case BALLOT -> votes;
        };
        each(mask, lane -> Evaluate.set(vote.target(), warp, lane, result));
    }

    private static void match(Warp warp, Sync.Match match, int mask) {
        long[] values = new long[32];
        each(mask, lane -> values[lane] = Evaluate.bits(match.value(), warp, lane));
        int[] same = new int[32];
        each(mask, lane -> each(mask, other -> same[lane] |= values[other] == values[lane] ? 1 << other : 0));
        each(mask, lane -> {
            boolean all = same[lane] == mask;
            Evaluate.set(match.target(), warp, lane, match.all() && !all ? 0 : same[lane]);
            set(match.same(), warp, lane, all ? 1 : 0);
        });
    }

    private static void reduce(Warp warp, Sync.Reduce reduce, int mask) {
        long[] sum = new long[1];
        boolean[] any = new boolean[1];
        each(mask, lane -> {
            long value = Evaluate.bits(reduce.value(), warp, lane);
            sum[0] = any[0] ? combine(reduce.kind(), reduce.type(), sum[0], value) : value;
            any[0] = true;
        });
        each(mask, lane -> Evaluate.set(reduce.target(), warp, lane, sum[0]));
    }

    private static long combine(AtomicKind kind, Type type, long a, long b) {
        if (type == Type.F32) {
            float x = Float.intBitsToFloat((int) a);
            float y = Float.intBitsToFloat((int) b);
            return Float.floatToRawIntBits(kind == AtomicKind.MIN ? FloatOps.min(x, y) : FloatOps.max(x, y));
        }
        return Atomics.apply(kind, type, a, b, 0);
    }
}
