package dev.panamark.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** All by hand. */
class NumbersTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0 s",
        "1.5e-9, 1.500 ns",
        "0.00012345, 123.4 \u00b5s", // the double lies below the tie
        "0.001234, 1.234 ms",
        "999.94e-6, 999.9 \u00b5s",
        "999.96e-6, 1.000 ms",
        "12.345678, 12.35 s",
        "4321, 4321 s",
        "-0.002, -2.000 ms",
        "2.5e-13, 250.0 fs",
    })
    void seconds(double value, String text) {
        assertEquals(text, Numbers.seconds(value));
    }

    @ParameterizedTest
    @CsvSource({
        "41.2e9, FLOP/s, 3, 41.2 GFLOP/s",
        "107.9e9, FLOP/s, 3, 108 GFLOP/s",
        "999.6e9, FLOP/s, 3, 1.00 TFLOP/s",
        "989.4e12, FLOP/s, 4, 989.4 TFLOP/s",
        "3.35e12, B/s, 3, 3.35 TB/s",
        "20700, tokens/s, 3, 20.7 ktokens/s",
        "0.5, W, 2, 500 mW",
        "0, W, 2, 0 W",
        "1.98e9, Hz, 4, 1.980 GHz",
        "5e21, B, 3, 5000 EB",
        "4.9e-324, s, 2, 4.9E-309 fs",
        "1e300, s, 2, 1.0E+282 Es",
    })
    void si(double value, String unit, int digits, String text) {
        assertEquals(text, Numbers.si(value, unit, digits));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 3, 0",
        "1234.5, 3, 1234", // half-even
        "1235.5, 3, 1236",
        "99.96, 3, 100",
        "0.0123456, 3, 0.0123",
        "-0.0123456, 3, -0.0123",
        "1, 4, 1.000",
        "9.999, 2, 10",
        "0.95, 1, 0.9", // 0.95 lies below the tie as a double
        "0.000001, 2, 0.0000010",
    })
    void significant(double value, int digits, String text) {
        assertEquals(text, Numbers.significant(value, digits));
    }

    @ParameterizedTest
    @CsvSource({"0.382, 38.2 %", "1, 100 %", "0.9996, 100 %", "0.0512, 5.12 %", "0.00012, 0.0120 %", "3.03, 303 %"})
    void percent(double ratio, String text) {
        assertEquals(text, Numbers.percent(ratio));
    }

    @ParameterizedTest
    @CsvSource({"0, 0 B", "1023, 1023 B", "1024, 1.00 KiB", "16777216, 16.0 MiB", "8.5e10, 79.2 GiB"})
    void bytes(double value, String text) {
        assertEquals(text, Numbers.bytes(value));
    }

    @ParameterizedTest
    @CsvSource({
        "0.25, 0.250 s",
        "12.34, 12.3 s",
        "59.99, 60.0 s",
        "245, 4 min 05 s",
        "7380, 2 h 03 min",
        "3599.7, 1 h 00 min"
    })
    void duration(double seconds, String text) {
        assertEquals(text, Numbers.duration(seconds));
    }

    @Test
    void areTheSameInEveryLocale() {
        Locale before = Locale.getDefault();
        try {
            for (String tag : new String[] {"de-DE", "ar-EG", "hi-IN-u-nu-deva"}) {
                Locale.setDefault(Locale.forLanguageTag(tag));
                assertEquals("1.234 ms", Numbers.seconds(0.001234));
                assertEquals("4 min 05 s", Numbers.duration(245));
                assertEquals("38.2 %", Numbers.percent(0.382));
            }
        } finally {
            Locale.setDefault(before);
        }
    }
}
