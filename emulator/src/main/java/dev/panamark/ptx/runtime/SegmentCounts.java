package dev.panamark.ptx.runtime;

import dev.panamark.ptx.DeviceMemory;
import dev.panamark.ptx.count.SectorPattern;
import dev.panamark.ptx.count.SectorRule;
import dev.panamark.ptx.count.SectorSet;
import dev.panamark.ptx.count.SharedRule;
import dev.panamark.ptx.count.Track;
import dev.panamark.ptx.ir.KernelCode;
import dev.panamark.ptx.ir.Op;
import dev.panamark.ptx.ir.Space;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What one thread counts of a launch. */
public final class SegmentCounts {
    private static final int LANES = 32;

    /** Accesses of a track to global memory that are counted together, which takes less than one at a time. */
    private static final int TOGETHER = 32;

    /** How often segments ran, how many lanes were missing then, and how often lanes parted at their end. */
    final long[] executions;

    final long[] missing;
    final long[] divergences;

    /** By site: lanes that executed a guarded instruction. */
    final long[] guardedLanes;

    final long[] sharedRequests;
    final long[] wavefronts;
    final long[] idealWavefronts;
    final long[] globalRequests;
    final long[] sectors;
    final SectorSet read = new SectorSet();
    final SectorSet written = new SectorSet();
    long divergentBarriers;

    private final boolean on;
    private final boolean pairing;

    /** By segment and number of the track. */
    private final Tracked[][] tracks;

    /** The same one after the other. */
    private final Tracked[] all;

    /** Of accesses that lanes make together, by site. */
    private final Map<Integer, Pattern> matrices = new HashMap<>();

    private final SharedRule sharedRule = new SharedRule();
    private final SectorRule sectorRule = new SectorRule();
    private final long[] scratch;
    private final long[] split = new long[LANES];

    /** What is counted of one track. Of shared memory its instructions have the same numbers. */
    private static final class Tracked {
        final Track track;
        final Pattern pattern;

        /** Of the lanes of a generic access that go to shared memory. */
        final Pattern sharedOfGeneric = new Pattern();

        final boolean load;
        final boolean store;
        final int bytes;
        final @Nullable Space space;

        /** Of an instruction whose lanes are counted; else -1. */
        final int guardedSite;

        /** Of global memory, what is touched by its pattern; null of other tracks. */
        final @Nullable SectorPattern sectors;

        /** Of its instructions. */
        final int[] sites;

        final long[] offsets;
        long sharedRequests;
        long wavefronts;
        long ideal;
        long globalRequests;

        /** Addresses of the first lanes of accesses to global memory with this pattern that are not counted yet. */
        final long[] starts;

        int waiting;

        /** By instruction: the sector of the first lane when sectors were last noted, and which these were. */
        final long[] first;

        final int[] like;

        Tracked(Track track, SectorRule rule) {
            this.track = track;
            List<Track.Member> members = track.members();
            this.pattern = new Pattern();
            load = track.kind() != Track.Kind.STORE;
            store = track.kind() != Track.Kind.LOAD;
            bytes = track.bytes();
            space = track.space();
            // What an instruction fetches is guarded on its own; its lanes are those of the other op.
            guardedSite = track.leader().guard() == null || track.leader() instanceof Op.Fetch
                    ? -1
                    : track.leader().site().index();
            sites = members.stream().mapToInt(m -> m.site().index()).toArray();
            offsets = members.stream().mapToLong(Track.Member::offset).toArray();
            boolean global = space != null && space != Space.SHARED;
            sectors = global ? new SectorPattern(rule) : null;
            starts = new long[global ? TOGETHER : 0];
            first = new long[global ? sites.length : 0];
            like = new int[first.length];
        }
    }

    /** Addresses last seen: distances from the first lane, and what was counted. */
    private static final class Pattern {
        final long[] distances = new long[LANES];

        /** The same of 32 bits, for shared memory. */
        final int[] words = new int[LANES];

        int mask;
        int wavefronts;
        int ideal;

        /** Of shared memory, the place of the first lane in its word. */
        long low = -1;

        /** Another one for other addresses; never 0. */
        long version = 1;

