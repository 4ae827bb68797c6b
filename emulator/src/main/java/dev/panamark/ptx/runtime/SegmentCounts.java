package dev.panamark.ptx.runtime;

import dev.panamark.ptx.DeviceMemory;
import dev.panamark.ptx.count.SectorRule;
import dev.panamark.ptx.count.SectorSet;
import dev.panamark.ptx.count.SharedRule;
import dev.panamark.ptx.count.Track;
import dev.panamark.ptx.ir.KernelCode;
import dev.panamark.ptx.ir.Space;
import java.util.Arrays;
import java.util.List;
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

        long sharedRequests;
        long wavefronts;
        long ideal;
        long globalRequests;

        Tracked(Track track) {
            this.track = track;
            this.pattern = new Pattern(track.members().size());
        }
    }

    /** Addresses last seen: distances from the first lane, and what was counted. */
    private static final class Pattern {
        final long[] distances = new long[LANES];

        /** By instruction of the track. */
        final Sectors[] members;

        int mask;
        int wavefronts;
        int ideal;

        /** Of shared memory, the place of the first lane in its word. */
        long low = -1;

        Pattern(int members) {
            this.members = new Sectors[members];
        }

        void learn(long[] addresses, int from, int active, long start) {
            mask = active;
            for (int lane = 0; lane < LANES; lane++) {
                distances[lane] = addresses[from + lane] - start;
            }
            Arrays.fill(members, null);
        }
    }

    /** Sectors relative to that of the first lane, by the place of it in its sector. */
    private static final class Sectors {
        final long[] @Nullable [] distances = new long[SectorRule.BYTES][];

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
                for (Track.Member member : tracked.track.members()) {
                    int site = member.site().index();
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

    /** Counts what a track noted. */
    void count(int segment, int number, int mask) {
        Tracked tracked = tracks[segment][number];
        Track track = tracked.track;
        int from = LANES * number;
        if (track.leader().guard() != null) {
            guardedLanes[track.leader().site().index()] += Integer.bitCount(mask);
        }
        Space space = track.space();
        if (space == null || mask == 0) {
            return;
        }
        switch (space) {
            case SHARED -> shared(tracked, tracked.pattern, scratch, from, mask);
            case GENERIC -> generic(tracked, from, mask);
            default -> global(tracked, from, mask);
        }
    }

    private void generic(Tracked tracked, int from, int mask) {
        int global = 0;
        int shared = 0;
        for (int rest = mask; rest != 0; rest &= rest - 1) {
            int lane = Integer.numberOfTrailingZeros(rest);
            long address = scratch[from + lane];
            if (address >= DeviceMemory.LOWEST) {
                global |= 1 << lane;
            } else if (address < Memory.LOCAL_WINDOW) {
                shared |= 1 << lane;
                split[lane] = address - Memory.SHARED_WINDOW;
            }
        }
        if (global != 0) {
            global(tracked, from, global);
        }
        if (shared != 0) {
            shared(tracked, tracked.sharedOfGeneric, split, 0, shared);
        }
    }

    private void shared(Tracked tracked, Pattern pattern, long[] addresses, int from, int mask) {
        long start = addresses[from + Integer.numberOfTrailingZeros(mask)];
        if (pattern.low != (start & 3) || !same(pattern, addresses, from, mask, start)) {
            Track track = tracked.track;
            sharedRule.count(addresses, from, mask, track.bytes(), pairing && track.kind() == Track.Kind.LOAD);
            pattern.wavefronts = sharedRule.wavefronts();
            pattern.ideal = sharedRule.ideal();
            pattern.low = start & 3;
            pattern.learn(addresses, from, mask, start);
        }
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

    private void global(Tracked tracked, int from, int mask) {
        Track track = tracked.track;
        Pattern pattern = tracked.pattern;
        long[] addresses = scratch;
        tracked.globalRequests++;
        long start = addresses[from + Integer.numberOfTrailingZeros(mask)];
        if (!same(pattern, addresses, from, mask, start)) {
            pattern.learn(addresses, from, mask, start);
        }
        for (int i = 0; i < pattern.members.length; i++) {
            Track.Member member = track.members().get(i);
            Sectors known = pattern.members[i];
            if (known == null) {
                known = new Sectors();
                pattern.members[i] = known;
            }
            int place = (int) (start + member.offset()) & (SectorRule.BYTES - 1);
            long first = (start + member.offset()) / SectorRule.BYTES;
            long[] distances = known.distances[place];
            boolean fresh = distances == null;
            if (distances == null) {
                distances = new long[sectorRule.count(addresses, from, member.offset(), mask, track.bytes())];
                for (int k = 0; k < distances.length; k++) {
                    distances[k] = sectorRule.sector(k) - first;
                }
                known.distances[place] = distances;
            }
            sectors[member.site().index()] += distances.length;
            // The same place again, or another one from which the same sectors are touched, adds nothing.
            boolean noted = known.first == first
                    && known.place >= 0
                    && !fresh
                    && (known.place == place || Arrays.equals(known.distances[known.place], distances));
            if (!noted) {
                touched(track.kind(), first, distances);
                known.first = first;
                known.place = place;
            }
        }
    }

    private void touched(Track.Kind kind, long first, long[] distances) {
        for (long distance : distances) {
            if (kind != Track.Kind.STORE) {
                read.add(first + distance);
            }
            if (kind != Track.Kind.LOAD) {
                written.add(first + distance);
            }
        }
    }
}
