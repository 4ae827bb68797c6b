package dev.panamark.ptx;

import static dev.panamark.ptx.Reference.operands;

import dev.panamark.ptx.Exact.Rounding;
import java.math.BigInteger;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Arithmetic of all binary formats: exact, and rounded once, by the descriptions of the PTX ISA 9.0. */
final class Reals {
    private final Opcode opcode;
    private final String type;
    private final boolean packed;
    private final Format format;

    private Reals(Opcode opcode) {
        this.opcode = opcode;
        this.type = opcode.type();
        this.packed = Operand.isPacked(type);
        this.format = Format.named(packed ? type.substring(0, type.length() - 2) : type);
    }

    /** Null where the opcode is of another kind. */
    static @Nullable Reference of(Opcode opcode) {
        String type = opcode.type();
        if (!Operand.isReal(type) && !type.endsWith("f16x2")) {
            return null;
        }
        return new Reals(opcode).reference();
    }

    private @Nullable Reference reference() {
        if (opcode.has("approx")) {
            return Approximations.of(opcode);
        }
        return switch (opcode.base()) {
            case "add", "sub", "mul", "div" -> elements(2, this::arithmetic);
            case "fma", "mad" -> elements(3, this::arithmetic);
            case "sqrt", "rcp" -> elements(1, this::arithmetic);
            case "min", "max" -> elements(2, this::extreme);
            case "abs", "neg" -> elements(1, this::sign);
            case "copysign" -> elements(2, this::sign);
            case "testp" -> property();
            case "mov" -> Reference.plain(opcode, type, operands(type), (a, b, c) -> Expected.bits(a));
            case "selp" ->
                Reference.plain(opcode, type, operands(type, type, "pred"), (a, b, p) -> Expected.bits(p != 0 ? a : b));
            case "slct" -> {
                String moved = opcode.types().getFirst();
                yield Reference.plain(opcode, moved, operands(moved, moved, type), (a, b, c) -> {
                    Exact by = input(format, c, opcode.has("ftz"));
                    return Expected.bits(!by.isNan() && by.compare(Exact.zero(false)) >= 0 ? a : b);
                });
            }
            case "setp", "set" -> Comparisons.reference(opcode);
            default -> null;
        };
    }

    /** What an operation reads: with .ftz subnormals are zeros of their sign. */
    static Exact input(Format format, long code, boolean flush) {
        Exact value = format.value(code);
        return flush && format.isSubnormal(code) ? Exact.zero(value.negative()) : value;
    }

    /** Once, or for both halves. */
    private Reference elements(int count, Reference.One one) {
        List<Operand> in =
                IntStream.range(0, count).mapToObj(i -> Operand.of(type)).toList();
        if (!packed) {
            return Reference.plain(opcode, type, in, one);
        }
        return Reference.plain(
                opcode,
                type,
                in,
                (a, b, c) -> new Expected.Pair(
                        one.of(a & 0xffff, b & 0xffff, c & 0xffff),
                        one.of(a >>> 16 & 0xffff, b >>> 16 & 0xffff, c >>> 16 & 0xffff),
                        16));
    }

    private Exact in(long code) {
        return input(format, code, opcode.has("ftz"));
    }

    private Expected arithmetic(long a, long b, long c) {
        Rounding rounding = opcode.rounding();
        Exact x = in(a);
        Exact y = in(b);
        Exact value = switch (opcode.base()) {
            case "add" -> x.plus(y, rounding);
            case "sub" -> x.plus(y.negate(), rounding);
            case "mul" -> x.times(y);
            case "div" -> x.over(y);
            case "rcp" -> Exact.of(BigInteger.ONE).over(x);
            case "sqrt" -> x.root();
            default -> x.times(y).plus(in(c), rounding);
        };
        return result(value, rounding);
    }

    private Expected result(Exact value, Rounding rounding) {
        if (value.isNan()) {
            // .relu and operations of f16 name 0x7fff, .sat +0.
            return opcode.has("sat")
                    ? Expected.bits(0)
                    : opcode.has("relu") ? Expected.bits(0x7fff) : new Expected.AnyNan(format);
        }
        long code = format.code(value, rounding);
        if (opcode.has("ftz") && format.isSubnormal(code)) {
            code = format.code(Exact.zero(value.negative()), rounding);
        }
        return clamped(opcode, format, code);
    }

    /** {@code .sat} and {@code .relu} of a number. */
    static Expected clamped(Opcode opcode, Format format, long code) {
        Exact number = format.value(code);
        if (opcode.has("sat")) {
            Exact one = Exact.of(BigInteger.ONE);
            return Expected.bits(
                    number.negative() ? 0 : number.compare(one) > 0 ? format.code(one, Rounding.NEAREST) : code);
        }
        if (opcode.has("relu") && number.negative()) {
            return number.isZero() ? new Expected.AnyZero(format) : Expected.bits(0);
        }
        return Expected.bits(code);
    }

    /** A NaN loses unless .NaN is said; -0 is less than +0. */
    private Expected extreme(long a, long b, long c) {
        Exact x = in(a);
        Exact y = in(b);
        if (opcode.has("xorsign")) {
            // Signs count of NaN too.
            Exact larger = chosen(x.abs(), y.abs());
            return Expected.real(format, larger.withSign(isNegative(a) != isNegative(b)), Rounding.NEAREST);
        }
        Exact value = chosen(x, y);
        if (value.isNan() && format.bits() == 16) {
            return Expected.bits(0x7fff);
        }
        return Expected.real(format, value, Rounding.NEAREST);
    }

    private Exact chosen(Exact x, Exact y) {
        if (x.isNan() || y.isNan()) {
            return opcode.has("NaN") ? Exact.NAN : x.isNan() ? y : x;
        }
        int order = x.compare(y);
        if (order == 0 && x.negative() != y.negative()) {
            order = x.negative() ? -1 : 1;
        }
        return order < 0 == opcode.base().equals("min") ? x : y;
    }

    private boolean isNegative(long code) {
        return (code >>> (format.bits() - 1) & 1) != 0;
    }

    /** Of NaN only that it stays one is said. */
    private Expected sign(long a, long b, long c) {
        boolean copies = opcode.base().equals("copysign");
        Exact value = in(copies ? b : a);
        boolean negative = switch (opcode.base()) {
            case "abs" -> false;
            case "neg" -> !value.negative();
            default -> isNegative(a);
        };
        return Expected.real(format, value.withSign(negative), Rounding.NEAREST);
    }

    private Reference property() {
        return Reference.plain(opcode, "pred", operands(type), (a, b, c) -> {
            Exact value = format.value(a);
            boolean number = !value.isNan();
            boolean finite = number && !value.isInfinite();
            boolean is = switch (opcode.modifiers().getFirst()) {
                case "finite" -> finite;
                case "infinite" -> value.isInfinite();
                case "number" -> number;
                case "notanumber" -> !number;
                case "normal" -> finite && !format.isSubnormal(a);
                default -> format.isSubnormal(a);
            };
            return Expected.bits(is ? 1 : 0);
        });
    }
}
