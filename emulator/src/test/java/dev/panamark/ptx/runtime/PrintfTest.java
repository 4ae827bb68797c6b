package dev.panamark.ptx.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Formats against what printf of glibc 2.36 prints. */
class PrintfTest {
    private static String print(String format, long bits) {
        return Printf.format(format, new Printf.Arguments() {
                    @Override
                    public long next(int bytes) {
                        return bytes == 4 ? bits & 0xffffffffL : bits;
                    }

                    @Override
                    public String text(long address) {
                        return "text";
                    }
                })
                .text();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "'%d'; -5; '-5'",
                "'[%5d]'; -5; '[   -5]'",
                "'[%-5d]'; 42; '[42   ]'",
                "'[%05d]'; -42; '[-0042]'",
                "'[%+d]'; 7; '[+7]'",
                "'[% d]'; 7; '[ 7]'",
                "'[%.3d]'; 5; '[005]'",
                "'[%6.3d]'; -5; '[  -005]'",
                "'[%06.3d]'; 5; '[   005]'",
                "'%u'; -1; '4294967295'",
                "'%x'; -1; 'ffffffff'",
                "'%#x'; 255; '0xff'",
                "'[%#08x]'; 255; '[0x0000ff]'",
                "'%X'; 48879; 'BEEF'",
                "'%#o'; 8; '010'",
                "'%hhd'; 300; '44'",
                "'%hd'; 70000; '4464'",
                "'%hu'; 70000; '4464'",
                "'%lld'; -5000000000; '-5000000000'",
                "'%lu'; -1; '18446744073709551615'",
                "'%c'; 65; 'A'",
                "'[%3c]'; 66; '[  B]'",
                "'[%-3c]'; 66; '[B  ]'",
                "'%5%|%d'; 3; '%|3'",
                "'%#X'; 48879; '0XBEEF'",
                "'%.0d|'; 0; '|'",
                "'%zu'; 77; '77'",
            })
    void wholeNumbers(String format, long value, String expected) {
        assertEquals(expected, print(format, value));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "'%f'; 1.5; '1.500000'",
                "'%.0f'; 2.5; '2'",
                "'%.0f'; 3.5; '4'",
                "'%8.3f|'; -3.14159; '  -3.142|'",
                "'%-8.2f|'; 2.0; '2.00    |'",
                "'%08.2f'; -2.5; '-0002.50'",
                "'%+.1f'; 0.05; '+0.1'",
                "'%e'; 12345.678; '1.234568e+04'",
                "'%.2e'; 9.999; '1.00e+01'",
                "'%E'; 1e-07; '1.000000E-07'",
                "'%.0e'; 15.0; '2e+01'",
                "'%g'; 100000.0; '100000'",
                "'%g'; 1000000.0; '1e+06'",
                "'%g'; 0.0001; '0.0001'",
                "'%g'; 1.234e-05; '1.234e-05'",
                "'%g'; 0.0; '0'",
                "'%g'; -0.0; '-0'",
                "'%.3g'; 2.9996; '3'",
                "'%#g'; 1.0; '1.00000'",
                "'%G'; 1e-10; '1E-10'",
                "'%10.4g|'; 3.14159; '     3.142|'",
                "'%a'; 1.0; '0x1p+0'",
                "'%a'; -0.15625; '-0x1.4p-3'",
                "'%f'; Infinity; 'inf'",
                "'[%08f]'; -Infinity; '[    -inf]'",
                "'%F'; NaN; 'NAN'",
                "'%e'; 1e+300; '1.000000e+300'",
                "'%.10f'; 0.3333333333333333; '0.3333333333'",
                "'%g'; 123456789.0; '1.23457e+08'",
                "'%.15g'; 0.1; '0.1'",
                "'%e'; 0.0; '0.000000e+00'",
            })
    void realNumbers(String format, double value, String expected) {
        assertEquals(expected, print(format, Double.doubleToRawLongBits(value)));
    }
}
