package dev.panamark.ptx.runtime;

import dev.panamark.ptx.DeviceMemory;
import dev.panamark.ptx.count.SectorRule;
import dev.panamark.ptx.count.SectorSet;
import dev.panamark.ptx.count.SharedRule;
import dev.panamark.ptx.count.Track;
import dev.panamark.ptx.ir.KernelCode;
import dev.panamark.ptx.ir.Segment;
import dev.panamark.ptx.ir.Space;
import java.util.ArrayList;
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
    private final List<List<Track>> tracks = new ArrayList<>();
    private final SharedRule sharedRule = new SharedRule();
    private final SectorRule sectorRule = new SectorRule();
    private final long[] scratch;
    private final long[] split = new long[LANES];

    /** Shared patterns last seen, by track: distances from the first lane, and what was counted. */
    private final List<Pattern[]> patterns = new ArrayList<>();

    /** Those of the lanes of a generic access that go to shared memory. */
    private final List<Pattern[]> sharedOfGeneric = new ArrayList<>();

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

    private static Pattern pattern(Pattern[] known, int number, int members) {
        Pattern pattern = known[number];
        if (pattern == null) {
            pattern = new Pattern(members);
            known[number] = pattern;
        }
        return pattern;
    }

    SegmentCounts(boolean on, KernelCode code, boolean grouped) {
        this.on = on;
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
        int most = 0;
        if (on) {
            for (Segment segment : code.segments()) {
                List<Track> all = Track.of(segment, grouped);
                tracks.add(all);
                patterns.add(new Pattern[all.size()]);
                sharedOfGeneric.add(new Pattern[all.size()]);
                most = Math.max(most, all.size());
            }
        }
        scratch = new long[LANES * most];
    }

    boolean on() {
        return on;
    }

    /** Where addresses are noted: of track t and lane l at {@code 32 * t + l}. */
    long[] scratch() {
        return scratch;
    }

    List<Track> tracks(int segment) {
        return tracks.get(segment);
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
        Track track = tracks.get(segment).get(number);
        int from = LANES * number;
        if (track.leader().guard() != null) {
            guardedLanes[track.leader().site().index()] += Integer.bitCount(mask);
        }
        Space space = track.space();
        if (space == null || mask == 0) {
            return;
        }
        switch (space) {
            case SHARED -> shared(track, patterns.get(segment), number, scratch, from, mask);
            case GENERIC -> generic(track, segment, number, from, mask);
            default -> global(track, patterns.get(segment), number, scratch, from, mask);
        }
    }

    private void generic(Track track, int segment, int number, int from, int mask) {
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
            global(track, patterns.get(segment), number, scratch, from, global);
        }
        if (shared != 0) {
            shared(track, sharedOfGeneric.get(segment), number, split, 0, shared);
        }
    }

    private void shared(Track track, Pattern[] known, int number, long[] addresses, int from, int mask) {
        Pattern pattern = pattern(known, number, 0);
        int first = Integer.numberOfTrailingZeros(mask);
        long start = addresses[from + first];
        if (pattern.low != (start & 3) || !same(pattern, addresses, from, mask, start)) {
            sharedRule.count(addresses, from, mask, track.bytes(), track.load());
            pattern.wavefronts = sharedRule.wavefronts();
            pattern.ideal = sharedRule.ideal();
            pattern.low = start & 3;
            pattern.learn(addresses, from, mask, start);
        }
        for (Track.Member member : track.members()) {
            int site = member.site().index();
            sharedRequests[site]++;
            wavefronts[site] += pattern.wavefronts;
            idealWavefronts[site] += pattern.ideal;
        }
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

    private void global(Track track, Pattern[] patternsOfSegment, int number, long[] addresses, int from, int mask) {
        SectorSet set = track.load() ? read : written;
        Pattern pattern = pattern(patternsOfSegment, number, track.members().size());
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
            int site = member.site().index();
            globalRequests[site]++;
            sectors[site] += distances.length;
            // The same place again, or another one from which the same sectors are touched, adds nothing.
            boolean noted = known.first == first
                    && known.place >= 0
                    && !fresh
                    && (known.place == place || Arrays.equals(known.distances[known.place], distances));
            if (!noted) {
                for (long distance : distances) {
                    set.add(first + distance);
                }
                known.first = first;
                known.place = place;
            }
        }
    }
}
