package dev.panamark.ptx.runtime;

import dev.panamark.ptx.ir.KernelCode;
import dev.panamark.ptx.ir.Segment;
import java.util.List;

/** A kernel's control flow in arrays, for the schedule. */
final class Program {
    static final byte JUMP = 0;
    static final byte BRANCH = 1;
    static final byte TOGETHER = 2;
    static final byte END = 3;

    final KernelCode code;
    final byte[] kind;
    final int[] next;
    final int[] fall;
    final int[] meet;
    final int[] cost;

    Program(KernelCode code) {
        this.code = code;
        List<Segment> segments = code.segments();
        int n = segments.size();
        kind = new byte[n];
        next = new int[n];
        fall = new int[n];
        meet = new int[n];
        cost = new int[n];
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
                case Segment.Together together -> {
                    kind[i] = TOGETHER;
                    next[i] = together.next();
                }
                case Segment.End end -> kind[i] = END;
            }
        }
    }
}
