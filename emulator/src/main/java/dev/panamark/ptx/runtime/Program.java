package dev.panamark.ptx.runtime;

import dev.panamark.ptx.ir.Expr;
import dev.panamark.ptx.ir.KernelCode;
import dev.panamark.ptx.ir.Segment;
import dev.panamark.ptx.ir.Sync;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A kernel's control flow in arrays, for the schedule. */
final class Program {
    static final byte JUMP = 0;
    static final byte BRANCH = 1;
    static final byte TOGETHER = 2;
    static final byte END = 3;

    /** All threads of the block meet and do nothing else. */
    static final byte BARRIER = 4;

    final KernelCode code;
    final byte[] kind;
    final int[] next;
    final int[] fall;
    final int[] meet;
    final int[] cost;

    /** What lanes do together at the end of a segment; null where they do not. */
    final Segment.@Nullable Together[] together;

    /** Of {@link #BARRIER}, its number. */
    final int[] barrier;

    Program(KernelCode code) {
        this.code = code;
        List<Segment> segments = code.segments();
        int n = segments.size();
        kind = new byte[n];
        next = new int[n];
        fall = new int[n];
        meet = new int[n];
        cost = new int[n];
        together = new Segment.Together[n];
        barrier = new int[n];
        for (int i = 0; i < n; i++) {
            Segment segment = segments.get(i);
            cost[i] = Math.max(1, segment.cost());
            switch (segment.exit()) {
                case Segment.Jump jump -> next[i] = jump.next();
                case Segment.Branch branch -> {
                    kind[i] = BRANCH;
                    next[i] = branch.taken();
                    fall[i] = branch.fall();
                    meet[i] = branch.meet();
                }
                case Segment.Together exit -> {
                    int number = plain(exit.sync());
                    kind[i] = number < 0 ? TOGETHER : BARRIER;
                    barrier[i] = number;
                    together[i] = exit;
                    next[i] = exit.next();
                }
                case Segment.End end -> kind[i] = END;
            }
        }
    }

    /** The number of a barrier that is known to be for all threads and to do nothing else; else -1. */
    private static int plain(Sync sync) {
        return sync instanceof Sync.Barrier barrier
                        && barrier.kind() == Sync.BarrierKind.SYNC
                        && barrier.threads() == null
                        && barrier.predicate() == null
                        && barrier.target() == null
                        && barrier.id() instanceof Expr.Const number
                        && number.bits() >= 0
                        && number.bits() < Barriers.COUNT
                ? (int) number.bits()
                : -1;
    }
}
