package dev.panamark.measure;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Gives several subjects their turns in the order A B C, C B A, A B C, … so that whatever drifts while they are sampled
 * drifts for all of them. A turn is some samples long, because a kernel that finds another's data in the caches is not
 * hot; after a change one sample is thrown away. All go on until each has enough: a subject that stopped earlier would
 * be compared with others at another time.
 */
final class Interleaving {
    /** Of a turn; a switch then costs at most a fifth of it. */
    private static final int SAMPLES = 4;

    private static final double SECONDS = 0.025;

    /** Seconds that the fewest samples for an interval may take beyond what there was, for each subject. */
    private static final double REASON = 2;

    private final HostClock clock;
    private final Mode mode;

    Interleaving(HostClock clock, Mode mode) {
        this.clock = clock;
        this.mode = mode;
    }

    /**
     * Samples until every track has enough, or {@code atMost} seconds are spent. The fewest samples that an interval
     * can be made of are taken even when that is later, within reason: a time without an interval is worth little. One
     * sample of each is taken whatever the time is, as what no launch has written cannot be judged.
     */
    void run(List<Track> tracks, double atMost) {
        long start = clock.nanos();
        long end = start + (long) (atMost * 1e9);
        if (tracks.size() == 1) {
            tracks.getFirst().stay(end);
        } else {
            turns(tracks, end);
        }
        long late = start + (long) (Math.max(atMost, REASON * tracks.size()) * 1e9);
        // The quick ones first, so that a slow one does not take the time of which they need little.
        List<Track> quickFirst = new ArrayList<>(tracks);
        quickFirst.sort(Comparator.comparingDouble(Track::sampleSeconds));
        for (Track track : quickFirst) {
            while (track.empty() || (!track.hasInterval() && clock.nanos() < late)) {
                track.visit(1, 0, late);
            }
        }
    }

    private void turns(List<Track> tracks, long end) {
        List<Track> order = new ArrayList<>(tracks);
        @Nullable Track last = null;
        while (clock.nanos() < end && !tracks.stream().allMatch(Track::done)) {
            for (int i = 0; i < order.size(); i++) {
                Track track = order.get(i);
                if (!track.full()) {
                    turn(track, track != last, share(end, order.size() - i));
                    last = track;
                }
            }
            Collections.reverse(order);
        }
    }

    /** The moment until which the next of {@code left} turns may go on when little time is left. */
    private long share(long end, int left) {
        long now = clock.nanos();
        return now + Math.max(0, end - now) / left;
    }

    private void turn(Track track, boolean changed, long until) {
        if (mode == Mode.COLD) {
            track.visit(1, 0, until);
            return;
        }
        if (changed) {
            track.settle();
        }
        track.visit(SAMPLES, SECONDS, until);
    }
}
