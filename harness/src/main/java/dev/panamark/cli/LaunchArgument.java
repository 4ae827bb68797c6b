package dev.panamark.cli;

import dev.panamark.kernel.Argument;
import dev.panamark.kernel.Buffer;
import dev.panamark.kernel.Fill;
import dev.panamark.kernel.Shape;
import dev.panamark.kernel.format.DataType;
import dev.panamark.kernel.format.Formats;
import java.math.BigInteger;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An argument of a kernel as the command line gives it: a number, {@code i32:1024}, or a buffer, {@code f16[8,128]}, which may say
 * what is in it, {@code f16[8,128]:zeros}.
 *
 * @param argument for the launch
 * @param buffer whose address it is
 */
record LaunchArgument(Argument argument, Optional<Buffer> buffer) {
    private static final Pattern WRITTEN = Pattern.compile("([a-z0-9]+)(?:\\[([^\\]]*)\\])?(?::(.+))?");

    private static final Pattern WHOLE = Pattern.compile("[+-]?[0-9]{1,40}|0x[0-9a-fA-F]{1,32}");
    private static final Pattern REAL =
            Pattern.compile("[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]{1,4})?|[+-]?Infinity|NaN");

    private static final String EXPECTED =
            "expected a number such as i32:1024 or f32:0.5, or a buffer such as f16[8,128] or"
                    + " i32[1024]:zeros, with what is in it: normal, uniform, zeros, iota, bits, a number, or none";

    /** What a kernel must write, all of it, before anybody reads it. */
    private static final String NOTHING = "none";

    /**
     * Reads one.
     *
     * @param position of the argument, from 0; names its buffer
     * @throws CommandFailed exit code 2
     */
    static LaunchArgument parse(String written, int position) {
        Matcher found = WRITTEN.matcher(written);
        if (!found.matches()) {
            throw fault(written, EXPECTED);
        }
        DataType type = DataType.ofTag(found.group(1))
                .orElseThrow(() ->
                        fault(written, "'" + found.group(1) + "' is no type; expected one of " + DataType.tags()));
        Optional<String> value = Optional.ofNullable(found.group(3));
        if (found.group(2) == null) {
            return new LaunchArgument(
                    scalar(written, type, value.orElseThrow(() -> fault(written, EXPECTED))), Optional.empty());
        }
        String name = "arg" + position;
        boolean empty = value.equals(Optional.of(NOTHING));
        Buffer buffer = new Buffer(
                name,
                type,
                shape(written, type, found.group(2)),
                empty ? Buffer.Role.OUTPUT : Buffer.Role.INOUT,
                empty ? Optional.empty() : Optional.of(fill(written, type, value)),
                Optional.empty(),
                Optional.empty(),
                OptionalDouble.empty(),
                Optional.empty());
        return new LaunchArgument(new Argument.BufferAddress(name), Optional.of(buffer));
    }

    private static Argument scalar(String written, DataType type, String value) {
        return new Argument.Scalar(
                type.tag(),
                type.floating()
                        ? Formats.encode(type, number(written, type, value))
                        : whole(written, type, value).longValue() & mask(type),
                type.bytes());
    }

    private static long mask(DataType type) {
        return type.bytes() == Long.BYTES ? -1L : (1L << (8 * type.bytes())) - 1;
    }

    /** Within the range of the type: decimal, or hexadecimal after 0x. */
    private static BigInteger whole(String written, DataType type, String value) {
        if (!WHOLE.matcher(value).matches()) {
            throw fault(written, "'" + value + "' is no whole number, and " + type.tag() + " holds nothing else");
        }
        BigInteger number = value.startsWith("0x") ? new BigInteger(value.substring(2), 16) : new BigInteger(value);
        int bits = 8 * type.bytes();
        boolean signed = type.tag().startsWith("i");
        BigInteger end = BigInteger.TWO.pow(signed ? bits - 1 : bits);
        BigInteger least = signed ? end.negate() : BigInteger.ZERO;
        if (number.compareTo(least) < 0 || number.compareTo(end) >= 0) {
            throw fault(
                    written,
                    value + " does not fit " + type.tag() + ", from " + least + " to " + end.subtract(BigInteger.ONE));
        }
        return number;
    }

    private static Fill fill(String written, DataType type, Optional<String> value) {
        String word = value.orElse(type.floating() ? "normal" : "zeros");
        return switch (word) {
            case "normal" -> {
                if (!type.floating()) {
                    throw fault(
                            written,
                            "normal is for floating-point types; expected zeros, iota, bits or a whole number");
                }
                yield new Fill.Normal(0, 1);
            }
            case "uniform" -> {
                if (!type.floating()) {
                    throw fault(
                            written,
                            "uniform is for floating-point types; expected zeros, iota, bits or a whole number");
                }
                yield new Fill.Uniform(0, 1);
            }
            case "zeros" -> new Fill.Constant(0);
            case "iota" -> new Fill.Iota(0, 1);
            case "bits" -> new Fill.Bits();
            default ->
                new Fill.Constant(
                        type.floating()
                                ? number(written, type, word)
                                : whole(written, type, word).doubleValue());
        };
    }

    private static double number(String written, DataType type, String value) {
        if (!REAL.matcher(value).matches()) {
            throw fault(written, "'" + value + "' is no number; " + EXPECTED);
        }
        double number = Double.parseDouble(value);
        if (Double.isFinite(number) && Math.abs(number) > Formats.maxFinite(type)) {
            throw fault(written, value + " is beyond the largest " + type.tag() + ", " + Formats.maxFinite(type));
        }
        return number;
    }

    private static Shape shape(String written, DataType type, String extents) {
        String[] parts = extents.split(",", -1);
        long[] dims = new long[parts.length];
        long bytes = type.bytes();
        for (int i = 0; i < parts.length; i++) {
            try {
                dims[i] = Long.parseLong(parts[i].strip());
                bytes = Math.multiplyExact(bytes, dims[i]);
            } catch (NumberFormatException | ArithmeticException e) {
                throw fault(written, "'" + extents + "' is no shape; expected extents such as 8,128");
            }
            if (dims[i] < 1) {
                throw fault(written, "extent " + dims[i] + " is less than 1");
            }
        }
        return Shape.of(dims);
    }

    private static CommandFailed fault(String written, String what) {
        return new CommandFailed(ExitCode.BAD_INPUT, "--arg '" + written + "': " + what);
    }
}