        void learn(long[] addresses, int from, int active, long start) {
            mask = active;
            version++;
            for (int lane = 0; lane < LANES; lane++) {
                distances[lane] = addresses[from + lane] - start;
            }
        }

        /** The same of shared memory. */
        void learnShared(long[] addresses, int from, int active, long start) {
            learn(addresses, from, active, start);
            for (int lane = 0; lane < LANES; lane++) {
                words[lane] = (int) distances[lane];
            }
        }
    }

    SegmentCounts(boolean on, KernelCode code, List<List<Track>> noted, boolean pairing) {
        this.on = on;
        this.pairing = pairing;
        int segments = on ? code.segments().size() : 0;
        int sites = on ? code.sites().size() : 0;
        executions = new long[segments];
        missing = new long[segments];
        divergences = new long[segments];
        guardedLanes = new long[sites];
        sharedRequests = new long[sites];
        wavefronts = new long[sites];
        idealWavefronts = new long[sites];
        globalRequests = new long[sites];
        sectors = new long[sites];
        tracks = new Tracked[segments][];
        int most = 0;
        for (int i = 0; i < segments; i++) {
            List<Track> ofSegment = noted.get(i);
            tracks[i] = new Tracked[ofSegment.size()];
            for (int k = 0; k < tracks[i].length; k++) {
                tracks[i][k] = new Tracked(ofSegment.get(k), sectorRule);
            }
            most = Math.max(most, tracks[i].length);
        }
        all = Arrays.stream(tracks).flatMap(Arrays::stream).toArray(Tracked[]::new);
        scratch = new long[LANES * most];
    }

    /** Gives instructions what was counted of their tracks; once, when the launch has ended. */
    void settle() {
        for (Tracked tracked : all) {
            if (tracked.waiting > 0) {
                count(tracked);
            }
            for (int site : tracked.sites) {
                sharedRequests[site] += tracked.sharedRequests;
                wavefronts[site] += tracked.wavefronts;
                idealWavefronts[site] += tracked.ideal;
                globalRequests[site] += tracked.globalRequests;
            }
        }
    }

    boolean on() {
        return on;
    }

    /** Where addresses are noted: of track t and lane l at {@code 32 * t + l}. */
    long[] scratch() {
        return scratch;
    }

    /** How many tracks there are. */
    int tracks() {
        return all.length;
    }

    List<Track> tracks(int segment) {
        return Arrays.stream(tracks[segment]).map(t -> t.track).toList();
    }

    void segment(int segment, int mask) {
        if (on) {
            executions[segment]++;
            if (mask != -1) {
                missing[segment] += Integer.bitCount(~mask);
            }
        }
    }

    void divergent(int segment) {
        if (on) {
            divergences[segment]++;
        }
    }

    void divergentBarrier() {
        divergentBarriers++;
    }

    /**
     * Counts an access that lanes make together.
     *
     * @param space {@code SHARED} or {@code GLOBAL}
     * @param addresses by lane, in {@code space}
     */
    void together(int site, Space space, boolean store, long[] addresses, int mask, int bytes) {
        if (!on) {
            return;
        }
        if (space == Space.SHARED) {
            Pattern pattern = matrices.computeIfAbsent(site, key -> new Pattern());
            long start = addresses[Integer.numberOfTrailingZeros(mask)];
            if (pattern.low != (start & 3) || !same(pattern, addresses, 0, mask, start)) {
                sharedRule.count(addresses, 0, mask, bytes, false);
                pattern.wavefronts = sharedRule.wavefronts();
                pattern.ideal = sharedRule.ideal();
                pattern.low = start & 3;
                pattern.learnShared(addresses, 0, mask, start);
            }
            sharedRequests[site]++;
            wavefronts[site] += pattern.wavefronts;
            idealWavefronts[site] += pattern.ideal;
            return;
        }
        globalRequests[site]++;
        int count = sectorRule.count(addresses, 0, 0, mask, bytes);
        sectors[site] += count;
        for (int i = 0; i < count; i++) {
            (store ? written : read).add(sectorRule.sector(i));
        }
    }

