package dev.panamark.ptx.runtime;

import dev.panamark.ptx.DeviceMemory;
import dev.panamark.ptx.KernelFault;
import dev.panamark.ptx.check.BlockChecker;
import dev.panamark.ptx.count.Track;
import dev.panamark.ptx.ir.Register;
import dev.panamark.ptx.ir.Segment;
import dev.panamark.ptx.ir.Site;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * 32 lanes: their registers, and where they are. Fields are public for compiled code. A register of index i has lane
 * l at {@code 32 * i + l}. One thread at a time.
 */
public final class Warp {
    /** Registers of at most 32 bits. */
    public final int[] words;

    public final long[] longs;

    /** A bit for each lane. */
    public final int[] predicates;

    /** Shared memory of the block. */
    public final int[] shared;

    /** Local memory, lane after lane. */
    public final int[] local;

    public final int localBytes;
    public final byte[] parameters;
    public final MemorySegment global;

    /** Of {@link dev.panamark.ptx.ir.BlockValue} by number. */
    public final int[] values;

    /** Addresses of the module's variables. */
    public final long[] variables;

    /**
     * {@link Memory#BOUNDS} of each instruction: start of the allocation that it used last, and its last place in units of
     * the access; the same for accesses that are checked together, of which it is the first.
     */
    public final long[] bounds;

    /** Coordinates in the block: of x at lane, of y at 32 + lane, of z at 64 + lane. */
    public final int[] threads;

    /** First lanes of the rows, threads that differ in x only, of a warp that is full; 32 at the end. */
    public final int[] rows;

    /** Where counting code notes addresses, of {@link dev.panamark.ptx.count.Track} t and lane l at 32 t + l. */
    public final long[] scratch;

    /**
     * By track of the kernel: of shared memory wavefronts in the upper and the ideal in the lower half, as last counted of all
     * lanes; of global memory the version of the pattern that its addresses have. 0 where that may have changed since.
     */
    public final long[] known;

    /** By track of the kernel: how often what is known of shared memory was so again and is not counted yet. */
    private final long[] times;

    /** By register: 1 where each lane of a row has the place of the word after that of the lane before, -1 where not. */
    public final int[] following;

    /** Where code notes what it stores while faults are looked for, of value v of a segment and lane l at {@code 32 v + l}. */
    public final long[] stored;

    public final int index;

    final DeviceMemory memory;
    private final Block block;
    private final SegmentCounts counters;
    private final Program program;

    private final int allLanes;

    /** Asynchronous copies that its lanes have begun. */
    final Copies copies = new Copies();

    /** Lanes that have not ended. */
    int live;

    /** Turns in a row that ended with waiting in vain for an mbarrier. */
    int waits;

    /** Instructions that it ran in turns at whose end it could still go on, since it last could not. */
    long busy;

    /** Whether lanes that waited to meet others were let go on alone in this block. */
    boolean parted;

    private int pausedSite = -1;

    final List<Fragment> leaves = new ArrayList<>();

    Warp(Block block, int index, int lanes) {
        this.block = block;
        this.counters = block.counters;
        this.program = block.program;
        this.index = index;
        this.live = lanes == 32 ? -1 : (1 << lanes) - 1;
        var registers = program.code.registers();
        words = new int[32 * registers.count(Register.Storage.WORD)];
        longs = new long[32 * registers.count(Register.Storage.LONG)];
        predicates = new int[registers.count(Register.Storage.PREDICATE)];
        shared = block.shared;
        localBytes = program.code.localBytes();
        local = new int[32 * localBytes / 4];
        parameters = block.grid.parameters;
        memory = block.grid.memory;
        global = memory.all();
        values = block.values;
        variables = block.grid.variables;
        bounds = block.bounds;
        scratch = counters.scratch();
        stored = block.checker == null ? new long[0] : block.checker.values();
        following = new int[program.code.registers().all().size()];
        known = new long[counters.tracks()];
        times = new long[known.length];
        threads = new int[96];
        for (int lane = 0; lane < 32; lane++) {
            int linear = 32 * index + lane;
            int x = block.grid.threads.x();
            int y = block.grid.threads.y();
            threads[lane] = linear % x;
            threads[32 + lane] = linear / x % y;
            threads[64 + lane] = linear / x / y;
        }
        allLanes = live;
        rows = rows();
        restart();
    }

