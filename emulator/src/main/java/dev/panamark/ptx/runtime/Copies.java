package dev.panamark.ptx.runtime;

import dev.panamark.ptx.KernelFault;
import dev.panamark.ptx.check.BlockChecker;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Asynchronous copies from global to shared memory that the lanes of a warp have begun. They are done as late as PTX
 * allows, when their lane waits for them or ends, in the order in which they began, so that a kernel that forgets to wait
 * reads what was there before.
 */
public final class Copies {
    private static final int WORD = 4;

    private final @Nullable Lane[] lanes = new Lane[32];

    /** Copies of one lane from {@code first} to {@code next}. */
    private static final class Lane {
        /** Those that were begun before the one at 0. */
        long before;

        int first;
        int next;
        long[] sources = new long[16];
        int[] targets = new int[16];
        int[] sizes = new int[16];
        int[] bytes = new int[16];

        /** Ends of the groups that were committed and not waited for. */
        final ArrayDeque<Integer> groups = new ArrayDeque<>();

        void add(long source, int target, int size, int all) {
            if (next == sources.length) {
                makeRoom();
            }
            sources[next] = source;
            targets[next] = target;
            sizes[next] = size;
            bytes[next] = all;
            next++;
        }

        private void makeRoom() {
            int size = 2 * sources.length;
            sources = Arrays.copyOf(sources, size);
            targets = Arrays.copyOf(targets, size);
            sizes = Arrays.copyOf(sizes, size);
            bytes = Arrays.copyOf(bytes, size);
        }

        void run(Warp warp, int lane, int end) {
            BlockChecker checker = warp.checker();
            for (; first < end; first++) {
                copy(warp, sources[first], targets[first], sizes[first], bytes[first]);
                if (checker != null) {
                    checker.copyEnds(warp.index, lane, targets[first], bytes[first]);
                }
            }
            if (first == next && groups.isEmpty()) {
                before += next;
                first = 0;
                next = 0;
            }
        }
    }

    /**
     * Begins a copy.
     *
     * @param target in shared memory
     * @param bytes written, a multiple of 4
     * @param size bytes read; those beyond are written as 0
     */
    public static void begin(Warp warp, int lane, int site, int target, long source, int bytes, int size) {
        if (size < 0 || size > bytes) {
            throw warp.undefined(
                    site,
                    lane,
                    "a source of " + Integer.toUnsignedString(size) + " bytes for a copy of " + bytes
                            + "; expected 0 to " + bytes);
        }
        Memory.shared(warp, lane, site, target, bytes);
        if (size == bytes) {
            Memory.global(warp, lane, site, source, bytes);
        } else if ((source & (bytes - 1)) != 0) {
            throw warp.fault(KernelFault.Kind.MISALIGNED, site, lane, "global", source, bytes, "");
        } else if (size > 0) {
            part(warp, lane, site, source, size);
        }
        BlockChecker checker = warp.checker();
        if (checker != null) {
            checker.copyReads(warp.index, lane, site, source, size);
        }
        Lane own = warp.copies.lanes[lane];
        if (own == null) {
            own = new Lane();
            warp.copies.lanes[lane] = own;
        }
        own.add(source, target, size, bytes);
    }

    /** Fewer bytes than the instruction's bounds are for. */
    private static void part(Warp warp, int lane, int site, long source, int size) {
        long[] allocation = warp.memory.allocation(source);
        if (allocation.length != 2 || source > allocation[1] - size) {
            throw warp.fault(
                    KernelFault.Kind.OUT_OF_BOUNDS,
                    site,
                    lane,
                    "global",
                    source,
                    size,
                    allocation.length == 2
                            ? "it begins at " + warp.memory.within(source)
                            : warp.memory.neighbours(source));
        }
    }

    void commit(int lane) {
        Lane own = lanes[lane];
        if (own == null) {
            own = new Lane();
            lanes[lane] = own;
        }
        own.groups.add(own.next);
    }

    /** Does all committed groups but the {@code pending} latest. */
    void await(Warp warp, int lane, long pending) {
        Lane own = lanes[lane];
        while (own != null && own.groups.size() > pending) {
            int end = own.groups.remove();
            own.run(warp, lane, end);
        }
    }

    /** How many a lane has begun. */
    long begun(int lane) {
        Lane own = lanes[lane];
        return own == null ? 0 : own.before + own.next;
    }

    /** Does those of a lane that are not done, up to as many as it had begun. */
    void run(Warp warp, int lane, long begun) {
        Lane own = lanes[lane];
        if (own != null) {
            own.run(warp, lane, (int) Math.max(0, begun - own.before));
        }
    }

    /** Does all copies of these lanes, committed or not. */
    void finish(Warp warp, int mask) {
        for (int rest = mask; rest != 0; rest &= rest - 1) {
            int lane = Integer.numberOfTrailingZeros(rest);
            Lane own = lanes[lane];
            if (own != null) {
                own.groups.clear();
                own.run(warp, lane, own.next);
            }
        }
    }

    /** Forgets all. */
    void clear() {
        for (Lane own : lanes) {
            if (own != null) {
                own.groups.clear();
                own.before = 0;
                own.first = 0;
                own.next = 0;
            }
        }
    }

    private static void copy(Warp warp, long source, int target, int size, int bytes) {
        for (int at = 0; at < bytes; at += WORD) {
            int word = 0;
            if (at + WORD <= size) {
                word = Memory.load32(warp.global, source + at);
            } else {
                for (int k = at; k < size; k++) {
                    word |= Memory.load8(warp.global, source + k) << (8 * (k - at));
                }
            }
            warp.shared[(target + at) >> 2] = word;
        }
    }
}