    /** Counts what a track noted. */
    void count(int segment, int number, int mask) {
        Tracked tracked = tracks[segment][number];
        if (tracked.guardedSite >= 0) {
            guardedLanes[tracked.guardedSite] += Integer.bitCount(mask);
        }
        if (tracked.space != null && mask != 0) {
            count(tracked, tracked.space, scratch, LANES * number, mask);
        }
    }

    private void count(Tracked tracked, Space space, long[] addresses, int from, int mask) {
        switch (space) {
            case SHARED -> shared(tracked, tracked.pattern, addresses, from, mask);
            case GENERIC -> generic(tracked, addresses, from, mask);
            default -> global(tracked, addresses, from, mask);
        }
    }

    /** Counts a track without a guard whose addresses are in a register of 64 bits. */
    void count(int segment, int number, long[] addresses, int from, int mask) {
        Tracked tracked = tracks[segment][number];
        count(tracked, Objects.requireNonNull(tracked.space), addresses, from, mask);
    }

    /** Which pattern a track had last, by its number in the kernel. */
    long version(int number) {
        return all[number].pattern.version;
    }

    /**
     * Finds the pattern of all lanes of a track without a guard of global memory.
     *
     * @return its version
     */
    long learn(int number, long[] addresses, int from) {
        Tracked tracked = all[number];
        learn(tracked, addresses, from, -1, addresses[from]);
        return tracked.pattern.version;
    }

    /** Counts such a track, whose pattern its lanes have; the first one is at {@code start}. */
    void moved(int number, long start) {
        global(all[number], start);
    }

    /** Counts what was counted before as often again. */
    void again(int number, long known, long times) {
        Tracked tracked = all[number];
        tracked.sharedRequests += times;
        tracked.wavefronts += times * (known >>> 32);
        tracked.ideal += times * (int) known;
    }

    /**
     * The same of 32 bits, for shared memory.
     *
     * @return wavefronts in the upper and the ideal in the lower half
     */
    long count(int segment, int number, int[] addresses, int from, int mask) {
        Tracked tracked = tracks[segment][number];
        Pattern pattern = tracked.pattern;
        int start = addresses[from + Integer.numberOfTrailingZeros(mask)];
        if (pattern.low == (start & 3) && same(pattern, addresses, from, mask, start)) {
            pass(tracked, pattern);
            return (long) pattern.wavefronts << 32 | pattern.ideal;
        }
        for (int lane = 0; lane < LANES; lane++) {
            split[lane] = addresses[from + lane];
        }
        shared(tracked, pattern, split, 0, mask);
        return (long) pattern.wavefronts << 32 | pattern.ideal;
    }

    private static boolean same(Pattern pattern, int[] addresses, int from, int mask, int start) {
        if (pattern.mask != mask) {
            return false;
        }
        int[] words = pattern.words;
        int difference = 0;
        if (mask == -1) {
            for (int lane = 0; lane < LANES; lane++) {
                difference |= (addresses[from + lane] - start) ^ words[lane];
            }
            return difference == 0;
        }
        for (int rest = mask; rest != 0; rest &= rest - 1) {
            int lane = Integer.numberOfTrailingZeros(rest);
            difference |= (addresses[from + lane] - start) ^ words[lane];
        }
        return difference == 0;
    }

    private void generic(Tracked tracked, long[] addresses, int from, int mask) {
        int global = 0;
        int shared = 0;
        for (int rest = mask; rest != 0; rest &= rest - 1) {
            int lane = Integer.numberOfTrailingZeros(rest);
            long address = addresses[from + lane];
            if (address >= DeviceMemory.LOWEST) {
                global |= 1 << lane;
            } else if (address < Memory.LOCAL_WINDOW) {
                shared |= 1 << lane;
                split[lane] = address - Memory.SHARED_WINDOW;
            }
        }
        if (global != 0) {
            global(tracked, addresses, from, global);
        }
        if (shared != 0) {
            shared(tracked, tracked.sharedOfGeneric, split, 0, shared);
        }
    }

