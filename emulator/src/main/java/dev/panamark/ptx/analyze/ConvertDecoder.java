package dev.panamark.ptx.analyze;

import static dev.panamark.ptx.analyze.Emitter.compare;
import static dev.panamark.ptx.analyze.Emitter.constant;
import static dev.panamark.ptx.analyze.Emitter.convert;
import static dev.panamark.ptx.analyze.Emitter.half;
import static dev.panamark.ptx.analyze.Emitter.integer;
import static dev.panamark.ptx.analyze.Emitter.logic;
import static dev.panamark.ptx.analyze.Emitter.real;

import dev.panamark.ptx.DeviceMemory;
import dev.panamark.ptx.ir.Expr;
import dev.panamark.ptx.ir.InstructionClass;
import dev.panamark.ptx.ir.Jvm;
import dev.panamark.ptx.ir.Type;
import dev.panamark.ptx.runtime.Memory;
import java.util.List;

/** Conversions of values and of addresses. */
final class ConvertDecoder {
    private final Emitter emitter;
    private Modifiers modifiers = new Modifiers(List.of());
    private int rounding;
    private boolean rounded;
    private boolean whole;
    private boolean flush;
    private boolean saturate;
    private boolean finite;
    private boolean relu;

    ConvertDecoder(Emitter emitter) {
        this.emitter = emitter;
    }

    boolean decode(String opcode, Modifiers given) {
        modifiers = given;
        switch (opcode) {
            case "cvt" -> cvt();
            case "cvta" -> cvta();
            case "isspacep" -> isspacep();
            case "mapa" -> mapa();
            default -> {
                return false;
            }
        }
        return true;
    }

    private void cvt() {
        String direction = modifiers.any("rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi");
        whole = direction.endsWith("i");
        rounding = switch (direction) {
            case "rz", "rzi" -> 1;
            case "rm", "rmi" -> 2;
            case "rp", "rpi" -> 3;
            default -> 0;
        };
        rounded = !direction.isEmpty();
        relu = modifiers.take("relu");
        flush = modifiers.take("ftz");
        saturate = modifiers.take("sat");
        finite = modifiers.take("satfinite");
        Type to = emitter.need(modifiers.type());
        Type from = emitter.need(modifiers.type());
        emitter.finish(modifiers);
        check(direction, to, from);
        emitter.site(InstructionClass.CONVERT);
        if (emitter.operands() == 3) {
            pack(to, from);
            return;
        }
        emitter.operands(2, 2);
        if (to == Type.E4M3X2 || to == Type.E5M2X2) {
            fromHalves(to, from);
            return;
        }
        if (from == Type.E4M3X2 || from == Type.E5M2X2) {
            toHalves(to, from);
            return;
        }
        if (to == Type.TF32) {
            Expr a = emitter.value(emitter.operand(1), Type.F32);
            Expr value = direction.equals("rna") ? convert("tf32", a) : convert("tf32Even", a, constant(rounding));
            value = finite ? convert("tf32Finite", value) : value;
            // The maximum that keeps NaN, as .relu does.
            value = relu ? real("maxNan", value, new Expr.Const(Jvm.FLOAT, 0)) : value;
            emitter.assign(emitter.operand(0), value, Type.F32);
            return;
        }
        if (!scalar(to) || !scalar(from)) {
            throw emitter.unsupported();
        }
        Expr a = emitter.value(emitter.operand(1), from, true);
        if (from.real()) {
            if (to.real()) {
                reals(to, from, a);
            } else {
                realToInteger(to, from, a);
            }
        } else if (to.real()) {
            integerToReal(to, from, a);
        } else {
            integers(to, from, a);
        }
    }

    private static boolean eight(Type type) {
        return type == Type.E4M3X2 || type == Type.E5M2X2;
    }

    private static boolean half16(Type type) {
        return type == Type.F16 || type == Type.BF16;
    }

    private static boolean halves(Type type) {
        return type == Type.F16X2 || type == Type.BF16X2;
    }

