package dev.panamark.ptx.count;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.function.IntToLongFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The worked examples of facts/emulator.md section 4: published figures of ncu where it names them, else by hand. */
class RulesTest {
    private static Arguments of(
            String what, IntToLongFunction address, int bytes, boolean load, int wavefronts, int ideal) {
        return Arguments.of(what, address, bytes, load, wavefronts, ideal);
    }

    static Stream<Arguments> shared() {
        return Stream.of(
                of("LDS.128 contiguous: 35,377,920 of 8,844,480 requests (t/359822)", t -> 16L * t, 16, true, 4, 4),
                of("LDS.128 with a stride of 128 bytes: 283,023,360 (t/359822)", t -> 128L * t, 16, true, 32, 4),
                of(
                        "column of double smem[32][32], stored: 16,777,216 of 524,288 (t/217015)",
                        t -> 256L * t,
                        8,
                        false,
                        32,
                        2),
                of("row of double smem[32][32], loaded: 1,048,576 of 524,288 (t/217015)", t -> 8L * t, 8, true, 2, 2),
                of("LDS.32 stride 2", t -> 8L * t, 4, true, 2, 1),
                of("LDS.32 stride 32", t -> 128L * t, 4, true, 32, 1),
                of("LDS.32 stride 33", t -> 132L * t, 4, true, 1, 1),
                of("LDS.32 broadcast", t -> 64L, 4, true, 1, 1),
                of("LDS.64 s[t/2]", t -> 8L * (t / 2), 8, true, 1, 1),
                of("LDS.64 s[t%4]: two transactions (t/154784)", t -> 8L * (t % 4), 8, true, 2, 2),
                of("LDS.128 broadcast", t -> 0L, 16, true, 2, 2),
                of("STS.128 broadcast, not paired", t -> 0L, 16, false, 4, 4),
                of("LDS.U8 contiguous: four lanes a word", t -> t, 1, true, 1, 1),
                of("LDS.U16 stride 2 words", t -> 8L * t, 2, true, 2, 1));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void shared(String what, IntToLongFunction address, int bytes, boolean load, int wavefronts, int ideal) {
        long[] addresses = addresses(address);
        SharedRule rule = new SharedRule();
        rule.count(addresses, 0, -1, bytes, load);
        assertEquals(wavefronts, rule.wavefronts(), what);
        assertEquals(ideal, rule.ideal(), what);
    }

    private static long[] addresses(IntToLongFunction address) {
        long[] addresses = new long[32];
        for (int t = 0; t < 32; t++) {
            addresses[t] = address.applyAsLong(t);
        }
        return addresses;
    }

    @Test
    void noActiveLaneCostsNothingAndPhasesWithoutOneNeither() {
        SharedRule rule = new SharedRule();
        rule.count(addresses(t -> 16L * t), 0, 0, 16, true);
        assertEquals(0, rule.wavefronts());
        assertEquals(0, rule.ideal());
        rule.count(addresses(t -> 16L * t), 0, 0x00ff00ff, 16, true);
        assertEquals(2, rule.wavefronts());
        assertEquals(2, rule.ideal());
    }

    static Stream<Arguments> sectors() {
        return Stream.of(
                Arguments.of(
                        "double, contiguous: 4,194,304 of 524,288 (t/217015)",
                        (IntToLongFunction) t -> 8L * t,
                        8,
                        -1,
                        8),
                Arguments.of("float4, contiguous", (IntToLongFunction) t -> 16L * t, 16, -1, 16),
                Arguments.of("a line for each lane (t/312884)", (IntToLongFunction) t -> 128L * t, 4, -1, 32),
                Arguments.of("one lane (t/312884)", (IntToLongFunction) t -> 128L * t, 4, 1, 1),
                Arguments.of("no lane (t/312884)", (IntToLongFunction) t -> 128L * t, 4, 0, 0),
                Arguments.of("float, contiguous, 4 bytes off", (IntToLongFunction) t -> 4 + 4L * t, 4, -1, 5),
                Arguments.of("backwards and twice", (IntToLongFunction) t -> 1024 - 4L * (t / 2), 4, -1, 3));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void sectors(String what, IntToLongFunction address, int bytes, int mask, int expected) {
        assertEquals(expected, new SectorRule().count(addresses(address), 0, 0, mask, bytes), what);
    }

    @Test
    void aSetOfSectorsCountsEachOnce() {
        SectorSet set = new SectorSet();
        for (long sector : new long[] {5, 7, 5, 1L << 30, (1L << 30) + 1, 7}) {
            set.add(sector);
        }
        SectorSet other = new SectorSet();
        other.add(7);
        other.add(8);
        set.add(other);
        assertEquals(5 * 32, set.bytes());
    }
}
