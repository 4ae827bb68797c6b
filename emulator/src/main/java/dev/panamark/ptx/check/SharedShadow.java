package dev.panamark.ptx.check;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Who accessed each place of a block's shared memory last. A place is as large as the smallest access of the kernel, at most 4
 * bytes, so that neighbours of 2 bytes are not one place. Arrays are never cleared: times of an earlier block are before those of
 * this one.
 */
final class SharedShadow {
    private static final int THREAD_BITS = 10;
    private static final int IN_FLIGHT = 1 << THREAD_BITS;
    private static final int VALUE_KNOWN = 1 << (THREAD_BITS + 1);
    private static final int WRITE_SITE = THREAD_BITS + 2;
    private static final int LANE_BITS = 6;
    private static final int STRONG_READ = 1 << LANE_BITS;
    private static final int READ_SITE = LANE_BITS + 1;

    /** Of a write that is not done yet. */
    private static final int LATER = Integer.MAX_VALUE;

    private final int shift;
    private final Clocks clocks;
    private final int warps;
    private final int[] writeTimes;
    private final int[] writers;

    /** The same of strong writes, which do not race with each other; null until there is one. */
    private int @Nullable [] strongTimes;

    private int[] strongWriters = new int[0];
    private final int[] values;

    /** By warp and place; null until a warp reads. */
    private final int[][] readTimes;

    private final int[][] readers;
    private final Hazards hazards;

    /** Is told what does not fit. */
    interface Hazards {
        /** A read of a place that nobody wrote. */
        void unwritten(int warp, int lane, int site, long address);

        /** An access that nothing orders after an earlier one. */
        void race(
                Hazard hazard, int warp, int lane, int site, int otherWarp, int otherLane, int otherSite, long address);
    }

    /** What kinds of accesses meet: the later one, after the earlier one. */
    enum Hazard {
        READ_AFTER_WRITE,
        WRITE_AFTER_READ,
        WRITE_AFTER_WRITE,
        /** Of a copy that the thread itself has not waited for. */
        COPY_NOT_AWAITED
    }

    /** @param shift two to the power of it are the bytes of a place */
    SharedShadow(int bytes, int shift, int warps, Clocks clocks, Hazards hazards) {
        this.shift = shift;
        this.clocks = clocks;
        this.warps = warps;
        this.hazards = hazards;
        int places = (bytes + (1 << shift) - 1) >> shift;
        writeTimes = new int[places];
        writers = new int[places];
        values = new int[places];
        readTimes = new int[warps][];
        readers = new int[warps][];
    }

    private void need(int warp) {
        if (readTimes[warp] == null) {
            readTimes[warp] = new int[writeTimes.length];
            readers[warp] = new int[writeTimes.length];
        }
    }

    /** Whether all places from one to another are written, and that before what the warp does. */
    private boolean settled(int warp, int from, int to) {
        int[] times = writeTimes;
        int latest = Integer.MIN_VALUE;
        int earliest = Integer.MAX_VALUE;
        for (int at = from; at < to; at++) {
            latest = Math.max(latest, times[at]);
            earliest = Math.min(earliest, times[at]);
        }
        return strongTimes == null && latest <= clocks.floor(warp) && earliest >= clocks.first();
    }

    /** Whether the warp has read none of the places since its lanes met. */
    private boolean unread(int warp, int from, int to) {
        int[] times = readTimes[warp];
        int latest = Integer.MIN_VALUE;
        for (int at = from; at < to; at++) {
            latest = Math.max(latest, times[at]);
        }
        return latest <= clocks.ownFloor(warp);
    }

    /** All 32 lanes read, each as many bytes after those of the lane before. */
    void readRow(int warp, int site, int address, int bytes, boolean strong) {
        need(warp);
        int from = address >> shift;
        int to = (address + 32 * bytes) >> shift;
        if (!settled(warp, from, to) || !unread(warp, from, to)) {
            for (int lane = 0; lane < 32; lane++) {
                read(warp, lane, site, address + lane * bytes, bytes, strong);
            }
            return;
        }
        Arrays.fill(readTimes[warp], from, to, clocks.now());
        int each = (to - from) / 32;
        int[] by = readers[warp];
        int reader = reader(site, 0, strong);
        if (each == 1) {
            for (int i = 0; i < 32; i++) {
                by[from + i] = reader + i;
            }
        } else {
            for (int lane = 0, at = from; lane < 32; lane++) {
                for (int i = 0; i < each; i++) {
                    by[at++] = reader + lane;
                }
            }
        }
    }

    /** A lane, or {@link Clocks#SEVERAL}, reads. */
    void read(int warp, int lane, int site, int address, int bytes, boolean strong) {
        need(warp);
        int[] times = readTimes[warp];
        int[] by = readers[warp];
        int end = (address + bytes) >> shift;
        boolean told = false;
        for (int at = address >> shift; at < end; at++) {
            if (!told && !isWritten(at)) {
                hazards.unwritten(warp, lane, site, (long) at << shift);
                told = true;
            }
            told |= !told && isAfterWrite(Hazard.READ_AFTER_WRITE, warp, lane, site, at, strong);
            int reader = reader(site, lane, strong);
            if (times[at] > clocks.ownFloor(warp)) {
                int before = by[at];
                if ((before & (STRONG_READ - 1)) != lane) {
                    reader = (reader & -(STRONG_READ << 1)) | Clocks.SEVERAL | (reader & before & STRONG_READ);
                }
            }
            times[at] = clocks.now();
            by[at] = reader;
        }
    }