    /** Refuses modifiers where the PTX ISA does not have them, and no rounding where it needs one. */
    private void check(String direction, Type to, Type from) {
        boolean nearOrCut = direction.equals("rn") || direction.equals("rz");
        boolean packed = eight(to) || eight(from) || halves(to);
        boolean shorter = to.real() && (from.integer() || (from.real() && to.bits() < from.bits()));
        boolean fits;
        if (packed) {
            fits = (eight(to) || eight(from)) ? direction.equals("rn") : nearOrCut;
        } else if (to == Type.TF32) {
            fits = nearOrCut || (direction.equals("rna") && !relu);
        } else if (whole) {
            fits = from.real() && (to.integer() || to == from);
        } else if (rounded) {
            boolean other = to.real() && to != from && (from == Type.BF16 || (half16(to) && half16(from)));
            fits = !direction.equals("rna") && (shorter || other);
        } else if (shorter) {
            throw emitter.fault("no rounding; expected one such as .rn");
        } else {
            fits = true;
        }
        boolean wholes = to.integer() && from.integer();
        boolean needless = wholes
                && (to.signed() == from.signed() ? to.bits() >= from.bits() : to.signed() && to.bits() > from.bits());
        boolean brainOfByte = (to == Type.BF16 && from.bits() == 8) || (from == Type.BF16 && to.bits() == 8);
        boolean clamps = from == Type.F32 && ((half16(to) && nearOrCut) || halves(to) || to == Type.TF32);
        boolean single = to == Type.F32 || from == Type.F32;
        if (!fits
                || brainOfByte
                || (saturate && needless)
                || (relu && !clamps && !eight(to) && !eight(from))
                || (finite && !clamps && !eight(to))
                || (saturate && (packed || to == Type.TF32 || to == Type.BF16 || from == Type.BF16))
                || (flush && (packed || to == Type.TF32 || !single))) {
            throw emitter.unsupported();
        }
    }

    private static boolean scalar(Type type) {
        return type.integer() || (type.real() && type != Type.TF32);
    }

    private void integers(Type to, Type from, Expr a) {
        if (!saturate) {
            Expr value = a;
            if (to.bits() == 64) {
                value = ArithmeticDecoder.toLong(a, from);
            } else if (from.bits() == 64) {
                value = logic("low32", a);
            }
            emitter.assign(emitter.operand(0), value, to);
            return;
        }
        Expr wide = ArithmeticDecoder.toLong(a, from);
        boolean unsigned64 = from == Type.U64;
        Expr value;
        if (to.bits() == 64) {
            value = to.signed() == from.signed()
                    ? wide
                    : to.signed() ? unsigned64 ? convert("clampTop", wide) : wide : convert("clampNegative", wide);
        } else if (to.signed()) {
            value = convert(unsigned64 ? "saturateSofU" : "saturateS", wide, constant(to.bits()));
        } else {
            value = convert(unsigned64 ? "saturateUofU" : "saturateU", wide, constant(to.bits()));
        }
        emitter.assign(emitter.operand(0), value, to);
    }

    private Expr toDouble(Expr a, Type from) {
        return switch (from) {
            case F64 -> a;
            case F32 -> convert("doubleOfFloat", flush ? real("flush", a) : a);
            default -> convert("doubleOfFloat", toFloat(a, from));
        };
    }

    private static Expr toFloat(Expr a, Type from) {
        return half("toFloat", a, constant(ArithmeticDecoder.format(from)));
    }

    private void realToInteger(Type to, Type from, Expr a) {
        if (!whole) {
            throw emitter.fault("no rounding to a whole number; expected one such as .rzi");
        }
        Expr value;
        if (to == Type.S32 && from == Type.F32 && rounding == 1) {
            value = convert("s32OfFloatTowardsZero", a);
        } else {
            Expr exact = toDouble(a, from);
            String name = (to.signed() ? "s" : "u") + (to.bits() == 64 ? "64" : "32") + "OfDouble";
            value = convert(name, exact, constant(rounding), nan(to, from));
            if (to.bits() < 32) {
                value = convert(to.signed() ? "clampS" : "clampU", value, constant(to.bits()));
            }
        }
        emitter.assign(emitter.operand(0), value, to);
    }

