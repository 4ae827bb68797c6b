package dev.panamark.kernel;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Values that a person gives to an axis on the command line.
 *
 * @param name of the axis
 * @param values at least one, in order
 * @param text as written, for messages
 */
public record AxisOverride(String name, List<Value> values, String text) {
    private static final int MAX_VALUES = 10_000;
    private static final int MAX_TEXT = 100_000;
    private static final Pattern FORM = Pattern.compile("\\s*([A-Za-z_][A-Za-z0-9_]*)\\s*(\\[[^\\]]*\\])?\\s*=(.*)");
    private static final Pattern NUMBER = Pattern.compile("[-+]?[0-9]{1,19}(\\.[0-9]{1,19})?");
    private static final String FORMS =
            "expected name=1,2,3 or name=[1,2] or name=start:stop:step (stop included) or \"name[pow2]=9:14\"";

    /** Copies. */
    public AxisOverride {
        values = List.copyOf(values);
    }

    /**
     * Reads {@code name=1,2,3}, {@code name=[1,2]}, {@code name=start:stop[:step]} (stop included) or
     * {@code name[pow2]=9:14[:step]} (exponents of two).
     *
     * @throws KernelFileException where it is none of these
     */
    public static AxisOverride parse(String text) {
        if (text.length() > MAX_TEXT) {
            throw fault(Field.shown(text), "is longer than " + MAX_TEXT + " characters");
        }
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw fault(text, "is no axis with values; " + FORMS);
        }
        boolean powers = form.group(2) != null;
        if (powers && !form.group(2).equals("[pow2]")) {
            throw fault(text, "'" + form.group(2) + "' is unknown; expected [pow2] or nothing");
        }
        String list = form.group(3).strip();
        boolean opens = list.startsWith("[");
        if (opens != list.endsWith("]")) {
            throw fault(text, "has a bracket without its partner; " + FORMS);
        }
        if (opens) {
            list = list.substring(1, list.length() - 1).strip();
        }
        if (list.isEmpty()) {
            throw fault(text, "gives no value; " + FORMS);
        }
        List<Value> values = list.contains(":") ? range(text, list) : items(text, list);
        if (powers) {
            values = values.stream().map(v -> power(text, v)).toList();
        }
        if (new HashSet<>(values).size() != values.size()) {
            throw fault(text, "gives a value twice");
        }
        return new AxisOverride(form.group(1), values, text);
    }

    /** What is wrong with this override. */
    KernelFileException fault(String what) {
        return fault(text, what);
    }

    private static KernelFileException fault(String text, String what) {
        return new KernelFileException("-a " + text, 0, "", what);
    }

    private static List<Value> items(String text, String list) {
        List<Value> values = new ArrayList<>();
        for (String item : list.split(",", -1)) {
            String word = item.strip();
            values.add(AxisValues.parse(word, false)
                    .orElseThrow(() -> fault(text, "'" + word + "' is no value; expected " + AxisValues.EXPECTED)));
        }
        if (values.size() > MAX_VALUES) {
            throw fault(text, "gives " + values.size() + " values, more than " + MAX_VALUES);
        }
        return values;
    }

    private static List<Value> range(String text, String list) {
        List<String> parts =
                Arrays.stream(list.split(":", -1)).map(String::strip).toList();
        if (parts.size() > 3 || !parts.stream().allMatch(p -> NUMBER.matcher(p).matches())) {
            throw fault(text, "'" + list + "' is no range; expected start:stop or start:stop:step with numbers");
        }
        BigDecimal start = new BigDecimal(parts.get(0));
        BigDecimal stop = new BigDecimal(parts.get(1));
        BigDecimal step = parts.size() == 3 ? new BigDecimal(parts.get(2)) : BigDecimal.ONE;
        if (step.signum() == 0 || stop.subtract(start).signum() * step.signum() < 0) {
            throw fault(text, "'" + list + "' never reaches its stop; expected a step towards it");
        }
        BigDecimal steps = stop.subtract(start).divideToIntegralValue(step);
        if (steps.compareTo(BigDecimal.valueOf(MAX_VALUES)) >= 0) {
            throw fault(text, "'" + list + "' has more than " + MAX_VALUES + " values");
        }
        List<Value> values = new ArrayList<>();
        try {
            for (int i = 0; i <= steps.intValueExact(); i++) {
                values.add(AxisValues.of(start.add(step.multiply(BigDecimal.valueOf(i)))));
            }
        } catch (ArithmeticException e) {
            throw fault(text, "'" + list + "' goes beyond 2^63-1");
        }
        return values;
    }

    private static Value power(String text, Value exponent) {
        if (exponent instanceof Value.Int(long n) && n >= 0 && n <= 62) {
            return new Value.Int(1L << n);
        }
        throw fault(text, "'" + exponent + "' is no exponent of two; expected a whole number from 0 to 62");
    }
}
