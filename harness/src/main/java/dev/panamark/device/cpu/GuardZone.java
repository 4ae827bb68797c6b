package dev.panamark.device.cpu;

import java.lang.foreign.MemorySegment;

/** The bytes beside a buffer, in a pattern that no kernel writes by chance. */
final class GuardZone {
    /** Bytes on either side; a page, so that the buffer between starts on one. */
    static final int BYTES = 4096;

    private static final MemorySegment PATTERN = pattern();

    private final MemorySegment zone;

    /** Writes the pattern. */
    GuardZone(MemorySegment zone) {
        this.zone = zone.copyFrom(PATTERN);
    }

    /** Bytes that differ from the pattern. */
    int changed() {
        int count = 0;
        for (int i = 0; i < BYTES; i++) {
            count += differs(i) ? 1 : 0;
        }
        return count;
    }

    boolean isIntact() {
        return zone.mismatch(PATTERN) < 0;
    }

    /** Offset of the first changed byte, in the zone; of an intact one, its size. */
    int first() {
        int i = 0;
        while (i < BYTES && !differs(i)) {
            i++;
        }
        return i;
    }

    /** Offset of the last changed byte, in the zone; of an intact one, -1. */
    int last() {
        int i = BYTES - 1;
        while (i >= 0 && !differs(i)) {
            i--;
        }
        return i;
    }

    private boolean differs(int i) {
        return zone.get(java.lang.foreign.ValueLayout.JAVA_BYTE, i)
                != PATTERN.get(java.lang.foreign.ValueLayout.JAVA_BYTE, i);
    }

    private static MemorySegment pattern() {
        byte[] bytes = new byte[BYTES];
        int state = 0x9e3779b9;
        for (int i = 0; i < BYTES; i++) {
            // Never 0 or 0xff, which are what stray writes most often write.
            state = state * 1664525 + 1013904223;
            bytes[i] = (byte) (1 + (state >>> 24) % 254);
        }
        return MemorySegment.ofArray(bytes);
    }
}
