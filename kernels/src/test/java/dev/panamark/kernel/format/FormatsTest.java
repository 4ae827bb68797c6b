package dev.panamark.kernel.format;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.kernel.HandMade;
import dev.panamark.kernel.Tensor;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class FormatsTest {

    /** Figures of the OCP 8-bit floating point specification and, for FNUZ, of the ml_dtypes README. */
    @ParameterizedTest
    @CsvSource({
        "E4M3, 448, 0.015625, 0.001953125, 2, 0",
        "E5M2, 57344, 0.00006103515625, 0.0000152587890625, 6, 2",
        "E4M3FNUZ, 240, 0.0078125, 0.0009765625, 1, 0",
        "E5M2FNUZ, 57344, 0.000030517578125, 0.00000762939453125, 1, 0",
    })
    void eightBitFormatsHaveThePublishedLimits(
            DataType type, double max, double minNormal, double minSubnormal, int nans, int infinities) {
        double[] values = IntStream.range(0, 256)
                .mapToDouble(c -> Formats.decode(type, c))
                .toArray();
        assertEquals(max, Formats.maxFinite(type));
        assertEquals(
                max,
                IntStream.range(0, 256)
                        .mapToDouble(c -> values[c])
                        .filter(Double::isFinite)
                        .max()
                        .orElseThrow());
        assertEquals(minSubnormal, values[1]);
        int fraction = type == DataType.E4M3 || type == DataType.E4M3FNUZ ? 3 : 2;
        assertEquals(minNormal, values[1 << fraction]);
        assertEquals(
                nans,
                IntStream.range(0, 256).filter(c -> Double.isNaN(values[c])).count());
        assertEquals(
                infinities,
                IntStream.range(0, 256)
                        .filter(c -> Double.isInfinite(values[c]))
                        .count());
    }

    /** The definition, written with powers of two: (1 + f / 2^F) 2^(e - bias), or f 2^(1 - bias - F) for e = 0. */
    @ParameterizedTest
    @CsvSource({"E4M3, 3, 7", "E5M2, 2, 15", "E4M3FNUZ, 3, 8", "E5M2FNUZ, 2, 16"})
    void everyFiniteCodeHasTheValueOfTheDefinition(DataType type, int fraction, int bias) {
        int finite = 0;
        for (int c = 0; c < 256; c++) {
            double value = Formats.decode(type, c);
            assertEquals(Double.isFinite(value), Formats.isFinite(type, c), "code " + c);
            if (Double.isFinite(value)) {
                int e = (c & 0x7F) >> fraction;
                double f = (c & ((1 << fraction) - 1)) / Math.pow(2, fraction);
                double magnitude = e == 0 ? f * Math.pow(2, 1 - bias) : (1 + f) * Math.pow(2, e - bias);
                assertEquals(c >= 128 ? -magnitude : magnitude, value, "code " + c);
                finite++;
            }
        }
        assertTrue(finite >= 248);
    }

    @Test
    void nanAndInfinityHaveTheirCodes() {
        assertTrue(Double.isNaN(Formats.decode(DataType.E4M3, 0x7F)));
        assertTrue(Double.isNaN(Formats.decode(DataType.E4M3, 0xFF)));
        assertEquals(Double.POSITIVE_INFINITY, Formats.decode(DataType.E5M2, 0x7C));
        assertEquals(Double.NEGATIVE_INFINITY, Formats.decode(DataType.E5M2, 0xFC));
        assertTrue(Double.isNaN(Formats.decode(DataType.E4M3FNUZ, 0x80)));
        assertTrue(Double.isNaN(Formats.decode(DataType.E5M2FNUZ, 0x80)));
        assertEquals(0x7F, Formats.encode(DataType.E4M3, Double.NaN));
        assertEquals(0x80, Formats.encode(DataType.E4M3FNUZ, Double.NaN));
        assertEquals(0x80, Formats.encodeSaturating(DataType.E5M2FNUZ, Double.NaN));
        assertEquals(0x7E00, Formats.encode(DataType.F16, Double.NaN));
        assertEquals(0, Formats.encode(DataType.I32, Double.NaN));
    }

    /** The JDK's conversion, done by the processor where it can. */
    @Test
    void everyHalfIsTheJdks() {
        for (int c = 0; c < 1 << 16; c++) {
            double jdk = Float.float16ToFloat((short) c);
            assertEquals(jdk, MiniFloat.F16.decode(c), "code " + c);
            assertEquals(jdk, Formats.decode(DataType.F16, c), "code " + c);
        }
    }

    /** A bf16 is the upper half of a float. */
    @Test
    void everyBf16IsTheUpperHalfOfAFloat() {
        for (int c = 0; c < 1 << 16; c++) {
            double upper = Float.intBitsToFloat(c << 16);
            assertEquals(upper, MiniFloat.BF16.decode(c), "code " + c);
            assertEquals(upper, Formats.decode(DataType.BF16, c), "code " + c);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"F16", "BF16", "E4M3", "E5M2", "E4M3FNUZ", "E5M2FNUZ", "I8", "U8", "I16", "U16"})
    void everyCodeComesBack(DataType type) {
        for (long c = 0; c < 1L << (8 * type.bytes()); c++) {
            double value = Formats.decode(type, c);
            long back = Formats.encode(type, value);
            if (Double.isNaN(value)) {
                assertTrue(Double.isNaN(Formats.decode(type, back)), "code " + c);
            } else {
                assertEquals(c, back, "value " + value);
                assertEquals(Double.isInfinite(value), back != Formats.encodeSaturating(type, value));
            }
        }
    }

    /** Against a search through all codes for the nearest value, the even code on a tie. */
    @ParameterizedTest
    @EnumSource(names = {"E4M3", "E5M2", "E4M3FNUZ", "E5M2FNUZ"})
    void theNearestCodeIsFound(DataType type) {
        SplittableRandom random = new SplittableRandom(7);
        for (int n = 0; n < 4000; n++) {
            // Half of them lie exactly between two neighbours.
            int c = random.nextInt(0x7B);
            double low = Formats.decode(type, c);
            double high = Formats.decode(type, c + 1);
            double x = n % 2 == 0 ? (low + high) / 2 : low + (high - low) * random.nextDouble();
            long nearest = x - low < high - x || (x - low == high - x && c % 2 == 0) ? c : c + 1;
            assertEquals(nearest, Formats.encode(type, x), "of " + x);
            if (nearest != 0) {
                assertEquals(nearest | 0x80, Formats.encode(type, -x), "of " + -x);
            }
        }
    }

    /** Worked by hand: neighbours of 1 in e4m3 are 1.125 and 1.25; a step below 2^-6 is 2^-9. */
    @Test
    void tiesGoToTheEvenCode() {
        assertEquals(0x38, Formats.encode(DataType.E4M3, 1.0625));
        assertEquals(0x3A, Formats.encode(DataType.E4M3, 1.1875));
        assertEquals(0x00, Formats.encode(DataType.E4M3, 0x1p-10));
        assertEquals(0x02, Formats.encode(DataType.E4M3, 0x3p-10));
        assertEquals(0x3C00, Formats.encode(DataType.F16, 1 + 0x1p-11));
        assertEquals(0x3C02, Formats.encode(DataType.F16, 1 + 0x3p-11));
        assertEquals(0x3F80, Formats.encode(DataType.BF16, 1 + 0x1p-8));
        assertEquals(2, Formats.encode(DataType.I32, 2.5));
        assertEquals(4, Formats.encode(DataType.I32, 3.5));
    }

    /** 1 + 2^-11 + 2^-40 is above the tie, but a float in between would round it onto the tie and then down. */
    @Test
    void roundsOnce() {
        assertEquals(0x3C01, Formats.encode(DataType.F16, 1 + 0x1p-11 + 0x1p-40));
        assertEquals(0x3C00, Formats.encode(DataType.F16, (float) (1 + 0x1p-11 + 0x1p-40)));
        assertEquals(0x3F81, Formats.encode(DataType.BF16, 1 + 0x1p-8 + 0x1p-40));
        assertEquals(0x39, Formats.encode(DataType.E4M3, 1.0625 + 0x1p-40));
        assertEquals(0x01, Formats.encode(DataType.E4M3, 0x1p-10 + 0x1p-60));
    }

    /** Thresholds of round to nearest even: 464, 61440, 248, 65520. */
    @Test
    void overflowIsNanOrInfinityUnlessItSaturates() {
        assertEquals(0x7E, Formats.encode(DataType.E4M3, 464));
        assertEquals(0x7F, Formats.encode(DataType.E4M3, Math.nextUp(464.0)));
        assertEquals(0x7E, Formats.encodeSaturating(DataType.E4M3, 1e300));
        assertEquals(0xFE, Formats.encodeSaturating(DataType.E4M3, Double.NEGATIVE_INFINITY));
        assertEquals(0x7B, Formats.encode(DataType.E5M2, Math.nextDown(61440.0)));
        assertEquals(0x7C, Formats.encode(DataType.E5M2, 61440));
        assertEquals(0x7B, Formats.encodeSaturating(DataType.E5M2, Double.POSITIVE_INFINITY));
        assertEquals(0x7F, Formats.encode(DataType.E4M3FNUZ, Math.nextDown(248.0)));
        assertEquals(0x80, Formats.encode(DataType.E4M3FNUZ, 248));
        assertEquals(0x7F, Formats.encodeSaturating(DataType.E4M3FNUZ, 1000));
        assertEquals(0xFF, Formats.encodeSaturating(DataType.E5M2FNUZ, -1e9));
        assertEquals(0x7C00, Formats.encode(DataType.F16, 65520));
        assertEquals(0x7BFF, Formats.encode(DataType.F16, Math.nextDown(65520.0)));
        assertEquals(0x7BFF, Formats.encodeSaturating(DataType.F16, 1e6));
        assertEquals(0xFFL, Formats.encode(DataType.U8, 300));
        assertEquals(0x80L, Formats.encode(DataType.I8, -300));
        assertEquals(0xFFFF_FFFFL, Formats.encode(DataType.U32, 1e12));
        assertEquals(-1L, Formats.encode(DataType.U64, 1e30));
    }

    @Test
    void minusZeroIsKeptWhereTheFormatHasIt() {
        assertEquals(0x80, Formats.encode(DataType.E4M3, -0.0));
        assertEquals(0x8000, Formats.encode(DataType.F16, -1e-30));
        assertEquals(0, Formats.encode(DataType.E4M3FNUZ, -0.0));
        assertEquals(0, Formats.encode(DataType.E5M2FNUZ, -1e-30));
    }

    /** The same byte means half as much in FNUZ. */
    @Test
    void fnuzHalvesTheValue() {
        for (int c = 0; c < 0x7F; c++) {
            assertEquals(Formats.decode(DataType.E4M3, c) / 2, Formats.decode(DataType.E4M3FNUZ, c));
        }
    }

    @ParameterizedTest
    @EnumSource
    void roundingKeepsTheOrder(DataType type) {
        SplittableRandom random = new SplittableRandom(11);
        double[] values = random.doubles(4000, -300, 300).sorted().toArray();
        double last = Double.NEGATIVE_INFINITY;
        int distinct = 0;
        for (double v : values) {
            double rounded = Formats.decode(type, Formats.encodeSaturating(type, v));
            assertTrue(rounded >= last, v + " became " + rounded + " after " + last);
            distinct += rounded > last ? 1 : 0;
            last = rounded;
        }
        assertTrue(distinct > 50, distinct + " different values");
    }

    @ParameterizedTest
    @EnumSource
    void elementsAreReadWhereTheyWereWritten(DataType type) {
        Tensor t = HandMade.zeros(type, 3, 2);
        Formats.set(t, 4, 3);
        Formats.set(t, 5, 1);
        assertArrayEquals(new double[] {0, 0, 0, 0, 3, 1}, Formats.read(t));
        assertEquals(3, Formats.get(t, 4));
        double[] some = new double[4];
        Formats.read(t, 3, 3, some, 1);
        assertArrayEquals(new double[] {0, 0, 3, 1}, some);
        Formats.write(t, 1, 2, new double[] {7, 6}, true);
        assertArrayEquals(new double[] {0, 7, 6, 0, 3, 1}, Formats.read(t));
    }

    @Test
    void elementsAreLittleEndian() {
        Tensor t = HandMade.tensor(DataType.F32, new double[] {1}, 1);
        assertEquals(0x3F, t.data().get(java.lang.foreign.ValueLayout.JAVA_BYTE, 3));
        assertEquals(0, t.data().get(java.lang.foreign.ValueLayout.JAVA_BYTE, 0));
    }

    @Test
    void unsignedAndWideIntegersHaveTheirValues() {
        assertEquals(0x1p64, Formats.decode(DataType.U64, -1L));
        assertEquals(0x1p63, Formats.decode(DataType.U64, Long.MIN_VALUE));
        assertEquals(Long.MIN_VALUE, Formats.encode(DataType.U64, 0x1p63));
        assertEquals(-1, Formats.decode(DataType.I8, 0xFF));
        assertEquals(65535, Formats.decode(DataType.U16, 0xFFFF));
        assertEquals(2147480000, Formats.decode(DataType.I32, Formats.encode(DataType.I32, 2147480000)));
        assertFalse(Formats.isFinite(DataType.F32, 0x7F80_0000L));
        assertTrue(Formats.isFinite(DataType.I32, 0x7F80_0000L));
    }
}
