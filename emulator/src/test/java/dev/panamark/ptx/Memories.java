package dev.panamark.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Compares what two launches left. */
final class Memories {
    private Memories() {}

    /** The same bits, except where both have some NaN of f32 or f64: which one is not defined. */
    static void assertSame(byte[] expected, byte[] got, String what) {
        ByteBuffer a = ByteBuffer.wrap(expected).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer b = ByteBuffer.wrap(got).order(ByteOrder.LITTLE_ENDIAN);
        assertEquals(expected.length, got.length, what);
        for (int i = 0; i + 8 <= expected.length; i += 8) {
            if (a.getLong(i) == b.getLong(i) || (Double.isNaN(a.getDouble(i)) && Double.isNaN(b.getDouble(i)))) {
                continue;
            }
            for (int k = i; k < i + 8; k += 4) {
                if (!Float.isNaN(a.getFloat(k)) || !Float.isNaN(b.getFloat(k))) {
                    assertEquals(a.getInt(k), b.getInt(k), what + ", byte " + k);
                }
            }
        }
    }
}
