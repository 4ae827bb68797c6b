package dev.panamark.device;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The bytes beside a buffer, in a pattern that no kernel writes by chance. */
public final class GuardZone {
    /** Bytes on either side; a page, so that the buffer between starts on one. */
    public static final int BYTES = 4096;

    private static final MemorySegment PATTERN = pattern();

    private final MemorySegment zone;

    private GuardZone(MemorySegment zone) {
        this.zone = zone;
    }

    /** Writes the pattern to a zone. */
    public static void arm(MemorySegment zone) {
        zone.copyFrom(PATTERN);
    }

    /**
     * What of the zones of a buffer is no longer as {@link #arm} left it: "12 bytes past its end, the first at +4".
     *
     * @param before zone that ends where the buffer begins
     * @param after zone that begins where it ends
     */
    public static Optional<String> damage(MemorySegment before, MemorySegment after) {
        GuardZone front = new GuardZone(before);
        GuardZone back = new GuardZone(after);
        List<String> found = new ArrayList<>();
        if (!front.isIntact()) {
            found.add(bytes(front.changed()) + " before its start, the last at -" + (BYTES - front.last()));
        }
        if (!back.isIntact()) {
            found.add(bytes(back.changed()) + " past its end, the first at +" + back.first());
        }
        return found.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", found));
    }

    private static String bytes(int count) {
        return count + (count == 1 ? " byte" : " bytes");
    }

    private boolean isIntact() {
        return zone.mismatch(PATTERN) < 0;
    }

    private int changed() {
        int count = 0;
        for (int i = 0; i < BYTES; i++) {
            count += differs(i) ? 1 : 0;
        }
        return count;
    }

    /** Of a damaged zone. */
    private int first() {
        int i = 0;
        while (!differs(i)) {
            i++;
        }
        return i;
    }

    /** Of a damaged zone. */
    private int last() {
        int i = BYTES - 1;
        while (!differs(i)) {
            i--;
        }
        return i;
    }

    private boolean differs(int i) {
        return zone.get(ValueLayout.JAVA_BYTE, i) != PATTERN.get(ValueLayout.JAVA_BYTE, i);
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
