package dev.panamark.ptx.runtime;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What {@code printf} of C makes of a format and its arguments; what it does not know stays as it is written. */
final class Printf {
    private static final Pattern CONVERSION = Pattern.compile(
            "%(?<flags>[-+ 0#]*)(?<width>\\d{0,4})((?<point>\\.)(?<precision>\\d{0,3}))?(?<size>hh|h|ll|l|j|z|t)?(?<type>[%diuxXocsfFeEgGaAp])");

    /** Arguments in their order. */
    interface Arguments {
        /** The next one of 4 or 8 bytes, aligned to its size. */
        long next(int bytes);

        /** The text at an address. */
        String text(long address);
    }

    /**
     * The text.
     *
     * @param conversions number of those that took an argument
     */
    record Result(String text, int conversions) {}

    private Printf() {}

    static Result format(String format, Arguments arguments) {
        StringBuilder text = new StringBuilder();
        Matcher conversions = CONVERSION.matcher(format);
        int from = 0;
        int taken = 0;
        while (conversions.find()) {
            text.append(format, from, conversions.start());
            from = conversions.end();
            if (part(conversions, "type").equals("%")) {
                text.append('%');
            } else {
                text.append(padded(conversions, arguments));
                taken++;
            }
        }
        return new Result(text.append(format, from, format.length()).toString(), taken);
    }

    private static String padded(Matcher conversion, Arguments arguments) {
        String flags = part(conversion, "flags");
        String value = value(conversion, arguments);
        String digits = part(conversion, "width");
        int missing = (digits.isEmpty() ? 0 : Integer.parseInt(digits)) - value.length();
        if (missing <= 0) {
            return value;
        }
        char type = part(conversion, "type").charAt(0);
        if (flags.contains("-")) {
            return value + " ".repeat(missing);
        }
        boolean whole = "diuxXo".indexOf(type) >= 0;
        boolean finite = !value.toLowerCase(Locale.ROOT).contains("n");
        if (!flags.contains("0") || "csp".indexOf(type) >= 0 || (whole ? precision(conversion) >= 0 : !finite)) {
            return " ".repeat(missing) + value;
        }
        int prefix = value.startsWith("0x") || value.startsWith("0X") ? 2 : "+- ".indexOf(value.charAt(0)) >= 0 ? 1 : 0;
        prefix += prefix == 1 && value.startsWith("0x", 1) ? 2 : 0;
        return value.substring(0, prefix) + "0".repeat(missing) + value.substring(prefix);
    }

    private static String part(Matcher conversion, String name) {
        String part = conversion.group(name);
        return part == null ? "" : part;
    }

    /** -1 where it is not given. */
    private static int precision(Matcher conversion) {
        String digits = part(conversion, "precision");
        return part(conversion, "point").isEmpty() ? -1 : digits.isEmpty() ? 0 : Integer.parseInt(digits);
    }

    private static String value(Matcher conversion, Arguments arguments) {
        String flags = part(conversion, "flags");
        int precision = precision(conversion);
        String size = part(conversion, "size");
        int bytes = size.isEmpty() || size.startsWith("h") ? 4 : 8;
        char type = part(conversion, "type").charAt(0);
        return switch (type) {
            case 'd', 'i' -> {
                long number = arguments.next(bytes);
                long value = bytes == 8
                        ? number
                        : size.equals("hh") ? (byte) number : size.equals("h") ? (short) number : (int) number;
                yield sign(value < 0, flags) + whole(Long.toString(value).replace("-", ""), precision);
            }
            case 'u', 'x', 'X', 'o' -> {
                long number = arguments.next(bytes);
                long value = bytes == 8
                        ? number
                        : number & (size.equals("hh") ? 0xff : size.equals("h") ? 0xffff : 0xffffffffL);
                yield unsigned(type, value, flags, precision);
            }
            case 'c' -> String.valueOf((char) (arguments.next(4) & 0xff));
            case 's' -> {
                String text = arguments.text(arguments.next(8));
                yield precision >= 0 && precision < text.length() ? text.substring(0, precision) : text;
            }
            case 'p' -> "0x" + Long.toHexString(arguments.next(8));
            default -> real(type, Double.longBitsToDouble(arguments.next(8)), flags, precision);
        };
    }

    private static String sign(boolean negative, String flags) {
        return negative ? "-" : flags.contains("+") ? "+" : flags.contains(" ") ? " " : "";
    }

    private static String whole(String digits, int precision) {
        return digits.equals("0") && precision == 0
                ? ""
                : "0".repeat(Math.max(0, precision - digits.length())) + digits;
    }

    private static String unsigned(char type, long value, String flags, int precision) {
        boolean marked = flags.contains("#") && value != 0;
        String text = switch (type) {
            case 'o' -> (marked ? "0" : "") + whole(Long.toOctalString(value), precision);
            case 'u' -> whole(Long.toUnsignedString(value), precision);
            default -> (marked ? "0x" : "") + whole(Long.toHexString(value), precision);
        };
        return type == 'X' ? text.toUpperCase(Locale.ROOT) : text;
    }

    private static String real(char type, double value, String flags, int precision) {
        boolean negative = Double.doubleToRawLongBits(value) < 0;
        double size = Math.abs(value);
        String text;
        if (Double.isNaN(size)) {
            text = "nan";
        } else if (Double.isInfinite(size)) {
            text = "inf";
        } else {
            int digits = precision < 0 ? 6 : precision;
            text = switch (Character.toLowerCase(type)) {
                case 'f' ->
                    new BigDecimal(size)
                            .setScale(digits, RoundingMode.HALF_EVEN)
                            .toPlainString();
                case 'e' -> scientific(size, digits);
                case 'g' -> shortest(size, Math.max(1, digits), flags.contains("#"));
                default -> hexadecimal(size);
            };
        }
        String all = sign(negative, flags) + text;
        return Character.isUpperCase(type) ? all.toUpperCase(Locale.ROOT) : all;
    }

    /** The decimal exponent after rounding to {@code digits} digits. */
    private static int exponent(BigDecimal rounded) {
        return rounded.signum() == 0 ? 0 : rounded.precision() - rounded.scale() - 1;
    }

    private static BigDecimal rounded(double value, int digits) {
        return new BigDecimal(value).round(new MathContext(digits, RoundingMode.HALF_EVEN));
    }

    private static String scientific(double value, int digits) {
        BigDecimal rounded = rounded(value, digits + 1);
        int exponent = exponent(rounded);
        String mantissa = rounded.movePointLeft(exponent)
                .setScale(digits, RoundingMode.HALF_EVEN)
                .toPlainString();
        return mantissa + (exponent < 0 ? "e-" : "e+") + (Math.abs(exponent) < 10 ? "0" : "") + Math.abs(exponent);
    }

    private static String shortest(double value, int digits, boolean all) {
        int exponent = exponent(rounded(value, digits));
        boolean plain = exponent >= -4 && exponent < digits;
        String text = plain
                ? new BigDecimal(value)
                        .setScale(digits - 1 - exponent, RoundingMode.HALF_EVEN)
                        .toPlainString()
                : scientific(value, digits - 1);
        if (all || text.indexOf('.') < 0) {
            return text;
        }
        int end = plain ? text.length() : text.indexOf('e');
        String mantissa = text.substring(0, end).replaceFirst("\\.?0+$", "");
        return mantissa + text.substring(end);
    }

    /** As glibc writes it. */
    private static String hexadecimal(double value) {
        String text = Double.toHexString(value).replace(".0p", "p");
        return text.contains("p-") ? text : text.replace("p", "p+");
    }
}
