package dev.panamark.ptx;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The {@code .approx} functions, within the errors and with the special values that the PTX ISA 9.0 states. */
final class Approximations {
    private final Opcode opcode;
    private final String type;
    private final boolean packed;
    private final Format format;

    private Approximations(Opcode opcode) {
        this.opcode = opcode;
        this.type = opcode.type();
        this.packed = Operand.isPacked(type);
        this.format = Format.named(packed ? type.substring(0, type.length() - 2) : type);
    }

    static @Nullable Reference of(Opcode opcode) {
        return new Approximations(opcode).reference();
    }

    private @Nullable Reference reference() {
        if (opcode.base().equals("div")) {
            return Reference.plain(opcode, type, List.of(Operand.of(type), Operand.of(type)), this::quotient);
        }
        if (!List.of("rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2", "tanh").contains(opcode.base())) {
            return null;
        }
        Operand in = new Operand(type, Operand.Domain.EVERYDAY);
        if (!packed) {
            return Reference.plain(opcode, type, List.of(in), (a, b, c) -> function(a));
        }
        return Reference.plain(
                opcode,
                type,
                List.of(in),
                (a, b, c) -> new Expected.Pair(function(a & 0xffff), function(a >>> 16 & 0xffff), 16));
    }

    /** 2 ulp; a divisor beyond 2^126 gives 0, and NaN for an infinite dividend. */
    private Expected quotient(long a, long b, long c) {
        double x = real(a);
        double y = real(b);
        if (Math.abs(y) > 0x1p126 && Double.isFinite(y)) {
            return Double.isFinite(x) ? new Expected.AnyZero(format) : new Expected.AnyNan(format);
        }
        return near(x / y, 2 * ulp(x / y));
    }

    private double real(long code) {
        boolean flush = opcode.has("ftz") && format.isSubnormal(code);
        double value = format.real(code);
        return flush ? Math.copySign(0.0, value) : value;
    }

    /** Of the format, at a number. */
    private double ulp(double value) {
        return Math.scalb(1.0, format.lastPlace(value == 0 ? -2000 : Math.getExponent(value)));
    }

    private Expected function(long code) {
        double x = real(code);
        double value = switch (opcode.base()) {
            case "rcp" -> 1 / x;
            case "sqrt" -> Math.sqrt(x);
            case "rsqrt" -> 1 / Math.sqrt(x);
            case "sin" -> StrictMath.sin(x);
            case "cos" -> StrictMath.cos(x);
            case "lg2" -> StrictMath.log(x) / StrictMath.log(2);
            case "ex2" -> StrictMath.pow(2, x);
            default -> StrictMath.tanh(x);
        };
        return near(value, error(x, value));
    }

    private double error(double x, double value) {
        double magnitude = Math.abs(value);
        boolean f16 = format == Format.F16;
        return switch (opcode.base()) {
            // The upper words of argument and result only: 20 bits of each.
            case "rcp" -> format == Format.F64 ? magnitude * 0x1p-19 : ulp(value);
            case "sqrt" -> magnitude * 0x1p-23;
            case "rsqrt" -> magnitude * (format == Format.F64 ? 0x1p-19 : Math.pow(2, -22.9));
            case "sin", "cos" ->
                Math.abs(x) <= 2 * Math.PI
                        ? Math.pow(2, -20.5)
                        : Math.abs(x) <= 100 * Math.PI ? Math.pow(2, -14.7) : 1 + magnitude;
            case "lg2" -> x > 0.5 && x < 2 ? 0x1p-22 : magnitude * 0x1p-22;
            case "ex2" -> format == Format.F32 ? 2 * ulp(value) : magnitude * Math.pow(2, f16 ? -9.9 : -7) + ulp(0);
            default ->
                format == Format.F32 ? magnitude * 0x1p-11 : f16 ? Math.pow(2, -10.987) : magnitude * 0x1p-8 + ulp(0);
        };
    }

    /** Where the exact result is special it is that; one that overflows may be infinite or the greatest number. */
    private Expected near(double value, double error) {
        if (Double.isNaN(value)) {
            return new Expected.AnyNan(format);
        }
        double greatest = format.real(format.greatest(false));
        if (Double.isInfinite(value) || Math.abs(value) > greatest + ulp(greatest)) {
            return Expected.bits(format.infinity(value < 0));
        }
        if (opcode.has("ftz") && Math.abs(value) < Math.scalb(1.0, format.lastPlace(-2000) + fraction())) {
            return new Expected.AnyZero(format);
        }
        return new Expected.Near(format, value, error);
    }

    private int fraction() {
        return format == Format.F64 ? 52 : format == Format.F32 ? 23 : format == Format.F16 ? 10 : 7;
    }
}
