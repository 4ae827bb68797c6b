package dev.panamark.ptx.analyze;

import static dev.panamark.ptx.analyze.Emitter.constant;
import static dev.panamark.ptx.analyze.Emitter.convert;
import static dev.panamark.ptx.analyze.Emitter.half;
import static dev.panamark.ptx.analyze.Emitter.integer;
import static dev.panamark.ptx.analyze.Emitter.logic;
import static dev.panamark.ptx.analyze.Emitter.real;

import dev.panamark.ptx.ir.Expr;
import dev.panamark.ptx.ir.InstructionClass;
import dev.panamark.ptx.ir.Jvm;
import dev.panamark.ptx.ir.Register;
import dev.panamark.ptx.ir.Type;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Integer and floating-point arithmetic. */
final class ArithmeticDecoder {
    private final Emitter emitter;
    private Modifiers modifiers = new Modifiers(List.of());
    private int rounding;
    private boolean rounded;
    private boolean flush;
    private boolean saturate;

    ArithmeticDecoder(Emitter emitter) {
        this.emitter = emitter;
    }

    /** False where the opcode is another decoder's. */
    boolean decode(String opcode, Modifiers given) {
        modifiers = given;
        switch (opcode) {
            case "add", "sub", "mul", "min", "max", "div", "rem" -> binary(opcode);
            case "mad", "fma" -> ternary(opcode);
            case "addc", "subc", "madc" -> carried(opcode);
            case "mul24", "mad24" -> product24(opcode.equals("mad24"));
            case "abs", "neg", "rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2", "tanh" -> unary(opcode);
            case "sad" -> sad();
            case "dp4a", "dp2a" -> dot(opcode.equals("dp4a"));
            case "copysign" -> copySign();
            case "testp" -> testp();
            default -> {
                return false;
            }
        }
        return true;
    }

    private void reals() {
        String direction = modifiers.any("rn", "rz", "rm", "rp");
        rounding = switch (direction) {
            case "rz" -> 1;
            case "rm" -> 2;
            case "rp" -> 3;
            default -> 0;
        };
        rounded = !direction.isEmpty();
        flush = modifiers.take("ftz");
        saturate = modifiers.take("sat");
    }

    /** Refuses what the PTX ISA does not have. */
    private void need(boolean known) {
        if (!known) {
            throw emitter.unsupported();
        }
    }

    private static boolean brain(Type type) {
        return type == Type.BF16 || type == Type.BF16X2;
    }

    /** Of f32 and f16 only: {@code .ftz} and, where there is a result to clamp, {@code .sat}. */
    private static boolean flushes(Type type) {
        return type == Type.F32 || type == Type.F16 || type == Type.F16X2;
    }

    private static boolean isHalf(Type type) {
        return type == Type.F16 || type == Type.BF16 || type == Type.F16X2 || type == Type.BF16X2;
    }

    private static boolean packed(Type type) {
        return type == Type.F16X2 || type == Type.BF16X2;
    }

    static int format(Type type) {
        return type == Type.F16 || type == Type.F16X2 ? 0 : 1;
    }

    private static InstructionClass kind(Type type) {
        return type == Type.F32
                ? InstructionClass.FLOAT32
                : type == Type.F64
                        ? InstructionClass.FLOAT64
                        : isHalf(type) ? InstructionClass.HALF : InstructionClass.INTEGER;
    }

    static String width(Type type) {
        return type.bits() == 64 ? "64" : "32";
    }

    /** Suffix by sign and width. */
    static String signed(Type type) {
        return (type.signed() ? "S" : "U") + width(type);
    }

