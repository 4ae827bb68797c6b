package dev.panamark.ptx.runtime;

import dev.panamark.ptx.DeviceMemory;
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

    /** How often segments ran, with how many lanes, and how often lanes parted at their end. */
    final long[] executions;

    final long[] lanes;
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
        final Pattern sharedOfGeneric = new Pattern(0);

        final boolean load;
        final boolean store;
        final int bytes;
        final @Nullable Space space;

        /** Of an instruction whose lanes are counted; else -1. */
        final int guardedSite;

        /** Of its instructions. */
        final int[] sites;

        final long[] offsets;
        long sharedRequests;
        long wavefronts;
        long ideal;
        long globalRequests;

        Tracked(Track track) {
            this.track = track;
            List<Track.Member> members = track.members();
            this.pattern = new Pattern(members.size());
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
        }
    }

    /** Addresses last seen: distances from the first lane, and what was counted. */
    private static final class Pattern {
        final long[] distances = new long[LANES];

        /** The same of 32 bits, for shared memory. */
        final int[] words = new int[LANES];

        /** By instruction of the track. */
        final Sectors[] members;

        int mask;
        int wavefronts;
        int ideal;

        /** Of shared memory, the place of the first lane in its word. */
        long low = -1;

        /** Where rows begin in each of which words follow each other by lane; null where it is not known. */
        int @Nullable [] rows;

        Pattern(int members) {
            this.members = new Sectors[members];
        }

        void learn(long[] addresses, int from, int active, long start) {
            mask = active;
            rows = null;
            for (int lane = 0; lane < LANES; lane++) {
                distances[lane] = addresses[from + lane] - start;
                words[lane] = (int) distances[lane];
            }
            Arrays.fill(members, null);
        }
    }

    /** Sectors relative to that of the first lane, by the place of it in its sector. */
    private static final class Sectors {
        final long[] @Nullable [] distances = new long[SectorRule.BYTES][];

        /** The same as bits from the first lane's sector on; 0 where some are before it or too far. */
        final long[] bits = new long[SectorRule.BYTES];

        /** Sector of the first lane and its place when sectors were last noted. */
        long first = -1;

        int place = -1;
    }

    SegmentCounts(boolean on, KernelCode code, boolean grouped, boolean pairing) {
        this.on = on;
        this.pairing = pairing;
        int segments = on ? code.segments().size() : 0;
        int sites = on ? code.sites().size() : 0;
        executions = new long[segments];
        lanes = new long[segments];
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
            List<Track> all = Track.of(code.segments().get(i), grouped);
            tracks[i] = all.stream().map(Tracked::new).toArray(Tracked[]::new);
            most = Math.max(most, all.size());
        }
        scratch = new long[LANES * most];
    }

    /** Gives instructions what was counted of their tracks; once, when the launch has ended. */
    void settle() {
        for (Tracked[] ofSegment : tracks) {
            for (Tracked tracked : ofSegment) {
                for (int site : tracked.sites) {
                    sharedRequests[site] += tracked.sharedRequests;
                    wavefronts[site] += tracked.wavefronts;
                    idealWavefronts[site] += tracked.ideal;
                    globalRequests[site] += tracked.globalRequests;
                }
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
        int count = 0;
        for (Tracked[] ofSegment : tracks) {
            count += ofSegment.length;
        }
        return count;
    }

    List<Track> tracks(int segment) {
        return Arrays.stream(tracks[segment]).map(t -> t.track).toList();
    }

    void segment(int segment, int mask) {
        if (on) {
            executions[segment]++;
            lanes[segment] += Integer.bitCount(mask);
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
            Pattern pattern = matrices.computeIfAbsent(site, key -> new Pattern(0));
            long start = addresses[Integer.numberOfTrailingZeros(mask)];
            if (pattern.low != (start & 3) || !same(pattern, addresses, 0, mask, start)) {
                sharedRule.count(addresses, 0, mask, bytes, false);
                pattern.wavefronts = sharedRule.wavefronts();
                pattern.ideal = sharedRule.ideal();
                pattern.low = start & 3;
                pattern.learn(addresses, 0, mask, start);
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

    /**
     * The same of all lanes where each accesses the word after that of the lane before in its row, so that only rows have to
     * be compared with what was seen before.
     *
     * @param rows where they begin, and 32
     */
    void countFollowing(int segment, int number, long[] addresses, int from, int[] rows) {
        Tracked tracked = tracks[segment][number];
        Pattern pattern = tracked.pattern;
        long start = addresses[from];
        if (pattern.mask != -1
                || pattern.rows == null
                || !Arrays.equals(pattern.rows, rows)
                || !sameRows(pattern, addresses, from, rows)) {
            if (!same(pattern, addresses, from, -1, start)) {
                pattern.learn(addresses, from, -1, start);
            }
            pattern.rows = rows;
        }
        sectors(tracked, addresses, from, -1, start);
    }

    private static boolean sameRows(Pattern pattern, long[] addresses, int from, int[] rows) {
        long start = addresses[from];
        for (int row = 1; row < rows.length - 1; row++) {
            if (addresses[from + rows[row]] - start != pattern.distances[rows[row]]) {
                return false;
            }
        }
        return true;
    }

    /** Counts what was counted before. */
    void again(int segment, int number, long known) {
        Tracked tracked = tracks[segment][number];
        tracked.sharedRequests++;
        tracked.wavefronts += known >>> 32;
        tracked.ideal += (int) known;
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
            pattern.learn(addresses, from, mask, start);
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
        Pattern pattern = tracked.pattern;
        long start = addresses[from + Integer.numberOfTrailingZeros(mask)];
        if (!same(pattern, addresses, from, mask, start)) {
            pattern.learn(addresses, from, mask, start);
        }
        sectors(tracked, addresses, from, mask, start);
    }

    /** Of a pattern that is that of these addresses. */
    private void sectors(Tracked tracked, long[] addresses, int from, int mask, long start) {
        Pattern pattern = tracked.pattern;
        tracked.globalRequests++;
        for (int i = 0; i < pattern.members.length; i++) {
            long offset = tracked.offsets[i];
            Sectors known = pattern.members[i];
            if (known == null) {
                known = new Sectors();
                pattern.members[i] = known;
            }
            int place = (int) (start + offset) & (SectorRule.BYTES - 1);
            long first = (start + offset) / SectorRule.BYTES;
            long[] distances = known.distances[place];
            boolean fresh = distances == null;
            if (distances == null) {
                distances = new long[sectorRule.count(addresses, from, offset, mask, tracked.bytes)];
                for (int k = 0; k < distances.length; k++) {
                    distances[k] = sectorRule.sector(k) - first;
                }
                known.distances[place] = distances;
                known.bits[place] = bits(distances);
            }
            sectors[tracked.sites[i]] += distances.length;
            // The same place again, or another one from which the same sectors are touched, adds nothing.
            boolean noted = known.first == first
                    && known.place >= 0
                    && !fresh
                    && (known.place == place || Arrays.equals(known.distances[known.place], distances));
            if (!noted) {
                touched(tracked, first, distances, known.bits[place]);
                known.first = first;
                known.place = place;
            }
        }
    }

    private static long bits(long[] distances) {
        long bits = 0;
        for (long distance : distances) {
            if (distance < 0 || distance >= Long.SIZE) {
                return 0;
            }
            bits |= 1L << distance;
        }
        return bits;
    }

    private void touched(Tracked tracked, long first, long[] distances, long bits) {
        if (tracked.load) {
            touched(read, first, distances, bits);
        }
        if (tracked.store) {
            touched(written, first, distances, bits);
        }
    }

    private static void touched(SectorSet set, long first, long[] distances, long bits) {
        if (bits != 0) {
            set.add(first, bits);
            return;
        }
        for (long distance : distances) {
            set.add(first + distance);
        }
    }
}