    /** Zero for a result of at most 32 bits of an f32 or shorter, else the top bit alone. */
    private static Expr nan(Type to, Type from) {
        if (to.bits() == 64) {
            return Expr.Const.of(Long.MIN_VALUE);
        }
        int top = 1 << (to.bits() - 1);
        return constant(from == Type.F64 ? to.signed() ? -top : top : 0);
    }

    private void integerToReal(Type to, Type from, Expr a) {
        String kind = (from.signed() ? "S" : "U") + (from.bits() == 64 ? "64" : "32");
        switch (to) {
            case F32, F64 -> {
                String name = (to == Type.F32 ? "floatOf" : "doubleOf") + kind;
                Expr value = rounding == 0
                        ? convert(name, a)
                        : convert(
                                (to == Type.F32 ? "floatOf" : "doubleOf") + (from.signed() ? "S" : "U") + "64Rounded",
                                ArithmeticDecoder.toLong(a, from),
                                constant(rounding));
                if (saturate) {
                    value = real(to == Type.F32 ? "saturate" : "saturateD", value);
                }
                emitter.assign(emitter.operand(0), value, to);
            }
            // Those of 64 bits may not fit a double; f16 has no number that large.
            default -> halfResult(to, convert("doubleOf" + kind + (from.bits() == 64 ? "Odd" : ""), a));
        }
    }

    private void halfResult(Type to, Expr exact) {
        Expr format = constant(ArithmeticDecoder.format(to));
        Expr value = convert("halfOfDouble", exact, format, constant(rounding));
        value = relu ? half("relu", value, format) : value;
        value = finite ? convert("halfFinite", value, format) : value;
        emitter.assign(emitter.operand(0), saturate ? half("saturate", value, format) : value, Type.B16);
    }

    private void reals(Type to, Type from, Expr a) {
        if (to == Type.F16 || to == Type.BF16) {
            Expr exact = toDouble(a, from);
            if (whole) {
                exact = convert("wholeF64", exact, constant(rounding));
                rounding = 0;
            }
            halfResult(to, exact);
            return;
        }
        Expr value;
        if (to == Type.F64) {
            value = toDouble(a, from);
            if (whole) {
                value = convert("wholeF64", value, constant(rounding));
            }
            emitter.assign(emitter.operand(0), saturate ? real("saturateD", value) : value, to);
            return;
        }
        if (from == Type.F64) {
            value = rounding == 0 || whole
                    ? convert("floatOfDouble", a)
                    : convert("floatOfDoubleRounded", a, constant(rounding));
        } else {
            value = from == Type.F32 ? a : toFloat(a, from);
            value = flush && from == Type.F32 ? real("flush", value) : value;
        }
        if (whole) {
            value = convert("wholeF32", value, constant(rounding));
        }
        value = flush ? real("flush", value) : value;
        emitter.assign(emitter.operand(0), saturate ? real("saturate", value) : value, to);
    }

    /** Two values into one register: the first operand into the upper half. */
    private void pack(Type to, Type from) {
        emitter.operands(3, 3);
        if (from != Type.F32) {
            throw emitter.unsupported();
        }
        Expr high = emitter.value(emitter.operand(1), from);
        Expr low = emitter.value(emitter.operand(2), from);
        switch (to) {
            case F16X2, BF16X2 ->
                emitter.assign(emitter.operand(0), logic("join16", packed(to, low), packed(to, high)), Type.B32);
            case E4M3X2, E5M2X2 ->
                emitter.assign(emitter.operand(0), convert("join8", fp8(to, low), fp8(to, high)), Type.B16);
            default -> throw emitter.unsupported();
        }
    }

    private Expr packed(Type to, Expr value) {
        Expr format = constant(ArithmeticDecoder.format(to));
        Expr bits = convert("halfOfDouble", convert("doubleOfFloat", value), format, constant(rounding));
        bits = relu ? half("relu", bits, format) : bits;
        return finite ? convert("halfFinite", bits, format) : bits;
    }