    private int[] rows() {
        int[] first = new int[33];
        int count = 0;
        for (int lane = 0; lane < 32; lane++) {
            if (lane == 0
                    || threads[32 + lane] != threads[32 + lane - 1]
                    || threads[64 + lane] != threads[64 + lane - 1]) {
                first[count++] = lane;
            }
        }
        first[count] = 32;
        return Arrays.copyOf(first, count + 1);
    }

    /** Begins anew, for another block. */
    void restart() {
        live = allLanes;
        leaves.clear();
        leaves.add(new Fragment(this, 0, live, -1, null));
        copies.clear();
        waits = 0;
        parted = false;
        busy = 0;
        pausedSite = -1;
        Arrays.fill(local, 0);
        Arrays.fill(following, 0);
        for (Register register : program.code.undefined()) {
            switch (register.storage()) {
                case PREDICATE -> predicates[register.index()] = 0;
                case WORD -> Arrays.fill(words, 32 * register.index(), 32 * register.index() + 32, 0);
                case LONG -> Arrays.fill(longs, 32 * register.index(), 32 * register.index() + 32, 0L);
            }
        }
    }

    /** A count that grows with what the block executes. */
    public long clock() {
        return block.clock();
    }

    boolean done() {
        return leaves.isEmpty();
    }

    /** Whether it can go on; then from {@link #run}. */
    @Nullable
    Fragment runnable() {
        for (int i = leaves.size() - 1; i >= 0; i--) {
            if (!leaves.get(i).waiting) {
                return leaves.get(i);
            }
        }
        return null;
    }

    /** Runs from a fragment on until nothing can go on or the block's fuel is spent. */
    void run(Fragment first) {
        Fragment fragment = first;
        while (fragment != null) {
            fragment = advance(fragment);
            if (block.fuel < 0) {
                if (fragment != null && leaves.remove(fragment)) {
                    // The other lanes come first, which may do what these wait for.
                    if (block.paused()) {
                        fragment.pausedSite = pausedSite;
                    }
                    leaves.addFirst(fragment);
                }
                return;
            }
            if (fragment == null) {
                fragment = runnable();
            }
        }
    }

    /** Runs one fragment until it parts, meets, waits or ends; what to go on with, or null. */
    private @Nullable Fragment advance(Fragment fragment) {
        Program p = program;
        Executor executor = block.grid.executor;
        int segment = fragment.segment;
        int mask = fragment.mask;
        int meet = fragment.meet;
        if (segment == meet) {
            return met(fragment);
        }
        while (true) {
            int cost = p.cost[segment];
            block.fuel -= cost;
            if (block.fuel < 0) {
                fragment.segment = segment;
                return fragment;
            }
            counters.segment(segment, mask);
            int taken = run(executor, segment, mask);
            switch (p.kind[segment]) {
                case Program.JUMP -> segment = p.next[segment];
                case Program.BRANCH -> {
                    if (taken == mask) {
                        segment = p.next[segment];
                    } else if (taken == 0) {
                        segment = p.fall[segment];
                    } else {
                        counters.divergent(segment);
                        return part(fragment, segment, taken);
                    }
                }
                case Program.BARRIER -> {
                    fragment.segment = segment;
                    if (!block.barriers.arrive(fragment, p.barrier[segment])) {
                        return null;
                    }
                    segment = fragment.segment;
                }
                case Program.TOGETHER -> {
                    fragment.segment = segment;
                    if (!Together.arrive(this, block, fragment, together(segment))) {
                        return null;
                    }
                    segment = fragment.segment;
                    mask = fragment.mask;
                }
                default -> {
                    return end(fragment);
                }
            }
            if (segment == meet) {
                return met(fragment);
            }
        }
    }

    Mbarriers mbarriers() {
        return block.mbarriers;
    }

    Output output() {
        return block.grid.output;
    }

    /** An mbarrier is waited for in vain. */
    void pause(int site) {
        pausedSite = site;
        block.pause();
    }

    /** The instruction that keeps a fragment from going on. */
    Site blocker(Fragment fragment) {
        return fragment.waiting || fragment.pausedSite < 0
                ? program.code.segments().get(fragment.segment).exit().site()
                : program.code.sites().get(fragment.pausedSite);
    }

    Segment.Together together(int segment) {
        return Objects.requireNonNull(program.together[segment]);
    }