    private void binary(String opcode) {
        boolean low = modifiers.take("lo");
        boolean high = modifiers.take("hi");
        boolean wide = modifiers.take("wide");
        boolean carries = modifiers.take("cc");
        boolean approximate = modifiers.take("approx");
        boolean full = modifiers.take("full");
        boolean nan = modifiers.take("NaN");
        boolean xorSign = modifiers.take("xorsign");
        boolean absolute = modifiers.take("abs");
        boolean relu = modifiers.take("relu");
        reals();
        Type type = emitter.need(modifiers.type());
        emitter.finish(modifiers);
        emitter.operands(3, 3);
        boolean sum = opcode.equals("add") || opcode.equals("sub");
        boolean arithmetic = sum || opcode.equals("mul");
        boolean extreme = opcode.equals("min") || opcode.equals("max");
        if (low || high || wide) {
            need(opcode.equals("mul") && type.integer() && one(low, high, wide));
        } else if (opcode.equals("mul") && type.integer()) {
            throw emitter.fault("no .lo, .hi or .wide; expected one");
        }
        if (type.integer() || type == Type.S16X2 || type == Type.U16X2) {
            need(!approximate && !full && !nan && !xorSign && !absolute && !flush && !rounded && type.bits() > 8);
            need(!carries || (sum && type.integer() && type.bits() >= 32 && !saturate));
            need(!saturate || (sum && type == Type.S32));
            need(!relu || (extreme && (type == Type.S32 || type == Type.S16X2)));
            emitter.site(InstructionClass.INTEGER);
            if (carries) {
                addCarry(opcode, type, constant(0));
            } else {
                integers(opcode, type, high, wide, relu);
            }
            return;
        }
        need((type.real() || packed(type)) && type != Type.TF32 && !carries && !relu);
        need(!flush || flushes(type));
        need(!saturate || (arithmetic && flushes(type)));
        need(extreme ? xorSign == absolute : !nan && !xorSign && !absolute);
        if (opcode.equals("div")) {
            need(type == Type.F32 ? one(rounded, approximate, full) : rounded && !approximate && !full);
        } else {
            need(!approximate && !full && (!rounded || (arithmetic && (rounding == 0 || !isHalf(type)))));
        }
        emitter.site(
                opcode.equals("div") ? InstructionClass.SPECIAL_FUNCTION : kind(type),
                arithmetic ? packed(type) ? 2 : 1 : 0,
                arithmetic ? type : null);
        if (opcode.equals("rem")) {
            throw emitter.unsupported();
        }
        boolean least = opcode.equals("min");
        if (least || opcode.equals("max")) {
            extreme(opcode + (nan ? "Nan" : ""), type, xorSign && absolute, nan);
        } else if (opcode.equals("div")) {
            divide(type, approximate, full);
        } else if (isHalf(type)) {
            halves(type, 2, false, (a, b, c) -> half(opcode, a, b, constant(format(type))));
        } else if (type == Type.F32) {
            Expr a = real32(1);
            Expr b = real32(2);
            Expr plain = rounding == 0
                    ? real(opcode, a, b)
                    : switch (opcode) {
                        case "add" -> real("addRounded", a, b, constant(rounding));
                        case "sub" -> real("addRounded", a, real("neg", b), constant(rounding));
                        default -> real("mulRounded", a, b, constant(rounding));
                    };
            result32(plain);
        } else {
            Expr a = emitter.value(emitter.operand(1), type);
            Expr b = emitter.value(emitter.operand(2), type);
            result64(
                    rounding == 0
                            ? real(opcode + "D", a, b)
                            : switch (opcode) {
                                case "add" -> real("addRoundedD", a, b, constant(rounding));
                                case "sub" -> real("addRoundedD", a, real("negD", b), constant(rounding));
                                default -> real("mulRoundedD", a, b, constant(rounding));
                            });
        }
    }

    private void integers(String opcode, Type type, boolean high, boolean wide, boolean relu) {
        Expr a = emitter.value(emitter.operand(1), type);
        Expr b = emitter.value(emitter.operand(2), type);
        if (type == Type.S16X2 || type == Type.U16X2) {
            String name = switch (opcode) {
                case "add" -> "add16x2";
                case "min", "max" -> opcode + (type == Type.S16X2 ? "S16x2" : "U16x2");
                default -> throw emitter.unsupported();
            };
            Expr pair = integer(name, a, b);
            emitter.assign(emitter.operand(0), relu ? integer("maxS16x2", pair, constant(0)) : pair, Type.B32);
            return;
        }
        if (wide) {
            wideResult(type, product(type, a, b), null);
            return;
        }
        Expr result = switch (opcode) {
            case "add", "sub" -> saturate ? integer(opcode + "Sat", a, b) : integer(opcode + width(type), a, b);
            case "mul" -> high ? high(type, a, b) : integer("mul" + width(type), a, b);
            default -> integer(opcode + signed(type), a, b);
        };
        if (relu) {
            result = integer("relu32", result);
        }
        emitter.assign(emitter.operand(0), result, type);
    }