    private boolean isWritten(int at) {
        int first = clocks.first();
        return writeTimes[at] >= first || (strongTimes != null && strongTimes[at] >= first);
    }

    /** Whether an access comes after a write that nothing orders before it; then it is told. */
    private boolean isAfterWrite(Hazard hazard, int warp, int lane, int site, int at, boolean strong) {
        return isAfter(hazard, warp, lane, site, at, writeTimes[at], writers[at])
                || (!strong
                        && strongTimes != null
                        && isAfter(hazard, warp, lane, site, at, strongTimes[at], strongWriters[at]));
    }

    private boolean isAfter(Hazard hazard, int warp, int lane, int site, int at, int time, int writer) {
        if (time <= clocks.floor(warp)) {
            return false;
        }
        int otherWarp = writer >>> 5 & 31;
        int otherLane = writer & 31;
        boolean flies = (writer & IN_FLIGHT) != 0;
        if (!flies && clocks.ordered(warp, lane, otherWarp, otherLane, time)) {
            return false;
        }
        boolean own = flies && warp == otherWarp && lane == otherLane;
        int otherSite = writer >>> WRITE_SITE;
        long address = (long) at << shift;
        hazards.race(
                own ? Hazard.COPY_NOT_AWAITED : hazard, warp, lane, site, otherWarp, otherLane, otherSite, address);
        return true;
    }

    /**
     * A lane writes.
     *
     * @param value what it writes
     * @param known whether {@code value} is: writing what is there already harms nobody
     */
    void write(int warp, int lane, int site, int address, int bytes, long value, boolean known) {
        int end = (address + bytes) >> shift;
        int unit = 8 << shift;
        boolean told = false;
        for (int at = address >> shift, i = 0; at < end; at++, i++) {
            int part = known ? (int) (value >>> (unit * i)) & (int) ((1L << unit) - 1) : 0;
            boolean same = known
                    && writeTimes[at] >= clocks.first()
                    && (writers[at] & (VALUE_KNOWN | IN_FLIGHT)) == VALUE_KNOWN
                    && values[at] == part;
            told |= !told && !same && isHazard(warp, lane, site, at, false);
            writeTimes[at] = clocks.now();
            writers[at] = writer(site, warp, lane, known ? VALUE_KNOWN : 0);
            values[at] = part;
        }
    }

    /** A lane writes in a way that does not race with others that do so. */
    void writeStrongly(int warp, int lane, int site, int address, int bytes) {
        if (strongTimes == null) {
            strongTimes = new int[writeTimes.length];
            strongWriters = new int[writeTimes.length];
        }
        int end = (address + bytes) >> shift;
        boolean told = false;
        for (int at = address >> shift; at < end; at++) {
            told |= !told && isHazard(warp, lane, site, at, true);
            strongTimes[at] = clocks.now();
            strongWriters[at] = writer(site, warp, lane, 0);
            writers[at] &= ~VALUE_KNOWN;
        }
    }

    /** Whether a write does not fit with what was before; then it is told. */
    private boolean isHazard(int warp, int lane, int site, int at, boolean strong) {
        int floor = clocks.floor(warp);
        if (isAfterWrite(Hazard.WRITE_AFTER_WRITE, warp, lane, site, at, strong)) {
            return true;
        }
        for (int other = 0; other < warps; other++) {
            int[] times = readTimes[other];
            if (times == null || times[at] <= floor) {
                continue;
            }
            int reader = readers[other][at];
            int otherLane = reader & (STRONG_READ - 1);
            boolean bothStrong = strong && (reader & STRONG_READ) != 0;
            if (!bothStrong && !clocks.ordered(warp, lane, other, otherLane, times[at])) {
                int otherSite = reader >>> READ_SITE;
                long address = (long) at << shift;
                hazards.race(Hazard.WRITE_AFTER_READ, warp, lane, site, other, otherLane, otherSite, address);
                return true;
            }
        }
        return false;
    }

    /** A copy begins that writes here until it is waited for. */
    void copyBegins(int warp, int lane, int site, int address, int bytes) {
        write(warp, lane, site, address, bytes, 0, false);
        for (int at = address >> shift; at < (address + bytes) >> shift; at++) {
            writers[at] |= IN_FLIGHT;
            writeTimes[at] = LATER;
        }
    }

    /** It has been waited for by its thread. */
    void copyEnds(int warp, int lane, int address, int bytes) {
        for (int at = address >> shift; at < (address + bytes) >> shift; at++) {
            int writer = writers[at];
            if ((writer & IN_FLIGHT) != 0 && (writer >>> 5 & 31) == warp && (writer & 31) == lane) {
                writers[at] = writer & ~IN_FLIGHT;
                writeTimes[at] = clocks.now();
            }
        }
    }

    /** Only marks as written: what the runtime keeps there is nobody's data. */
    void initialised(int address, int bytes) {
        for (int at = address >> shift; at < (address + bytes) >> shift; at++) {
            writeTimes[at] = Math.max(writeTimes[at], clocks.first());
        }
    }

    private static int writer(int site, int warp, int lane, int flags) {
        return site << WRITE_SITE | flags | warp << 5 | lane;
    }

    private static int reader(int site, int lane, boolean strong) {
        return site << READ_SITE | (strong ? STRONG_READ : 0) | lane;
    }
}
