package dev.panamark.ptx.count;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Sectors of accesses to global memory whose lanes have the same distances from the first one: they depend on the place of that
 * one in its sector only. Of one thread.
 */
public final class SectorPattern {
    private static final int PLACES = SectorRule.BYTES;

    private final SectorRule rule;

    /** By place of the first lane: sectors relative to its own. */
    private final long[] @Nullable [] sectors = new long[PLACES][];

    /** The same as bits from its own on; 0 where some are before it or too far. */
    private final long[] bits = new long[PLACES];

    /** A place from which the same sectors are touched. */
    private final int[] like = new int[PLACES];

    /** A bit for each place of which it is known. */
    private int known;

    public SectorPattern(SectorRule rule) {
        this.rule = rule;
    }

    /** Begins with other distances. */
    public void forget() {
        known = 0;
    }

    /** Whether it is known what an access touches of which the first lane has the address {@code at}. */
    public boolean knows(long at) {
        return (known >>> (int) at & 1) != 0;
    }

    /**
     * Finds that.
     *
     * @param distances of lanes from the first of {@code mask}
     * @param bytes of one lane
     */
    public void find(long at, long[] distances, int mask, int bytes) {
        int place = place(at);
        int count = rule.count(distances, 0, at, mask, bytes);
        long[] found = sectors[place];
        if (found == null || found.length != count) {
            found = new long[count];
            sectors[place] = found;
        }
        long set = 0;
        boolean fits = true;
        for (int i = 0; i < found.length; i++) {
            found[i] = rule.sector(i) - (at >> SectorRule.BITS);
            fits &= found[i] >= 0 && found[i] < Long.SIZE;
            set |= 1L << found[i];
        }
        bits[place] = fits ? set : 0;
        like[place] = place;
        for (int rest = known; rest != 0; rest &= rest - 1) {
            int other = Integer.numberOfTrailingZeros(rest);
            if (Arrays.equals(sectors[other], found)) {
                like[place] = like[other];
                break;
            }
        }
        known |= 1 << place;
    }

    private static int place(long at) {
        return (int) at & (PLACES - 1);
    }

    /** The same number for addresses of one sector from which the same sectors are touched, another one for others. */
    public int like(long at) {
        return like[place(at)];
    }

    /** Whether two addresses are of one sector and the same sectors are touched from both. */
    public boolean same(long at, long other) {
        return at >> SectorRule.BITS == other >> SectorRule.BITS && like(at) == like(other);
    }

    /** How many sectors are touched. */
    public int count(long at) {
        return of(at).length;
    }

    private long[] of(long at) {
        long[] of = sectors[place(at)];
        if (of == null) {
            throw new IllegalStateException("not found yet: " + at);
        }
        return of;
    }

    /** Those sectors as bits, the lowest for that of the first lane; 0 where some are before it or too far. */
    public long bits(long at) {
        return bits[place(at)];
    }

    /** Adds those sectors. */
    public void addTo(SectorSet set, long at) {
        long first = at >> SectorRule.BITS;
        if (bits(at) != 0) {
            set.add(first, bits(at));
            return;
        }
        for (long sector : of(at)) {
            set.add(first + sector);
        }
    }
}
