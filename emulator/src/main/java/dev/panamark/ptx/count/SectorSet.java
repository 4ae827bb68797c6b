package dev.panamark.ptx.count;

import java.util.HashMap;
import java.util.Map;

/** Sectors that were touched. Of one thread; sets of several are united. */
public final class SectorSet {
    /** Sectors of one page: 4 MiB of memory. */
    private static final int PAGE_BITS = 17;

    private static final int PAGE = 1 << PAGE_BITS;

    private static final long[] NOTHING = new long[PAGE / 64];

    private final Map<Long, long[]> pages = new HashMap<>();
    private long lastPage = -1;
    private long[] last = new long[0];

    public void add(long sector) {
        open(sector);
        int at = (int) sector & (PAGE - 1);
        last[at >> 6] |= 1L << at;
    }

    private void open(long sector) {
        long page = sector >> PAGE_BITS;
        if (page != lastPage) {
            last = pages.computeIfAbsent(page, key -> new long[PAGE / 64]);
            lastPage = page;
        }
    }

    /** Adds those of 64 sectors from {@code first} on whose bit is set, the lowest for the first. */
    public void add(long first, long bits) {
        int at = (int) first & (PAGE - 1);
        if (at > PAGE - Long.SIZE) {
            for (long rest = bits; rest != 0; rest &= rest - 1) {
                add(first + Long.numberOfTrailingZeros(rest));
            }
            return;
        }
        open(first);
        last[at >> 6] |= bits << at;
        // Those beyond this word; a shift by 64 is none.
        long beyond = bits >>> 1 >>> (63 - (at & 63));
        if (beyond != 0) {
            last[(at >> 6) + 1] |= beyond;
        }
    }

    public void add(SectorSet other) {
        other.pages.forEach((page, theirs) -> {
            long[] ours = pages.computeIfAbsent(page, key -> new long[PAGE / 64]);
            for (int i = 0; i < ours.length; i++) {
                ours[i] |= theirs[i];
            }
        });
    }

    /** Bytes of those sectors that another set does not hold. */
    public long bytesWithout(SectorSet other) {
        long count = 0;
        for (Map.Entry<Long, long[]> page : pages.entrySet()) {
            long[] theirs = other.pages.getOrDefault(page.getKey(), NOTHING);
            for (int i = 0; i < theirs.length; i++) {
                count += Long.bitCount(page.getValue()[i] & ~theirs[i]);
            }
        }
        return count * SectorRule.BYTES;
    }

    /** Bytes of all sectors. */
    public long bytes() {
        long count = 0;
        for (long[] page : pages.values()) {
            for (long bits : page) {
                count += Long.bitCount(bits);
            }
        }
        return count * SectorRule.BYTES;
    }
}
