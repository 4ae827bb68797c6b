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
    private static final int STRONG_READ = 1;
    private static final int READ_SITE = 1;

    private static final int WORD = 4;

    /** Two to the power of it are the places of which times are summed up. */
    private static final int CHUNK = 4;

    /** Of a write that is not done yet. */
    private static final int LATER = Integer.MAX_VALUE;

    private final int shift;
    private final Clocks clocks;
    private final Hazards hazards;
    private final int[] writeTimes;
    private final int[] writers;
    private final int[] values;

    /** By chunk: nothing in it was written later. */
    private final int[] latestWrites;

    /** By chunk: the first time of the block in which all of it is known to be written. */
    private final int[] fullSince;

    /** The same of strong writes, which do not race with each other; null until there is one. */
    private int @Nullable [] strongTimes;

    private int[] strongWriters = new int[0];

    /** By place, whoever it was. */
    private final int[] lastReads;

    /** By warp and place: when it was read last, by which instruction and lanes; empty until a warp's reads are noted. */
    private final int[][] readTimes;

    private final int[][] readers;
    private final int[][] readLanes;

    /** The same of lanes that read before with another instruction, which nothing orders before the last read. */
    private final int[][] olderReaders;

    private final int[][] olderLanes;
    private final ReadLog[] logs;

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
        this.hazards = hazards;
        int places = (bytes + (1 << shift) - 1) >> shift;
        int chunks = (places >> CHUNK) + 1;
        writeTimes = new int[places];
        writers = new int[places];
        values = new int[places];
        lastReads = new int[places];
        latestWrites = new int[chunks];
        fullSince = new int[chunks];
        readTimes = new int[warps][0];
        readers = new int[warps][0];
        readLanes = new int[warps][0];
        olderReaders = new int[warps][0];
        olderLanes = new int[warps][0];
        logs = new ReadLog[warps];
        for (int i = 0; i < warps; i++) {
            logs[i] = new ReadLog();
        }
    }

    /** All that was done so far comes before all that follows. */
    void settle() {
        for (ReadLog log : logs) {
            log.drop();
        }
    }

    /**
     * All 32 lanes read, once or more, and nothing is wrong with that.
     *
     * @param address of the first lane, to which offsets are added
     * @return false where each must be looked at, and nothing was noted
     */
    boolean readTogether(int warp, Loads loads, int address, Shape shape) {
        int first = address >> shift;
        if (strongTimes != null || !isSettled(warp, loads, first, shape)) {
            return false;
        }
        ReadLog log = logs[warp];
        if (log.isFull()) {
            flush(warp);
        }
        log.add(loads, first, shape, clocks.now());
        return true;
    }

    /** Whether all places are written, and that before what the warp does. */
    private boolean isSettled(int warp, Loads loads, int first, Shape shape) {
        int[] places = shape.places;
        int from = first + places[0] + loads.least();
        int last = first + places[places.length - 1] + loads.most();
        // Between few and far places are many that nobody reads.
        if (last - from <= 2 * places.length * loads.count() && chunksAreSettled(warp, from, last)) {
            return true;
        }
        int latest = Integer.MIN_VALUE;
        int earliest = Integer.MAX_VALUE;
        for (int load = 0; load < loads.count(); load++) {
            int at = first + loads.offset(load);
            for (int place : places) {
                latest = Math.max(latest, writeTimes[at + place]);
                earliest = Math.min(earliest, writeTimes[at + place]);
            }
        }
        return latest <= clocks.floor(warp) && earliest >= clocks.first();
    }

    private boolean chunksAreSettled(int warp, int from, int last) {
        int floor = clocks.floor(warp);
        for (int chunk = from >> CHUNK; chunk <= last >> CHUNK; chunk++) {
            if (latestWrites[chunk] > floor || !isFull(chunk)) {
                return false;
            }
        }
        return true;
    }

    private boolean isFull(int chunk) {
        int first = clocks.first();
        if (fullSince[chunk] == first) {
            return true;
        }
        int end = Math.min(writeTimes.length, (chunk + 1) << CHUNK);
        for (int at = chunk << CHUNK; at < end; at++) {
            if (writeTimes[at] < first) {
                return false;
            }
        }
        fullSince[chunk] = first;
        return true;
    }

    private void flush(int warp) {
        logs[warp].flush((place, site, lanes, time) -> note(warp, lanes, place, reader(site, false), time));
    }

    private void note(int warp, int lanes, int at, int reader, int time) {
        if (readTimes[warp].length == 0) {
            int places = writeTimes.length;
            readTimes[warp] = new int[places];
            readers[warp] = new int[places];
            readLanes[warp] = new int[places];
            olderReaders[warp] = new int[places];
            olderLanes[warp] = new int[places];
        }
        int before = readTimes[warp][at];
        int who = lanes;
        // What comes after this read comes after those before it, too.
        if (before <= clocks.first() || clocks.ordered(warp, lanes, warp, readLanes[warp][at], before)) {
            olderLanes[warp][at] = 0;
        } else if (readers[warp][at] == reader) {
            who |= readLanes[warp][at];
        } else {
            olderReaders[warp][at] = readers[warp][at];
            olderLanes[warp][at] |= readLanes[warp][at];
        }
        readTimes[warp][at] = time;
        readers[warp][at] = reader;
        readLanes[warp][at] = who;
        lastReads[at] = Math.max(lastReads[at], time);
    }

    /** Lanes read one value together. */
    void read(int warp, int lanes, int site, int address, int bytes, boolean strong) {
        flush(warp);
        int end = (address + bytes) >> shift;
        boolean told = false;
        for (int at = address >> shift; at < end; at++) {
            if (!told && isUnwritten(at, address >> shift, end)) {
                hazards.unwritten(warp, Integer.numberOfTrailingZeros(lanes), site, (long) at << shift);
                told = true;
            }
            told |= !told && isAfterWrite(Hazard.READ_AFTER_WRITE, warp, lanes, site, at, strong);
            note(warp, lanes, at, reader(site, strong), clocks.now());
        }
    }

    /** Whether nothing of the word is written that an access from one place to another reads there: structs have gaps. */
    private boolean isUnwritten(int at, int from, int end) {
        int word = -(WORD >> shift);
        for (int i = Math.max(from, at & word); i < Math.min(end, (at & word) - word); i++) {
            if (isWritten(i)) {
                return false;
            }
        }
        return true;
    }

    private boolean isWritten(int at) {
        int first = clocks.first();
        return writeTimes[at] >= first || (strongTimes != null && strongTimes[at] >= first);
    }

    /** Whether an access comes after a write that nothing orders before it; then it is told. */
    private boolean isAfterWrite(Hazard hazard, int warp, int lanes, int site, int at, boolean strong) {
        return isAfter(hazard, warp, lanes, site, at, writeTimes[at], writers[at])
                || (!strong
                        && strongTimes != null
                        && isAfter(hazard, warp, lanes, site, at, strongTimes[at], strongWriters[at]));
    }

    private boolean isAfter(Hazard hazard, int warp, int lanes, int site, int at, int time, int writer) {
        if (time <= clocks.floor(warp)) {
            return false;
        }
        int otherWarp = writer >>> 5 & 31;
        int otherLane = writer & 31;
        boolean flies = (writer & IN_FLIGHT) != 0;
        if (!flies && clocks.ordered(warp, lanes, otherWarp, 1 << otherLane, time)) {
            return false;
        }
        boolean own = flies && warp == otherWarp && lanes == 1 << otherLane;
        int others = warp == otherWarp ? lanes & ~(1 << otherLane) : lanes;
        hazards.race(
                own ? Hazard.COPY_NOT_AWAITED : hazard,
                warp,
                Integer.numberOfTrailingZeros(others == 0 ? lanes : others),
                site,
                otherWarp,
                otherLane,
                writer >>> WRITE_SITE,
                (long) at << shift);
        return true;
    }

    /**
     * A lane writes.
     *
     * @param value what it writes
     * @param known whether {@code value} is: writing what is there already harms nobody
     */
    void write(int warp, int lane, int site, int address, int bytes, long value, boolean known) {
        int from = address >> shift;
        int end = (address + bytes) >> shift;
        noteReads(from, end);
        int unit = 8 << shift;
        boolean told = false;
        for (int at = from, i = 0; at < end; at++, i++) {
            int part = known ? (int) (value >>> (unit * i)) & (int) ((1L << unit) - 1) : 0;
            boolean same = known
                    && writeTimes[at] >= clocks.first()
                    && (writers[at] & (VALUE_KNOWN | IN_FLIGHT)) == VALUE_KNOWN
                    && values[at] == part;
            told |= !told && !same && isHazard(warp, lane, site, at, false);
            wrote(at, clocks.now(), writer(site, warp, lane, known ? VALUE_KNOWN : 0), part);
        }
    }

    private void wrote(int at, int time, int writer, int value) {
        writeTimes[at] = time;
        writers[at] = writer;
        values[at] = value;
        latestWrites[at >> CHUNK] = Math.max(latestWrites[at >> CHUNK], time);
    }

    /** Reads of places that are to be written are noted one by one. */
    private void noteReads(int from, int end) {
        for (int warp = 0; warp < logs.length; warp++) {
            if (logs[warp].touches(from, end)) {
                flush(warp);
            }
        }
    }

    /**
     * All 32 lanes write, each its own places, and nothing is wrong with that.
     *
     * @param addresses of lanes, from {@code from} on, to which {@code offset} is added
     * @param given what they write: of value v and lane l at {@code 32 v + l}, from {@code slot} on
     * @param count of a lane
     * @return false where each lane must be looked at, and nothing was noted
     */
    boolean writeTogether(
            int warp,
            int site,
            long[] addresses,
            int from,
            int offset,
            int bytes,
            Shape shape,
            long[] given,
            int slot,
            int count) {
        int each = bytes >> shift;
        if (shape.places.length != 32 * each || !isFree(warp, ((int) addresses[from] + offset) >> shift, shape)) {
            return false;
        }
        int unit = 8 << shift;
        int part = (int) ((1L << unit) - 1);
        int ofValue = each / count;
        int now = clocks.now();
        if (shape.isRow && each == 1) {
            int begin = ((int) addresses[from] + offset) >> shift;
            int writer = writer(site, warp, 0, VALUE_KNOWN);
            Arrays.fill(writeTimes, begin, begin + 32, now);
            for (int lane = 0; lane < 32; lane++) {
                writers[begin + lane] = writer + lane;
                values[begin + lane] = (int) given[32 * slot + lane] & part;
            }
            for (int chunk = begin >> CHUNK; chunk <= (begin + 31) >> CHUNK; chunk++) {
                latestWrites[chunk] = Math.max(latestWrites[chunk], now);
            }
            return true;
        }
        for (int lane = 0; lane < 32; lane++) {
            int at = ((int) addresses[from + lane] + offset) >> shift;
            int writer = writer(site, warp, lane, VALUE_KNOWN);
            for (int v = 0; v < count; v++) {
                long value = given[32 * (slot + v) + lane];
                for (int i = 0; i < ofValue; i++, at++) {
                    writeTimes[at] = now;
                    writers[at] = writer;
                    values[at] = (int) (value >>> (unit * i)) & part;
                }
            }
        }
        int first = ((int) addresses[from] + offset) >> shift;
        int last = -1;
        for (int place : shape.places) {
            int chunk = (first + place) >> CHUNK;
            if (chunk != last) {
                latestWrites[chunk] = Math.max(latestWrites[chunk], now);
                last = chunk;
            }
        }
        return true;
    }

    /** Whether what was done at these places comes before what the warp does. */
    private boolean isFree(int warp, int first, Shape shape) {
        if (strongTimes != null) {
            return false;
        }
        int[] places = shape.places;
        noteReads(first + places[0], first + places[places.length - 1] + 1);
        int latest = Integer.MIN_VALUE;
        for (int place : places) {
            latest = Math.max(latest, Math.max(writeTimes[first + place], lastReads[first + place]));
        }
        return latest <= clocks.floor(warp);
    }

    /** A lane writes in a way that does not race with others that do so. */
    void writeStrongly(int warp, int lane, int site, int address, int bytes) {
        if (strongTimes == null) {
            strongTimes = new int[writeTimes.length];
            strongWriters = new int[writeTimes.length];
        }
        int from = address >> shift;
        int end = (address + bytes) >> shift;
        noteReads(from, end);
        boolean told = false;
        for (int at = from; at < end; at++) {
            told |= !told && isHazard(warp, lane, site, at, true);
            strongTimes[at] = clocks.now();
            strongWriters[at] = writer(site, warp, lane, 0);
            writers[at] &= ~VALUE_KNOWN;
        }
    }

    /** Whether a write does not fit with what was before; then it is told. */
    private boolean isHazard(int warp, int lane, int site, int at, boolean strong) {
        int floor = clocks.floor(warp);
        if (isAfterWrite(Hazard.WRITE_AFTER_WRITE, warp, 1 << lane, site, at, strong)) {
            return true;
        }
        for (int other = 0; other < logs.length && lastReads[at] > floor; other++) {
            int time = readTimes[other].length == 0 ? 0 : readTimes[other][at];
            if (time <= floor) {
                continue;
            }
            boolean told = isAfterRead(
                            warp, lane, site, at, strong, other, readers[other][at], readLanes[other][at], time)
                    || isAfterRead(
                            warp, lane, site, at, strong, other, olderReaders[other][at], olderLanes[other][at], time);
            if (told) {
                return true;
            }
        }
        return false;
    }

    private boolean isAfterRead(
            int warp, int lane, int site, int at, boolean strong, int other, int reader, int lanes, int time) {
        int others = warp == other ? lanes & ~(1 << lane) : lanes;
        boolean bothStrong = strong && (reader & STRONG_READ) != 0;
        if (others == 0 || bothStrong || clocks.ordered(warp, 1 << lane, other, others, time)) {
            return false;
        }
        int otherLane = Integer.numberOfTrailingZeros(others);
        long address = (long) at << shift;
        hazards.race(Hazard.WRITE_AFTER_READ, warp, lane, site, other, otherLane, reader >>> READ_SITE, address);
        return true;
    }

    /** A copy begins that writes here until it is waited for. */
    void copyBegins(int warp, int lane, int site, int address, int bytes) {
        write(warp, lane, site, address, bytes, 0, false);
        for (int at = address >> shift; at < (address + bytes) >> shift; at++) {
            wrote(at, LATER, writers[at] | IN_FLIGHT, 0);
        }
    }

    /** It has been waited for by its thread. */
    void copyEnds(int warp, int lane, int address, int bytes) {
        int from = address >> shift;
        int end = (address + bytes) >> shift;
        for (int at = from; at < end; at++) {
            int writer = writers[at];
            if ((writer & IN_FLIGHT) != 0 && (writer >>> 5 & 31) == warp && (writer & 31) == lane) {
                writers[at] = writer & ~IN_FLIGHT;
                writeTimes[at] = clocks.now();
            }
        }
        for (int chunk = from >> CHUNK; chunk <= (end - 1) >> CHUNK; chunk++) {
            int latest = 0;
            for (int at = chunk << CHUNK; at < Math.min(writeTimes.length, (chunk + 1) << CHUNK); at++) {
                latest = Math.max(latest, writeTimes[at]);
            }
            latestWrites[chunk] = latest;
        }
    }

    /** A lane uses what the runtime keeps there, which is made by a write and else orders itself. */
    void use(int warp, int lane, int site, int address, int bytes) {
        boolean told = false;
        for (int at = address >> shift; at < (address + bytes) >> shift && !told; at++) {
            told = isAfterWrite(Hazard.READ_AFTER_WRITE, warp, 1 << lane, site, at, true);
        }
    }

    private static int writer(int site, int warp, int lane, int flags) {
        return site << WRITE_SITE | flags | warp << 5 | lane;
    }

    private static int reader(int site, boolean strong) {
        return site << READ_SITE | (strong ? STRONG_READ : 0);
    }
}
