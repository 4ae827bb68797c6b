package dev.panamark.ptx.count;

/** Sectors of an access to global memory: distinct blocks of 32 bytes that its active lanes touch. Of one thread. */
public final class SectorRule {
    /** Bytes of a sector, a power of two. */
    public static final int BITS = 5;

    public static final int BYTES = 1 << BITS;

    private static final int TABLE = 256;

    private final long[] table = new long[TABLE];
    private final int[] stamps = new int[TABLE];
    private final long[] sectors = new long[64];
    private int stamp;
    private int count;

    /** Of the last access, in the order in which lanes touched them first. */
    public long sector(int i) {
        return sectors[i];
    }

    /**
     * Counts an access.
     *
     * @param addresses of lane l at {@code from + l}, {@code offset} to be added
     * @param bytes of one lane, at most 32
     * @return the number of sectors
     */
    public int count(long[] addresses, int from, long offset, int mask, int bytes) {
        count = 0;
        stamp++;
        long last = -1;
        for (int rest = mask; rest != 0; rest &= rest - 1) {
            long address = addresses[from + Integer.numberOfTrailingZeros(rest)] + offset;
            long first = address >> BITS;
            if (first != last) {
                add(first);
            }
            last = (address + bytes - 1) >> BITS;
            if (first != last) {
                add(last);
            }
        }
        return count;
    }

    private void add(long sector) {
        int at = (int) ((sector * 0x9E3779B97F4A7C15L) >>> 56);
        while (stamps[at] == stamp) {
            if (table[at] == sector) {
                return;
            }
            at = (at + 1) & (TABLE - 1);
        }
        stamps[at] = stamp;
        table[at] = sector;
        sectors[count++] = sector;
    }
}