    private void shared(Tracked tracked, Pattern pattern, long[] addresses, int from, int mask) {
        long start = addresses[from + Integer.numberOfTrailingZeros(mask)];
        if (pattern.low != (start & 3) || !same(pattern, addresses, from, mask, start)) {
            sharedRule.count(addresses, from, mask, tracked.bytes, pairing && !tracked.store);
            pattern.wavefronts = sharedRule.wavefronts();
            pattern.ideal = sharedRule.ideal();
            pattern.low = start & 3;
            pattern.learnShared(addresses, from, mask, start);
        }
        pass(tracked, pattern);
    }

    private static void pass(Tracked tracked, Pattern pattern) {
        tracked.sharedRequests++;
        tracked.wavefronts += pattern.wavefronts;
        tracked.ideal += pattern.ideal;
    }

    /** Distances from the first lane: of shared memory a shift by whole words only turns the banks. */
    private static boolean same(Pattern pattern, long[] addresses, int from, int mask, long start) {
        if (pattern.mask != mask) {
            return false;
        }
        if (mask == -1) {
            long difference = 0;
            for (int lane = 0; lane < LANES; lane++) {
                difference |= (addresses[from + lane] - start) ^ pattern.distances[lane];
            }
            return difference == 0;
        }
        for (int rest = mask; rest != 0; rest &= rest - 1) {
            int lane = Integer.numberOfTrailingZeros(rest);
            if (addresses[from + lane] - start != pattern.distances[lane]) {
                return false;
            }
        }
        return true;
    }

    private void global(Tracked tracked, long[] addresses, int from, int mask) {
        long start = addresses[from + Integer.numberOfTrailingZeros(mask)];
        learn(tracked, addresses, from, mask, start);
        global(tracked, start);
    }

    private void learn(Tracked tracked, long[] addresses, int from, int mask, long start) {
        if (!same(tracked.pattern, addresses, from, mask, start)) {
            count(tracked);
            tracked.pattern.learn(addresses, from, mask, start);
            of(tracked).forget();
            Arrays.fill(tracked.first, -1);
        }
    }

    private static SectorPattern of(Tracked tracked) {
        return Objects.requireNonNull(tracked.sectors);
    }

    private void global(Tracked tracked, long start) {
        tracked.starts[tracked.waiting++] = start;
        if (tracked.waiting == TOGETHER) {
            count(tracked);
        }
    }

    /** Counts accesses to global memory that wait for it. */
    private void count(Tracked tracked) {
        SectorPattern pattern = of(tracked);
        for (int i = 0; i < tracked.sites.length; i++) {
            sectors[tracked.sites[i]] += count(tracked, pattern, i);
        }
        tracked.globalRequests += tracked.waiting;
        tracked.waiting = 0;
    }

    private long count(Tracked tracked, SectorPattern pattern, int member) {
        long[] starts = tracked.starts;
        long offset = tracked.offsets[member];
        long before = member == 0 ? offset : tracked.offsets[member - 1];
        long last = tracked.first[member];
        int like = tracked.like[member];
        int known = -1;
        int count = 0;
        int now = 0;
        long bits = 0;
        long sum = 0;
        SectorSet only = tracked.load && tracked.store ? null : tracked.load ? read : written;
        for (int k = 0; k < tracked.waiting; k++) {
            long at = starts[k] + offset;
            int place = (int) at & (SectorRule.BYTES - 1);
            if (place != known) {
                if (!pattern.knows(at)) {
                    pattern.find(at, tracked.pattern.distances, tracked.pattern.mask, tracked.bytes);
                }
                count = pattern.count(at);
                now = pattern.like(at);
                bits = only == null ? 0 : pattern.bits(at);
                known = place;
            }
            sum += count;
            long first = at >> SectorRule.BITS;
            // What the same instruction touched last, or another one at the same time, adds nothing.
            if (first != last || now != like) {
                if (member == 0 || !pattern.same(at, starts[k] + before)) {
                    if (only != null && bits != 0) {
                        only.add(first, bits);
                    } else {
                        touched(tracked, pattern, at);
                    }
                }
                last = first;
                like = now;
            }
        }
        tracked.first[member] = last;
        tracked.like[member] = like;
        return sum;
    }

    private void touched(Tracked tracked, SectorPattern pattern, long at) {
        if (tracked.load) {
            pattern.addTo(read, at);
        }
        if (tracked.store) {
            pattern.addTo(written, at);
        }
    }
}