    private Expr high(Type type, Expr a, Expr b) {
        return type.bits() == 16 ? integer("mulHi16", a, b) : integer("mulHi" + signed(type), a, b);
    }

    private Expr product(Type type, Expr a, Expr b) {
        return switch (type.bits()) {
            case 16 -> integer("mul32", a, b);
            case 32 -> integer("mulWide" + signed(type), a, b);
            default -> throw emitter.unsupported();
        };
    }

    private static Type doubled(Type type) {
        return switch (type) {
            case S16 -> Type.S32;
            case U16 -> Type.U32;
            case S32 -> Type.S64;
            default -> Type.U64;
        };
    }

    private void wideResult(Type type, Expr product, @Nullable Expr addend) {
        Type wide = doubled(type);
        emitter.assign(
                emitter.operand(0), addend == null ? product : integer("add" + width(wide), product, addend), wide);
    }

    private void ternary(String opcode) {
        boolean low = modifiers.take("lo");
        boolean high = modifiers.take("hi");
        boolean wide = modifiers.take("wide");
        boolean carries = modifiers.take("cc");
        boolean relu = modifiers.take("relu");
        reals();
        Type type = emitter.need(modifiers.type());
        emitter.finish(modifiers);
        emitter.operands(4, 4);
        if (type.integer()) {
            need(opcode.equals("mad") && one(low, high, wide) && !relu && !rounded && !flush && type.bits() > 8);
            need(!carries || (!wide && !saturate && type.bits() >= 32));
            need(!saturate || (high && type == Type.S32));
            emitter.site(InstructionClass.INTEGER);
            Expr a = emitter.value(emitter.operand(1), type);
            Expr b = emitter.value(emitter.operand(2), type);
            if (wide) {
                wideResult(type, product(type, a, b), emitter.value(emitter.operand(3), doubled(type)));
                return;
            }
            Expr c = emitter.value(emitter.operand(3), type);
            if (carries) {
                productCarry(type, high, a, b, c, constant(0), true);
            } else if (saturate) {
                emitter.assign(emitter.operand(0), integer("madHiSat", a, b, c), type);
            } else if (high) {
                emitter.assign(emitter.operand(0), integer("add" + width(type), high(type, a, b), c), type);
            } else {
                emitter.assign(emitter.operand(0), integer("mad" + width(type), a, b, c), type);
            }
            return;
        }
        need(!low && !high && !wide && !carries && (isHalf(type) || type == Type.F32 || type == Type.F64));
        need(!isHalf(type) || (opcode.equals("fma") && rounding == 0));
        need((!flush && !saturate) || flushes(type));
        need(!relu || (isHalf(type) && !saturate));
        if (!rounded) {
            throw emitter.fault("no rounding; expected one such as .rn");
        }
        emitter.site(kind(type), packed(type) ? 4 : 2, type);
        if (isHalf(type)) {
            halves(type, 3, relu, (a, b, c) -> half("fma", a, b, c, constant(format(type))));
        } else if (type == Type.F32) {
            Expr a = real32(1);
            Expr b = real32(2);
            Expr c = real32(3);
            result32(rounding == 0 ? real("fma", a, b, c) : real("fmaRounded", a, b, c, constant(rounding)));
        } else {
            Expr a = emitter.value(emitter.operand(1), type);
            Expr b = emitter.value(emitter.operand(2), type);
            Expr c = emitter.value(emitter.operand(3), type);
            result64(rounding == 0 ? real("fmaD", a, b, c) : real("fmaRoundedD", a, b, c, constant(rounding)));
        }
    }

    /** add.cc and sub.cc, and with what came before addc and subc; writes the carry. */
    private void addCarry(String opcode, Type type, Expr before) {
        boolean add = opcode.startsWith("add");
        Expr a = emitter.value(emitter.operand(1), type);
        Expr b = emitter.value(emitter.operand(2), type);
        // Before the result, which may be one of the operands.
        Register carry = emitter.temporary(Type.U32);
        emitter.put(carry, integer((add ? "carry" : "borrow") + width(type), a, b, before));
        emitter.assign(emitter.operand(0), integer((add ? "addCarry" : "subBorrow") + width(type), a, b, before), type);
        emitter.put(emitter.carry(), emitter.read(carry, Jvm.INT));
    }

