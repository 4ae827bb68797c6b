package dev.panamark.ptx;

import static dev.panamark.ptx.Reference.operands;

import dev.panamark.ptx.Exact.Rounding;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/** {@code cvt} by exact values, its description and its notes in the PTX ISA 9.0. */
final class Conversions {
    private final Opcode opcode;
    private final String to;
    private final String from;

    private Conversions(Opcode opcode) {
        this.opcode = opcode;
        this.to = opcode.types().get(0);
        this.from = opcode.types().get(1);
    }

    /** Null where it is none. */
    static @Nullable Reference of(Opcode opcode) {
        return opcode.base().equals("cvt") ? new Conversions(opcode).reference() : null;
    }

    private Reference reference() {
        if (Operand.isPacked(to)) {
            Format result = half(to);
            if (from.equals("f32")) {
                // The first operand becomes the upper half.
                return Reference.plain(
                        opcode,
                        to,
                        operands(from, from),
                        (a, b, c) -> new Expected.Pair(
                                real(result, Format.F32, b), real(result, Format.F32, a), result.bits()));
            }
            Format source = half(from);
            long mask = (1L << source.bits()) - 1;
            return Reference.plain(
                    opcode,
                    to,
                    operands(from),
                    (a, b, c) -> new Expected.Pair(
                            real(result, source, a & mask),
                            real(result, source, a >>> source.bits() & mask),
                            result.bits()));
        }
        return Reference.plain(opcode, to, operands(from), (a, b, c) -> scalar(a));
    }

    private static Format half(String type) {
        return Format.named(type.substring(0, type.length() - 2));
    }

    private Expected scalar(long a) {
        if (!Operand.isReal(from)) {
            BigInteger whole = Operand.of(from).whole(a);
            return Operand.isReal(to) ? rounded(Format.named(to), Exact.of(whole)) : integer(whole);
        }
        Format source = Format.named(from);
        return Operand.isReal(to) ? real(Format.named(to), source, a) : whole(source, a);
    }

    /** Cut, or clamped with .sat; shorter results are extended to their register. */
    private Expected integer(BigInteger value) {
        Operand operand = Operand.of(to);
        BigInteger result = value;
        if (opcode.has("sat")) {
            result = value.min(greatest(operand)).max(least(operand));
        }
        BigInteger cut = operand.whole(result.longValue());
        return Expected.whole(cut, operand.registerBits());
    }

    private static BigInteger greatest(Operand operand) {
        return BigInteger.ONE
                .shiftLeft(operand.bits() - (operand.signed() ? 1 : 0))
                .subtract(BigInteger.ONE);
    }

    private static BigInteger least(Operand operand) {
        return operand.signed() ? BigInteger.ONE.shiftLeft(operand.bits() - 1).negate() : BigInteger.ZERO;
    }

    private Exact source(Format source, long a) {
        return Reals.input(source, a, opcode.has("ftz") && source == Format.F32);
    }

    /**
     * Clamped to the type. NaN is 0, but where the source is f64 or the result has 64 bits the top bit alone.
     */
    private Expected whole(Format source, long a) {
        Exact value = source(source, a);
        Operand operand = Operand.of(to);
        BigInteger result;
        if (value.isNan()) {
            BigInteger top = BigInteger.ONE.shiftLeft(operand.bits() - 1);
            result = source == Format.F64 || operand.bits() == 64
                    ? operand.signed() ? top.negate() : top
                    : BigInteger.ZERO;
        } else if (value.isInfinite()) {
            result = value.negative() ? least(operand) : greatest(operand);
        } else {
            result = value.toWhole(opcode.rounding()).min(greatest(operand)).max(least(operand));
        }
        return Expected.whole(result, operand.registerBits());
    }

    private Expected real(Format result, Format source, long a) {
        Exact value = source(source, a);
        boolean wholes = opcode.direction().endsWith("i");
        return rounded(result, wholes ? value.integral(opcode.rounding()) : value);
    }

    private Expected rounded(Format result, Exact value) {
        boolean finite = opcode.has("satfinite");
        if (value.isNan()) {
            if (opcode.has("sat")) {
                return Expected.bits(0);
            }
            // Named by the ISA for these.
            if (result == Format.E4M3 || result == Format.E5M2) {
                return Expected.bits(0x7f);
            }
            boolean named = result.bits() == 16 && (finite || opcode.has("relu"));
            return named ? Expected.bits(0x7fff) : new Expected.AnyNan(result);
        }
        Rounding rounding = opcode.direction().endsWith("i") ? Rounding.NEAREST : opcode.rounding();
        long code = result.code(value, rounding);
        if (finite && code == result.infinity(value.negative())) {
            code = result.greatest(value.negative());
        }
        if (opcode.has("ftz") && result == Format.F32 && result.isSubnormal(code)) {
            code = result.code(Exact.zero(value.negative()), rounding);
        }
        return Reals.clamped(opcode, result, code);
    }
}
