package dev.panamark.cli;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A share on the command line: {@code 1%}, or {@code 0.01}. */
final class Share implements ITypeConverter<Double> {
    private static final Pattern FORM = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)\\s*(%)?");

    @Override
    public Double convert(String text) {
        Matcher m = FORM.matcher(text.strip());
        if (!m.matches()) {
            throw new TypeConversionException("'" + text + "' is not a share such as 1% or 0.01");
        }
        double share = Double.parseDouble(m.group(1)) / (m.group(2) == null ? 1 : 100);
        if (!(share > 0) || share > 1) {
            throw new TypeConversionException("'" + text + "' must be more than 0 and at most 100% (1.0)");
        }
        return share;
    }
}