    private Expr fp8(Type to, Expr value) {
        if (!finite) {
            throw emitter.unsupported();
        }
        Expr code = convert("fp8OfFloat", value, constant(to == Type.E4M3X2 ? 0 : 1));
        return relu ? convert("fp8Relu", code) : code;
    }

    private void fromHalves(Type to, Type from) {
        if (from != Type.F16X2) {
            throw emitter.unsupported();
        }
        Expr a = emitter.value(emitter.operand(1), from);
        Expr format = constant(ArithmeticDecoder.format(from));
        Expr low = fp8(to, half("toFloat", integer("cut16", a), format));
        Expr high = fp8(to, half("toFloat", logic("high16", a), format));
        emitter.assign(emitter.operand(0), convert("join8", low, high), Type.B16);
    }

    private void toHalves(Type to, Type from) {
        if (to != Type.F16X2) {
            throw emitter.unsupported();
        }
        Expr a = emitter.value(emitter.operand(1), Type.B16);
        Expr kind = constant(from == Type.E4M3X2 ? 0 : 1);
        Expr low = half("fromFloat", convert("floatOfFp8", integer("cut8", a), kind), constant(0));
        Expr high = half("fromFloat", convert("floatOfFp8", convert("fp8High", a), kind), constant(0));
        if (relu) {
            low = half("relu", low, constant(0));
            high = half("relu", high, constant(0));
        }
        emitter.assign(emitter.operand(0), logic("join16", low, high), Type.B32);
    }

    private static long window(String space) {
        return switch (space) {
            case "shared", "shared::cta", "shared::cluster" -> Memory.SHARED_WINDOW;
            case "local" -> Memory.LOCAL_WINDOW;
            case "param", "param::entry" -> Memory.PARAM_WINDOW;
            default -> 0;
        };
    }

    private static final String[] SPACES = {
        "global", "shared", "shared::cta", "shared::cluster", "local", "const", "param", "param::entry"
    };

    private void cvta() {
        boolean back = modifiers.take("to");
        String space = modifiers.any(SPACES);
        Type type = emitter.need(modifiers.type());
        emitter.finish(modifiers);
        emitter.operands(2, 2);
        if (space.isEmpty() || (type != Type.U64 && type != Type.U32)) {
            throw emitter.unsupported();
        }
        emitter.site(InstructionClass.MOVE);
        Expr a = emitter.value(emitter.operand(1), type);
        long window = window(space);
        if (window == Memory.PARAM_WINDOW && emitter.inlined) {
            // Parameters of device functions are in local memory.
            window = Memory.LOCAL_WINDOW;
        }
        Expr value = a;
        if (window != 0) {
            long by = back ? -window : window;
            value = type == Type.U64 ? integer("add64", a, Expr.Const.of(by)) : integer("add32", a, constant((int) by));
        }
        emitter.assign(emitter.operand(0), value, type);
    }

    private void isspacep() {
        String space = modifiers.any(SPACES);
        emitter.finish(modifiers);
        emitter.operands(2, 2);
        emitter.site(InstructionClass.COMPARE);
        Expr a = emitter.value(emitter.operand(1), Type.U64);
        long window = window(space);
        Expr value;
        if (window != 0) {
            Expr offset = integer("sub64", a, Expr.Const.of(window));
            value = compare("ltU64", offset, Expr.Const.of(Memory.LOCAL_WINDOW - Memory.SHARED_WINDOW));
        } else if (space.equals("global")) {
            value = compare("geU64", a, Expr.Const.of(DeviceMemory.LOWEST));
        } else {
            throw emitter.unsupported();
        }
        emitter.assign(emitter.operand(0), value, Type.PRED);
    }

    /** A cluster is one block, so an address in it is the same in its only block. */
    private void mapa() {
        modifiers.any("shared::cluster");
        Type type = emitter.need(modifiers.type());
        emitter.finish(modifiers);
        emitter.operands(3, 3);
        emitter.site(InstructionClass.MOVE);
        emitter.assign(emitter.operand(0), emitter.value(emitter.operand(1), type), type);
    }
}