    private @Nullable Fragment part(Fragment fragment, int segment, int taken) {
        int other = fragment.mask & ~taken;
        int next = program.next[segment];
        int fall = program.fall[segment];
        int meet = program.meet[segment];
        leaves.remove(fragment);
        Fragment parent = fragment.parent;
        if (meet != fragment.meet) {
            fragment.segment = meet;
            parent = fragment;
        } else if (parent != null) {
            parent.children--;
        }
        Fragment last = null;
        if (fall != meet) {
            last = child(fall, other, meet, parent);
        }
        if (next != meet) {
            last = child(next, taken, meet, parent);
        }
        return last;
    }

    private Fragment child(int segment, int mask, int meet, @Nullable Fragment parent) {
        Fragment child = new Fragment(this, segment, mask, meet, parent);
        if (parent != null) {
            parent.children++;
        }
        leaves.add(child);
        return child;
    }

    /** Some lanes of a fragment that waits go on; they meet the rest where the fragment is to meet others. */
    void goAhead(Fragment fragment, int mask, int segment) {
        fragment.mask &= ~mask;
        child(segment, mask, fragment.meet, fragment.parent);
    }

    /**
     * Lanes that only wait to meet others go on without them: to run together is not what PTX promises, that every thread
     * goes on is.
     *
     * @return whether there were any
     */
    boolean releaseParked() {
        Map<Fragment, Integer> below = new LinkedHashMap<>();
        for (Fragment leaf : leaves) {
            int mask = leaf.mask;
            for (Fragment at = leaf.parent; at != null; at = at.parent) {
                int lanes = below.merge(at, mask, (one, other) -> one | other);
                // At its own meeting place it waits where its parent does.
                mask = at.segment == at.meet ? lanes : at.mask;
            }
        }
        boolean any = false;
        for (Map.Entry<Fragment, Integer> entry : below.entrySet()) {
            Fragment at = entry.getKey();
            int parked = at.mask & ~entry.getValue();
            if (parked != 0 && at.segment >= 0 && at.segment != at.meet) {
                goAhead(at, parked, at.segment);
                any = true;
                parted = true;
            }
        }
        return any;
    }

    private @Nullable Fragment met(Fragment fragment) {
        leaves.remove(fragment);
        return arrived(fragment.parent);
    }

    private @Nullable Fragment arrived(@Nullable Fragment parent) {
        Fragment at = parent;
        while (at != null && --at.children == 0) {
            if (at.mask != 0 && at.segment >= 0) {
                if (at.segment == at.meet) {
                    at = at.parent;
                    continue;
                }
                leaves.add(at);
                return at;
            }
            at = at.parent;
        }
        return null;
    }

    private @Nullable Fragment end(Fragment fragment) {
        int mask = fragment.mask;
        copies.finish(this, mask);
        live &= ~mask;
        block.ended(Integer.bitCount(mask));
        leaves.remove(fragment);
        for (Fragment at = fragment.parent; at != null; at = at.parent) {
            at.mask &= ~mask;
        }
        Fragment next = arrived(fragment.parent);
        Together.left(this, block);
        return next;
    }

    /**
     * Where all lanes run, what they share may be done before what one of them does first. So that the fault is told that
     * comes first lane by lane, a segment with one is executed again in that order.
     */
    private int run(Executor executor, int segment, int mask) {
        try {
            return executor.run(segment, this, mask);
        } catch (KernelFault fault) {
            if (mask == -1 && !(executor instanceof Grid.Replay)) {
                for (int lane = 0; lane < Integer.SIZE; lane++) {
                    block.grid.replay.lane(segment, this, lane);
                }
            }
            throw fault;
        }
    }

    /** The fault of an access, to be thrown. */
    KernelFault fault(KernelFault.Kind kind, int site, int lane, String space, long address, int bytes, String reason) {
        return block.fault(
                kind,
                site,
                this,
                lane,
                (kind == KernelFault.Kind.MISALIGNED ? "misaligned " : "out-of-bounds ") + bytes + "-byte access to "
                        + space + " address 0x" + Long.toHexString(address) + "; "
                        + (kind == KernelFault.Kind.MISALIGNED ? "expected a multiple of " + bytes : reason),
                address);
    }

    /** A segment of compiled code left shared memory: the interpreter finds the access again. */
    public static int outside(Warp warp, int segment, int lane, RuntimeException cause) {
        warp.block.grid.replay.lane(segment, warp, lane);
        throw new IllegalStateException("segment " + segment + " fails in compiled code only", cause);
    }

