package dev.panamark.kernel;

import static dev.panamark.kernel.KernelFiles.assertHas;
import static dev.panamark.kernel.KernelFiles.fault;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Expected values are hand calculations, or Java's own long and double arithmetic where the test says so. */
class FormulaTest {
    private static final Names NAMES = new Names(Set.of("n", "page", "dtype", "flag", "zero"), Set.of("kv"), false);

    private static final Scope SCOPE = new Scope() {
        @Override
        public Object value(String name) {
            return switch (name) {
                case "n" -> Rational.of(1000);
                case "page" -> Rational.of(48);
                case "zero" -> Rational.ZERO;
                case "flag" -> true;
                default -> "f16";
            };
        }

        @Override
        public Rational device(String name) {
            if (name.equals("units")) {
                return Rational.of(132);
            }
            throw new MissingDeviceValue("needs device." + name);
        }

        @Override
        public Rational call(Formula.Call call) {
            throw new IllegalStateException();
        }

        @Override
        public String situation(Set<String> names) {
            return names.stream().map(n -> n + "=" + value(n)).collect(Collectors.joining(" ", " (", ")"));
        }
    };

    private static Formula formula(String text) {
        String yaml = "a: 1\nx: |-\n  " + text + "\n";
        return Formula.read(
                YamlFile.parse("f.yaml", yaml.getBytes(StandardCharsets.UTF_8))
                        .keys("a", "x")
                        .required("x", ""),
                NAMES);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "1 + 2*3; 7",
                "(1 + 2)*3; 9",
                "10 - 4 - 3; 3",
                "-2*-3; 6",
                "2 - -1; 3",
                "ceil(n/page); 21",
                "floor(n/page); 20",
                "round(n/page); 21",
                "round(-5/2); -3",
                "floor(-5/2); -3",
                "ceil(-5/2); -2",
                "n % page; 40",
                "-7 % 3; -1",
                "floor(n/3*3); 1000",
                "ceil(n/7*7); 1000",
                "abs(3 - n); 997",
                "min(7, 3, 5); 3",
                "max(7, n, 5); 1000",
                "sqrt(144); 12",
                "log2(4096); 12",
                "pow(2, 62); 4611686018427387904",
                "pow(2, 10); 1024",
                "pow(2, -1)*8; 4",
                "if(n > page, 1, 2); 1",
                "if(dtype == \"f16\", 2, 4); 2",
                "if(dtype == 'f32', 2, 4); 4",
                "if(flag && n == 1000, 5, 6); 5",
                "if(true, 1, 1/zero); 1",
                "device.units*2; 264",
                "0x10; 16",
                "2.5*2; 5",
                "1e3; 1000",
                "9223372036854775807; 9223372036854775807",
                "9223372036854775806 + 1; 9223372036854775807",
                // In double precision this would be 9007199254740992.
                "9007199254740993; 9007199254740993",
                "3037000499*3037000499; 9223372030926249001",
                "9223372036854775807*9223372036854775807/9223372036854775807; 9223372036854775807",
            })
    void wholeNumbersAreExact(String text, long expected) {
        assertEquals(expected, formula(text).whole(SCOPE, Long.MIN_VALUE));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "1/sqrt(128); 0.08838834764831845",
                "1/3; 0.3333333333333333",
                "1e-3; 0.001",
                "sqrt(2); 1.4142135623730951"
            })
    void realsAreTheNearestDoubles(String text, double expected) {
        assertEquals(expected, formula(text).real(SCOPE));
    }

    @Test
    void logarithmsAndRootsOfOtherNumbersAreOfDoublePrecision() {
        assertEquals(Math.log(1000) / Math.log(2), formula("log2(n)").real(SCOPE), 1e-15);
        assertEquals(Math.pow(1000, 0.3), formula("pow(n, 0.3)").real(SCOPE), 1e-14);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "n % 8 == 0; true",
                "n % page == 0; false",
                "n > 1 && page > 100; false",
                "n > 1 || 1/zero > 1; true",
                "!(n > 1); false",
                "dtype != 'f32'; true",
                "flag; true",
                "0.1 + 0.2 == 0.3; true"
            })
    void conditions(String text, boolean expected) {
        assertEquals(expected, formula(text).truth(SCOPE));
    }

    @Test
    void namesThatItUses() {
        assertEquals(Set.of("n", "page"), formula("ceil(n/page)*device.units").names());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "n/zero; division by zero; (n=1000 zero=0)",
                "n % zero; division by zero; zero=0",
                "n/page; is 20.83; expected a whole number",
                "9223372036854775807 + 1; is 9223372036854775808; beyond 2^63-1",
                "pow(2, 63); 9223372036854775808; beyond 2^63-1",
                "pow(2, 5000); more than 4096 bits; pow",
                "pow(pow(pow(10, 1000), 1000), 1000); more than 4096 bits; pow",
                "1e999999999; more than 4096 bits; 1e999999999",
                "sqrt(-1); square root of -1; negative",
                "log2(0); log2 of 0; not above zero",
                "pow(-2, 0.5); is no real number; pow(-2, 0.5)",
                "dtype + 1; the word 'f16' to +; expected a number",
                "dtype; the word 'f16'; expected a number",
                "n == dtype; compares the number 1000 == the word 'f16'; two of a kind",
                "n && flag; the number 1000 to &&; expected a comparison",
                "n > 1; is true; expected a number",
                "-dtype; the word 'f16' to -; expected a number",
            })
    void valuesThatAreNone(String text, String fragment, String other) {
        assertHas(fault(() -> formula(text).whole(SCOPE, Long.MIN_VALUE)), "f.yaml:2: x: \"" + text, fragment, other);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '#',
            value = {
                "pages*2; unknown name 'pages'; did you mean 'page'?",
                "N*2; unknown name 'N'; did you mean 'n'?",
                "True; unknown name 'True'; there are",
                "cell(n); unknown function 'cell'; did you mean 'ceil'?",
                "MIN(n, 2); unknown function 'MIN'; did you mean 'min'?",
                "random(); unknown function 'random'; there are: min, max, ceil",
                "bytes(kv); uses bytes(); allowed under work only",
                "kv*2; uses the buffer 'kv' as a number; expected an axis or a let",
                "n +; is not an expression; n +",
                "2 n; is not an expression; 2 n",
                "n page; is not an expression; n page",
                "(n; is not an expression; (n",
                "n); is not an expression; n)",
                "n = 3; is not an expression; n = 3",
                "n ^ 2; is not an expression; n ^ 2",
                "n[0]; is not an expression; n[0]",
                "min(); gives 0 parameters to min(); expected at least 1",
                "pow(2); is not an expression; pow(2)",
                "sqrt(1, 2); is not an expression; sqrt(1, 2)",
                "host.units; only device has values; host.units",
                "device; uses 'device' alone; device.units",
                "n.units; only device has values; n.units",
                "'abc; is not an expression; abc",
                "$n; is not an expression; $n",
                "1..2; is not an expression; 1..2",
            })
    void textsThatAreNoExpressions(String text, String fragment, String other) {
        assertHas(fault(() -> formula(text)), "f.yaml:2: x: \"" + text, fragment, other);
    }

    @Test
    void lengthAndDepthAreBounded() {
        String sum = IntStream.range(0, 70).mapToObj(i -> "1").collect(Collectors.joining("+"));
        assertHas(fault(() -> formula(sum)), "deeper than 64 levels");
        assertHas(fault(() -> formula("1" + " ".repeat(1200) + "+ 1")), "more than the 1000");
        assertEquals(5, formula("(".repeat(400) + "5" + ")".repeat(400)).whole(SCOPE, 0));
    }

    @Test
    void aMissingDeviceValueIsNoFaultOfTheFile() {
        assertThrows(
                Scope.MissingDeviceValue.class, () -> formula("device.shared").real(SCOPE));
        assertEquals(1, formula("if(flag, 1, device.shared)").whole(SCOPE, 0));
    }

    @Test
    void valuesKeepTheirKind() {
        assertEquals(new Value.Int(21), formula("ceil(n/page)").value(SCOPE));
        assertEquals(new Value.Real(0.5), formula("1/2").value(SCOPE));
        assertEquals(new Value.Text("f16"), formula("dtype").value(SCOPE));
        assertEquals(new Value.Bool(false), formula("n < 0").value(SCOPE));
        assertHas(fault(() -> formula("1e30").value(SCOPE)), "beyond 2^63-1");
        assertEquals(1e30, formula("1e30").real(SCOPE));
    }

    @Test
    void fractionsCompareAndRoundExactly() {
        Map<String, Rational> cases = Map.of(
                "1/3",
                Rational.of(1).divide(Rational.of(3)),
                "-1/3",
                Rational.of(-1).divide(Rational.of(3)));
        cases.forEach((name, value) -> {
            assertFalse(value.isWhole(), name);
            assertEquals(Rational.ONE, value.abs().multiply(Rational.of(3)), name);
        });
        assertTrue(Rational.of(1).divide(Rational.of(3)).compareTo(Rational.of(0.3333333333333333)) > 0);
        assertEquals("1000", Rational.of(1000).toString());
    }
}