    private void productCarry(Type type, boolean high, Expr a, Expr b, Expr c, Expr before, boolean writes) {
        Type register = type.bits() == 64 ? Type.U64 : Type.U32;
        Register product = emitter.temporary(register);
        emitter.put(product, high ? high(type, a, b) : integer("mul" + width(type), a, b));
        Expr p = emitter.read(product, register.jvm());
        Register carry = emitter.temporary(Type.U32);
        emitter.put(carry, integer("carry" + width(type), p, c, before));
        emitter.assign(emitter.operand(0), integer("addCarry" + width(type), p, c, before), type);
        if (writes) {
            emitter.put(emitter.carry(), emitter.read(carry, Jvm.INT));
        }
    }

    private void carried(String opcode) {
        boolean high = modifiers.take("hi");
        boolean low = modifiers.take("lo");
        boolean writes = modifiers.take("cc");
        Type type = emitter.need(modifiers.type());
        emitter.finish(modifiers);
        need(type.integer() && type.bits() >= 32 && opcode.equals("madc") == (high != low) && !(high && low));
        emitter.site(InstructionClass.INTEGER);
        Expr before = emitter.read(emitter.carry(), Jvm.INT);
        if (opcode.equals("madc")) {
            emitter.operands(4, 4);
            productCarry(
                    type,
                    high,
                    emitter.value(emitter.operand(1), type),
                    emitter.value(emitter.operand(2), type),
                    emitter.value(emitter.operand(3), type),
                    before,
                    writes);
            return;
        }
        emitter.operands(3, 3);
        if (writes) {
            addCarry(opcode, type, before);
            return;
        }
        Expr a = emitter.value(emitter.operand(1), type);
        Expr b = emitter.value(emitter.operand(2), type);
        String name = opcode.equals("addc") ? "addCarry" : "subBorrow";
        emitter.assign(emitter.operand(0), integer(name + width(type), a, b, before), type);
    }

    private void product24(boolean add) {
        boolean high = modifiers.take("hi");
        boolean low = modifiers.take("lo");
        Type type = emitter.need(modifiers.type());
        emitter.finish(modifiers);
        emitter.operands(add ? 4 : 3, add ? 4 : 3);
        need(high != low && (type == Type.S32 || type == Type.U32));
        emitter.site(InstructionClass.INTEGER);
        Expr product = integer(
                "mul24" + (high ? "Hi" : "Lo") + (type.signed() ? "S" : "U"),
                emitter.value(emitter.operand(1), type),
                emitter.value(emitter.operand(2), type));
        emitter.assign(
                emitter.operand(0),
                add ? integer("add32", product, emitter.value(emitter.operand(3), type)) : product,
                type);
    }

    private void unary(String opcode) {
        boolean approximate = modifiers.take("approx");
        reals();
        Type type = emitter.need(modifiers.type());
        emitter.finish(modifiers);
        emitter.operands(2, 2);
        boolean plain = opcode.equals("abs") || opcode.equals("neg");
        boolean exact = opcode.equals("rcp") || opcode.equals("sqrt");
        need(!saturate && type.bits() > 8);
        if (plain) {
            need(!approximate && !rounded && (!flush || flushes(type)));
        } else {
            need(exact ? approximate != rounded : approximate && !rounded);
            need(
                    switch (type) {
                        case F64 -> approximate ? opcode.equals("rsqrt") || (opcode.equals("rcp") && flush) : !flush;
                        case F32 -> !flush || !opcode.equals("tanh");
                        default -> flush == (opcode.equals("ex2") && brain(type));
                    });
        }
        emitter.site(plain ? kind(type) : InstructionClass.SPECIAL_FUNCTION);
        if (type.signed() && plain) {
            Expr a = emitter.value(emitter.operand(1), type);
            emitter.assign(emitter.operand(0), integer(opcode + width(type), a), type);
        } else if (isHalf(type)) {
            boolean known = opcode.equals("ex2") || opcode.equals("tanh");
            if (!plain && !known) {
                throw emitter.unsupported();
            }
            halves(type, 1, false, (a, b, c) -> known ? half(opcode, a, constant(format(type))) : half(opcode, a));
        } else if (type == Type.F32) {
            Expr a = real32(1);
            boolean directed = rounding != 0 && (opcode.equals("rcp") || opcode.equals("sqrt"));
            if (!directed) {
                result32(real(opcode, a));
            } else if (opcode.equals("rcp")) {
                result32(real(
                        "divRounded", new Expr.Const(Jvm.FLOAT, Float.floatToRawIntBits(1f)), a, constant(rounding)));
            } else {
                result32(real("sqrtRounded", a, constant(rounding)));
            }
        } else if (type == Type.F64) {
            doubles(opcode, approximate, type);
        } else {
            throw emitter.unsupported();
        }
    }

