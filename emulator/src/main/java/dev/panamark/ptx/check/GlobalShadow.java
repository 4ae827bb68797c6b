package dev.panamark.ptx.check;

import dev.panamark.ptx.DeviceMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * For every byte of a device's memory whether it was written since it was said to hold nothing, and for every word by which
 * instruction of a kernel it was written last. Threads write a byte and a word each, so that none is lost.
 */
final class GlobalShadow {
    private static final ValueLayout.OfLong EIGHT = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfInt FOUR = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfShort TWO = ValueLayout.JAVA_SHORT_UNALIGNED;

    private static final int WORD = 4;

    private final DeviceMemory memory;

    /** 1 for a byte that holds nothing. */
    private final MemorySegment unwritten;

    private final MemorySegment writers;

    /** Whether any kernel wrote anything; pages that nobody touched take no room. */
    private volatile boolean wrote;

    /** @param states as large as {@code memory}, as is {@code writers} */
    GlobalShadow(DeviceMemory memory, DeviceMemory states, DeviceMemory writers) {
        this.memory = memory;
        this.unwritten = states.all();
        this.writers = writers.all();
    }

    void mark(long address, long bytes, boolean holdsNothing) {
        unwritten.asSlice(address, bytes).fill((byte) (holdsNothing ? 1 : 0));
        if (holdsNothing && wrote) {
            writers.asSlice(address & -4, (bytes + 3) & -4).fill((byte) 0);
        }
    }

    /** The first word of an access that holds nothing, or byte of a smaller one, from its start; -1 where there is none. */
    int firstUnwritten(long address, int bytes) {
        switch (bytes) {
            case 4 -> {
                if (unwritten.get(FOUR, address) == 0) {
                    return -1;
                }
            }
            case 8 -> {
                if (unwritten.get(EIGHT, address) == 0) {
                    return -1;
                }
            }
            case 16 -> {
                if ((unwritten.get(EIGHT, address) | unwritten.get(EIGHT, address + 8)) == 0) {
                    return -1;
                }
            }
            default -> {
                // byte by byte below
            }
        }
        // Of a word that is written in part the rest is a gap of a struct.
        for (int word = 0; word < bytes; word += WORD) {
            int end = Math.min(bytes, word + WORD);
            boolean any = false;
            for (int i = word; i < end; i++) {
                any |= unwritten.get(ValueLayout.JAVA_BYTE, address + i) == 0;
            }
            if (!any) {
                return word;
            }
        }
        return -1;
    }

    /** The first byte from an address on that holds nothing, from there; -1 where all of them hold something. */
    long next(long address, long bytes) {
        for (long i = 0; i < bytes; i++) {
            if (unwritten.get(ValueLayout.JAVA_BYTE, address + i) != 0) {
                return i;
            }
        }
        return -1;
    }

    void write(long address, int bytes, int writer) {
        switch (bytes) {
            case 1 -> unwritten.set(ValueLayout.JAVA_BYTE, address, (byte) 0);
            case 2 -> unwritten.set(TWO, address, (short) 0);
            case 4 -> unwritten.set(FOUR, address, 0);
            default -> {
                for (int i = 0; i < bytes; i += 8) {
                    unwritten.set(EIGHT, address + i, 0);
                }
            }
        }
        if (!wrote) {
            wrote = true;
        }
        for (long at = address & -4; at < address + bytes; at += 4) {
            writers.set(FOUR, at, writer);
        }
    }

    /** The instruction that wrote an address last; 0 where no kernel did. */
    int writer(long address) {
        return writers.get(FOUR, address & -4);
    }

    /** Where in its allocation an address is, for messages. */
    String around(long address) {
        String within = memory.within(address);
        return within.isEmpty() ? "" : " (" + within + ")";
    }
}
