package dev.panamark.cli;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A length of time on the command line: {@code 90s}, {@code 5m}, {@code 250ms}, {@code 1.5h}; without unit, seconds. */
final class Seconds implements ITypeConverter<Double> {
    private static final Pattern FORM = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)(ms|s|m|min|h)?");

    /** A year: beyond any run, and far below what nanoseconds in a long can hold. */
    private static final double MOST = 366.0 * 24 * 3600;

    @Override
    public Double convert(String text) {
        Matcher m = FORM.matcher(text.strip());
        if (!m.matches()) {
            throw new TypeConversionException("'" + text + "' is not a length of time such as 90s, 5m, 250ms or 2h");
        }
        double unit = switch (m.group(2) == null ? "s" : m.group(2)) {
            case "ms" -> 1e-3;
            case "m", "min" -> 60;
            case "h" -> 3600;
            default -> 1;
        };
        double seconds = Double.parseDouble(m.group(1)) * unit;
        if (!(seconds > 0) || seconds > MOST) {
            throw new TypeConversionException("'" + text + "' must be more than 0 and at most a year");
        }
        return seconds;
    }
}