    private void doubles(String opcode, boolean approximate, Type type) {
        Expr a = emitter.value(emitter.operand(1), type);
        Expr result = switch (opcode) {
            case "abs", "neg" -> real(opcode + "D", a);
            case "rcp" ->
                approximate
                        ? real("rcpApproxD", a)
                        : rounding == 0
                                ? real("rcpD", a)
                                : real(
                                        "divRoundedD",
                                        new Expr.Const(Jvm.DOUBLE, Double.doubleToRawLongBits(1)),
                                        a,
                                        constant(rounding));
            case "sqrt" -> rounding == 0 ? real("sqrtD", a) : real("sqrtRoundedD", a, constant(rounding));
            case "rsqrt" -> flush ? real("rsqrtApproxD", a) : real("rsqrtD", a);
            default -> throw emitter.unsupported();
        };
        emitter.assign(emitter.operand(0), result, type);
    }

    private void divide(Type type, boolean approximate, boolean full) {
        if (type == Type.F32) {
            Expr a = real32(1);
            Expr b = real32(2);
            result32(
                    approximate
                            ? real("divApprox", a, b)
                            : rounding == 0 || full ? real("div", a, b) : real("divRounded", a, b, constant(rounding)));
        } else if (type == Type.F64) {
            Expr a = emitter.value(emitter.operand(1), type);
            Expr b = emitter.value(emitter.operand(2), type);
            result64(rounding == 0 ? real("divD", a, b) : real("divRoundedD", a, b, constant(rounding)));
        } else {
            throw emitter.unsupported();
        }
    }

    private void extreme(String name, Type type, boolean xorSign, boolean nan) {
        if (isHalf(type)) {
            halves(type, 2, false, (a, b, c) -> {
                Expr x = xorSign ? half("abs", a) : a;
                Expr y = xorSign ? half("abs", b) : b;
                Expr result = half(name, x, y, constant(format(type)));
                return xorSign ? half("xorSign", result, a, b) : result;
            });
        } else if (type == Type.F32) {
            Expr a = real32(1);
            Expr b = real32(2);
            Expr result = real(name, xorSign ? real("abs", a) : a, xorSign ? real("abs", b) : b);
            result32(xorSign ? real("xorSign", result, a, b) : result);
        } else {
            if (xorSign || nan) {
                throw emitter.unsupported();
            }
            Expr a = emitter.value(emitter.operand(1), type);
            Expr b = emitter.value(emitter.operand(2), type);
            emitter.assign(emitter.operand(0), real(name + "D", a, b), type);
        }
    }

    private Expr real32(int i) {
        Expr value = emitter.value(emitter.operand(i), Type.F32);
        return flush ? real("flush", value) : value;
    }

    private void result32(Expr value) {
        Expr flushed = flush ? real("flush", value) : value;
        emitter.assign(emitter.operand(0), saturate ? real("saturate", flushed) : flushed, Type.F32);
    }

    private void result64(Expr value) {
        emitter.assign(emitter.operand(0), saturate ? real("saturateD", value) : value, Type.F64);
    }

    private interface HalfFunction {
        Expr of(Expr a, Expr b, Expr c);
    }

