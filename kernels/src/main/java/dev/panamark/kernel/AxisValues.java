package dev.panamark.kernel;

import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Values of axes as people write them. */
final class AxisValues {
    static final String EXPECTED =
            "a whole number to 2^63-1, a real number, true, false or a word (letters, digits, '_', '.', '+', '-')";

    private static final Pattern WHOLE = Pattern.compile("[-+]?[0-9]+");
    private static final Pattern REAL = Pattern.compile("[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]{1,4})?");
    // Words go into compiler options, so nothing that a shell or a path could mistake.
    private static final Pattern WORD = Pattern.compile("[A-Za-z0-9_.+-]{1,100}");

    private AxisValues() {}

    /** The value that a text stands for; empty where it is none. */
    static Optional<Value> parse(String text, boolean word) {
        if (!word && WHOLE.matcher(text).matches()) {
            try {
                return Optional.of(new Value.Int(Long.parseLong(text)));
            } catch (NumberFormatException e) {
                return Optional.empty();
            }
        }
        if (!word && REAL.matcher(text).matches()) {
            double value = Double.parseDouble(text);
            return Double.isFinite(value) ? Optional.of(new Value.Real(value)) : Optional.empty();
        }
        if (!word && (text.equals("true") || text.equals("false"))) {
            return Optional.of(new Value.Bool(text.equals("true")));
        }
        return WORD.matcher(text).matches() ? Optional.of(new Value.Text(text)) : Optional.empty();
    }

    /** What kind of values these are; "values of several kinds" where they differ. */
    static String kind(List<Value> values) {
        List<String> kinds = values.stream().map(AxisValues::kind).distinct().toList();
        if (kinds.size() == 1) {
            return kinds.getFirst();
        }
        return kinds.stream().allMatch(k -> k.endsWith("numbers")) ? "numbers" : "values of several kinds";
    }

    /** Whether an axis of this kind takes these values. */
    static boolean fits(List<Value> values, String kind) {
        String got = kind(values);
        return got.equals(kind) || (kind.equals("numbers") && got.equals("whole numbers"));
    }

    /** The exact number, word or truth that expressions see. */
    static Object exact(Value value) {
        return switch (value) {
            case Value.Int i -> Rational.of(i.value());
            case Value.Real r -> Rational.of(r.value());
            case Value.Text t -> t.value();
            case Value.Bool b -> b.value();
        };
    }

    /** The value of an exact decimal: whole where it is whole. */
    static Value of(BigDecimal number) {
        BigDecimal plain = number.stripTrailingZeros();
        return plain.scale() <= 0 ? new Value.Int(plain.longValueExact()) : new Value.Real(plain.doubleValue());
    }

    private static String kind(Value value) {
        return switch (value) {
            case Value.Int i -> "whole numbers";
            case Value.Real r -> "numbers";
            case Value.Text t -> "words";
            case Value.Bool b -> "true or false";
        };
    }
}