    /** Whether this launch counts. */
    public boolean counts() {
        return counters.on();
    }

    /** What is to be noted of a segment. */
    public List<Track> tracks(int segment) {
        return counters.tracks(segment);
    }

    /** Counts what a track of a segment noted of the lanes of {@code mask}. */
    public static void count(Warp warp, int segment, int track, int mask) {
        warp.counters.count(segment, track, mask);
        BlockChecker checker = warp.block.checker;
        if (checker != null) {
            checker.note(track, mask);
        }
    }

    /** Looks for faults in what lanes did in a segment, of which all tracks were counted. */
    public static void check(Warp warp, int segment) {
        BlockChecker checker = warp.block.checker;
        if (checker != null) {
            checker.segment(warp.index, segment);
        }
    }

    /** What looks for faults; null where nothing does. */
    @Nullable
    BlockChecker checker() {
        return block.checker;
    }

    /**
     * Whether the words that lanes of a row name in a register follow each other; for compiled code.
     *
     * @param register its number
     * @param from place of lane 0 in its array, that of 64 bits where {@code wide} is 1
     * @return 1 or 0
     */
    public static int follow(Warp warp, int register, int from, int wide) {
        int known = warp.following[register];
        if (known == 0) {
            known = warp.follows(from, wide != 0) ? 1 : -1;
            warp.following[register] = known;
        }
        return known > 0 ? 1 : 0;
    }

    private boolean follows(int from, boolean wide) {
        for (int row = 0; rows[row] < 32; row++) {
            for (int lane = rows[row] + 1; lane < rows[row + 1]; lane++) {
                long step = wide
                        ? longs[from + lane] - longs[from + lane - 1]
                        : (long) words[from + lane] - words[from + lane - 1];
                if (step != Integer.BYTES) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Counts a track of a segment whose addresses are in a register of 32 bits, with lane 0 at {@code from}. */
    public static void countWord(Warp warp, int segment, int track, int mask, int from) {
        warp.counters.count(segment, track, warp.words, from, mask);
        BlockChecker checker = warp.block.checker;
        if (checker != null) {
            checker.note(track, mask, warp.words, from);
        }
    }

    /** The same of all lanes, with what is known of the track since its register was written last. */
    public static void countKnown(Warp warp, int segment, int track, int mask, int from, int number) {
        if (warp.known[number] != 0) {
            warp.times[number]++;
        } else {
            warp.known[number] = warp.counters.count(segment, track, warp.words, from, mask);
        }
    }

    /** What is known of a track may change; for compiled code. */
    public static void forget(Warp warp, int number) {
        if (warp.times[number] != 0) {
            warp.counters.again(number, warp.known[number], warp.times[number]);
            warp.times[number] = 0;
        }
        warp.known[number] = 0;
    }

    /** Its block has ended: counts what waits for it. */
    void settle() {
        for (int i = 0; i < known.length; i++) {
            forget(this, i);
        }
    }

    /** The same with a register of 64 bits. */
    public static void countLong(Warp warp, int segment, int track, int mask, int from) {
        warp.counters.count(segment, track, warp.longs, from, mask);
        BlockChecker checker = warp.block.checker;
        if (checker != null) {
            checker.note(track, mask, warp.longs, from);
        }
    }

    /** The same of all lanes and global memory, with what is known of the track since its lanes moved otherwise than together. */
    public static void countMoved(Warp warp, int segment, int track, int mask, int from, int number) {
        SegmentCounts counters = warp.counters;
        if (warp.known[number] != counters.version(number)) {
            warp.known[number] = counters.learn(number, warp.longs, from);
        }
        counters.moved(number, warp.longs[from]);
    }

    /** Base of an access that is not aligned; for compiled code. */
    @SuppressWarnings("DoNotCallSuggester")
    public static void misaligned() {
        throw new ArrayIndexOutOfBoundsException("misaligned");
    }

    /** Ends the launch with a message; for compiled code. */
    @SuppressWarnings("DoNotCallSuggester")
    public static void trap(Warp warp, int lane, int site, String message) {
        throw warp.block.fault(KernelFault.Kind.TRAP, site, warp, lane, message, null);
    }

    KernelFault undefined(Site site, int lane, String message) {
        return undefined(site.index(), lane, message);
    }

    KernelFault undefined(int site, int lane, String message) {
        return block.fault(KernelFault.Kind.UNDEFINED, site, this, lane, message, null);
    }
}