    private void halves(Type type, int count, boolean relu, HalfFunction function) {
        Expr[] values = new Expr[3];
        for (int i = 0; i < 3; i++) {
            values[i] = i < count ? emitter.value(emitter.operand(1 + i), type) : constant(0);
        }
        if (!packed(type)) {
            emitter.assign(emitter.operand(0), one(type, relu, function, values), Type.B16);
            return;
        }
        Expr[] low = new Expr[3];
        Expr[] high = new Expr[3];
        for (int i = 0; i < 3; i++) {
            low[i] = integer("cut16", values[i]);
            high[i] = logic("high16", values[i]);
        }
        emitter.assign(
                emitter.operand(0),
                logic("join16", one(type, relu, function, low), one(type, relu, function, high)),
                Type.B32);
    }

    private Expr one(Type type, boolean relu, HalfFunction function, Expr[] values) {
        Expr format = constant(format(type));
        Expr[] in = new Expr[3];
        for (int i = 0; i < 3; i++) {
            in[i] = flush ? half("flush", values[i], format) : values[i];
        }
        Expr result = function.of(in[0], in[1], in[2]);
        result = flush ? half("flush", result, format) : result;
        result = saturate ? half("saturate", result, format) : result;
        return relu ? half("relu", result, format) : result;
    }

    private void sad() {
        Type type = emitter.need(modifiers.type());
        emitter.finish(modifiers);
        emitter.operands(4, 4);
        need(type.integer() && type.bits() > 8);
        emitter.site(InstructionClass.INTEGER);
        emitter.assign(
                emitter.operand(0),
                integer(
                        "sad" + signed(type),
                        emitter.value(emitter.operand(1), type),
                        emitter.value(emitter.operand(2), type),
                        emitter.value(emitter.operand(3), type)),
                type);
    }

    private void dot(boolean four) {
        boolean high = modifiers.take("hi");
        boolean low = modifiers.take("lo");
        Type first = emitter.need(modifiers.type());
        Type second = emitter.need(modifiers.type());
        emitter.finish(modifiers);
        emitter.operands(4, 4);
        need(first.integer() && second.integer() && first.bits() == 32 && second.bits() == 32);
        need(four ? !high && !low : high != low);
        emitter.site(InstructionClass.INTEGER);
        Expr a = emitter.value(emitter.operand(1), Type.B32);
        Expr b = emitter.value(emitter.operand(2), Type.B32);
        Expr c = emitter.value(emitter.operand(3), Type.B32);
        Expr signs = constant((first.signed() ? 1 : 0) | (second.signed() ? 2 : 0));
        emitter.assign(
                emitter.operand(0),
                four ? integer("dp4a", a, b, c, signs) : integer("dp2a", a, b, c, signs, constant(high ? 16 : 0)),
                Type.B32);
    }

    private void copySign() {
        Type type = emitter.need(modifiers.type());
        emitter.finish(modifiers);
        emitter.operands(3, 3);
        if (type != Type.F32 && type != Type.F64) {
            throw emitter.unsupported();
        }
        emitter.site(kind(type));
        emitter.assign(
                emitter.operand(0),
                real(
                        type == Type.F32 ? "copySign" : "copySignD",
                        emitter.value(emitter.operand(1), type),
                        emitter.value(emitter.operand(2), type)),
                type);
    }

    private void testp() {
        String property = modifiers.any("finite", "infinite", "number", "notanumber", "normal", "subnormal");
        Type type = emitter.need(modifiers.type());
        emitter.finish(modifiers);
        emitter.operands(2, 2);
        int number = List.of("finite", "infinite", "number", "notanumber", "normal", "subnormal")
                .indexOf(property);
        if (number < 0 || (type != Type.F32 && type != Type.F64)) {
            throw emitter.unsupported();
        }
        emitter.site(InstructionClass.COMPARE);
        emitter.assign(
                emitter.operand(0),
                real(type == Type.F32 ? "test" : "testD", emitter.value(emitter.operand(1), type), constant(number)),
                Type.PRED);
    }

    private static boolean one(boolean a, boolean b, boolean c) {
        return (a ? 1 : 0) + (b ? 1 : 0) + (c ? 1 : 0) == 1;
    }

    /** For decoders that extend integers. */
    static Expr toLong(Expr value, Type type) {
        return value.jvm() == Jvm.LONG ? value : convert(type.signed() ? "extendS" : "extendU", value);
    }
}
