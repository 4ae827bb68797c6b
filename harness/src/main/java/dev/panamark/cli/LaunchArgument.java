package dev.panamark.cli;

import dev.panamark.kernel.Argument;
import dev.panamark.kernel.Buffer;
import dev.panamark.kernel.Fill;
import dev.panamark.kernel.Shape;
import dev.panamark.kernel.format.DataType;
import dev.panamark.kernel.format.Formats;
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

    private static final String EXPECTED =
            "expected a number such as i32:1024 or f32:0.5, or a buffer such as f16[8,128] or"
                    + " i32[1024]:zeros, with what is in it: normal, uniform, zeros, iota, bits or a number";

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
        Fill fill = fill(written, type, value);
        Buffer buffer = new Buffer(
                name,
                type,
                shape(written, found.group(2)),
                Buffer.Role.INOUT,
                Optional.of(fill),
                Optional.empty(),
                Optional.empty(),
                OptionalDouble.empty(),
                Optional.empty());
        return new LaunchArgument(new Argument.BufferAddress(name), Optional.of(buffer));
    }

    private static Argument scalar(String written, DataType type, String value) {
        if (!type.floating()) {
            try {
                long number = Long.decode(value);
                int bits = 8 * type.bytes();
                if (bits < 64 && (number < -(1L << (bits - 1)) || number >= 1L << bits)) {
                    throw fault(written, value + " does not fit " + bits + " bits");
                }
                return new Argument.Scalar(type.tag(), bits < 64 ? number & ((1L << bits) - 1) : number, type.bytes());
            } catch (NumberFormatException e) {
                throw fault(written, "'" + value + "' is no whole number");
            }
        }
        double number = number(written, value);
        return new Argument.Scalar(type.tag(), Formats.encode(type, number), type.bytes());
    }

    private static Fill fill(String written, DataType type, Optional<String> value) {
        String word = value.orElse(type.floating() ? "normal" : "zeros");
        return switch (word) {
            case "normal" -> {
                if (!type.floating()) {
                    throw fault(
                            written,
                            "normal is for floating-point types; expected uniform, zeros, iota, bits or a number");
                }
                yield new Fill.Normal(0, 1);
            }
            case "uniform" -> {
                if (!type.floating()) {
                    throw fault(
                            written,
                            "uniform from 0 to 1 is for floating-point types; expected zeros, iota, bits or a number");
                }
                yield new Fill.Uniform(0, 1);
            }
            case "zeros" -> new Fill.Constant(0);
            case "iota" -> new Fill.Iota(0, 1);
            case "bits" -> new Fill.Bits();
            default -> new Fill.Constant(number(written, word));
        };
    }

    private static double number(String written, String value) {
        try {
            return Double.parseDouble(value);
        } catch (NumberFormatException e) {
            throw fault(written, "'" + value + "' is no number; " + EXPECTED);
        }
    }

    private static Shape shape(String written, String extents) {
        String[] parts = extents.split(",", -1);
        long[] dims = new long[parts.length];
        long all = 1;
        for (int i = 0; i < parts.length; i++) {
            try {
                dims[i] = Long.parseLong(parts[i].strip());
                all = Math.multiplyExact(all, dims[i]);
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
