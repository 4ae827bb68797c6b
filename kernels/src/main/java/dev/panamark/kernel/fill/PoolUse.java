package dev.panamark.kernel.fill;

import dev.panamark.kernel.Buffer;

/** Which slots of a pool of pages hold a token of some sequence. */
final class PoolUse {
    private final long pageStride;
    private final long pages;
    private final long slotStride;
    private final long slots;
    private final int[] used;

    /**
     * @param used for each page, how many of its slots are in use, from slot 0 on
     */
    PoolUse(Buffer pool, Buffer.Paging paging, int[] used) {
        this.pageStride = Spread.stride(pool.shape(), paging.pageDim());
        this.pages = pool.shape().dim(paging.pageDim());
        this.slotStride = Spread.stride(pool.shape(), paging.slotDim());
        this.slots = pool.shape().dim(paging.slotDim());
        this.used = used;
    }

    /** Elements from one multiple of this on are in the same slot of the same page. */
    long run() {
        return Math.min(pageStride, slotStride);
    }

    /** Whether the element at a position of the pool belongs to a sequence. */
    boolean uses(long position) {
        return position / slotStride % slots < used[(int) (position / pageStride % pages)];
    }
}
