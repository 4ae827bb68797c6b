package dev.panamark.ptx.check;

import java.util.List;

/**
 * Loads from shared memory of one track that are looked at together: the addresses of each are those that the track noted and its
 * offset.
 */
final class Loads {
    private final int track;
    private final List<Event.Access> all;
    private final int bytes;
    private final int[] sites;

    /** In places from those of the track. */
    private final int[] offsets;

    private final int least;
    private final int most;

    /** @param shift two to the power of it are the bytes of a place */
    Loads(List<Event.Access> all, int shift) {
        this.all = List.copyOf(all);
        this.track = all.getFirst().track();
        this.bytes = all.getFirst().bytes();
        this.sites = all.stream().mapToInt(load -> load.site().index()).toArray();
        this.offsets =
                all.stream().mapToInt(load -> (int) (load.offset() >> shift)).toArray();
        int smallest = Integer.MAX_VALUE;
        int largest = Integer.MIN_VALUE;
        for (int offset : offsets) {
            smallest = Math.min(smallest, offset);
            largest = Math.max(largest, offset);
        }
        this.least = smallest;
        this.most = largest;
    }

    int track() {
        return track;
    }

    /** One after the other. */
    List<Event.Access> all() {
        return all;
    }

    /** Of a lane. */
    int bytes() {
        return bytes;
    }

    int count() {
        return sites.length;
    }

    int site(int number) {
        return sites[number];
    }

    int offset(int number) {
        return offsets[number];
    }

    /** The smallest offset. */
    int least() {
        return least;
    }

    /** The largest one. */
    int most() {
        return most;
    }
}
