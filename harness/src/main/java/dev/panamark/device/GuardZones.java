package dev.panamark.device;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The bytes on both sides of a buffer, in patterns that no kernel writes by chance. Each zone has its own: a kernel that goes
 * past the ends of two buffers would copy one zone over the other unseen.
 */
public final class GuardZones {
    /** Bytes on either side; a page, so that the buffer between starts on one. */
    public static final int BYTES = 4096;

    /** A prime, so that zones made one after the other begin at places of the pattern that are far apart. */
    private static final int STRIDE = 1543;

    private static final MemorySegment PATTERN = pattern();
    private static final AtomicInteger MADE = new AtomicInteger();

    private final MemorySegment before = next();
    private final MemorySegment after = next();

    private static MemorySegment next() {
        return PATTERN.asSlice(Math.floorMod(MADE.getAndIncrement() * STRIDE, BYTES), BYTES);
    }

    /**
     * Writes the patterns.
     *
     * @param front zone that ends where the buffer begins
     * @param back zone that begins where it ends
     */
    public void arm(MemorySegment front, MemorySegment back) {
        front.copyFrom(before);
        back.copyFrom(after);
    }

    /** What of the zones is no longer as {@link #arm} left it: "12 bytes past its end, the first at +4". */
    public Optional<String> damage(MemorySegment front, MemorySegment back) {
        List<String> found = new ArrayList<>();
        if (front.mismatch(before) >= 0) {
            found.add(changed(front, before) + " before its start, the last at -" + (BYTES - last(front)));
        }
        long first = back.mismatch(after);
        if (first >= 0) {
            found.add(changed(back, after) + " past its end, the first at +" + first);
        }
        return found.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", found));
    }

    private static String changed(MemorySegment zone, MemorySegment pattern) {
        int count = 0;
        for (int i = 0; i < BYTES; i++) {
            count += differ(zone, pattern, i) ? 1 : 0;
        }
        return count + (count == 1 ? " byte" : " bytes");
    }

    private int last(MemorySegment front) {
        int i = BYTES - 1;
        while (!differ(front, before, i)) {
            i--;
        }
        return i;
    }

    private static boolean differ(MemorySegment zone, MemorySegment pattern, int i) {
        return zone.get(ValueLayout.JAVA_BYTE, i) != pattern.get(ValueLayout.JAVA_BYTE, i);
    }

    /** Long enough for a zone that begins anywhere in its first half. */
    private static MemorySegment pattern() {
        byte[] bytes = new byte[2 * BYTES];
        int state = 0x9e3779b9;
        for (int i = 0; i < bytes.length; i++) {
            // Never 0 or 0xff, which are what stray writes most often write.
            state = state * 1664525 + 1013904223;
            bytes[i] = (byte) (1 + (state >>> 24) % 254);
        }
        return MemorySegment.ofArray(bytes);
    }
}
