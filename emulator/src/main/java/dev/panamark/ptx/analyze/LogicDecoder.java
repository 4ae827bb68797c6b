package dev.panamark.ptx.analyze;

import static dev.panamark.ptx.analyze.ArithmeticDecoder.width;
import static dev.panamark.ptx.analyze.Emitter.call;
import static dev.panamark.ptx.analyze.Emitter.compare;
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
import dev.panamark.ptx.parse.Syntax;
import dev.panamark.ptx.runtime.LogicOps;
import java.util.ArrayList;
import java.util.List;

/** Bits, moves, selections and comparisons. */
final class LogicDecoder {
    private static final List<String> PRMT_MODES = List.of("f4e", "b4e", "rc8", "ecl", "ecr", "rc16");
    private static final String[] COMPARISONS = {
        "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num",
        "nan"
    };

    private final Emitter emitter;
    private Modifiers modifiers = new Modifiers(List.of());

    LogicDecoder(Emitter emitter) {
        this.emitter = emitter;
    }

    boolean decode(String opcode, Modifiers given) {
        modifiers = given;
        switch (opcode) {
            case "and", "or", "xor", "not", "cnot" -> bits(opcode);
            case "shl", "shr" -> shift(opcode.equals("shl"));
            case "shf" -> funnel();
            case "lop3" -> lop3();
            case "bfe", "bfi" -> field(opcode.equals("bfe"));
            case "bfind", "brev", "clz", "popc" -> count(opcode);
            case "fns" -> fns();
            case "prmt" -> prmt();
            case "bmsk", "szext" -> mask(opcode);
            case "vabsdiff4" -> absoluteDifferences();
            case "mov" -> mov();
            case "selp", "slct" -> select(opcode.equals("selp"));
            case "setp", "set" -> compares(opcode.equals("setp"));
            default -> {
                return false;
            }
        }
        return true;
    }

    private Expr in(int i, Type type) {
        return emitter.value(emitter.operand(i), type);
    }

    private void out(Expr value, Type type) {
        emitter.assign(emitter.operand(0), value, type);
    }

    private Type type(InstructionClass kind, int operands) {
        Type type = emitter.need(modifiers.type());
        emitter.finish(modifiers);
        emitter.operands(operands, operands);
        emitter.site(kind);
        return type;
    }

    private void bits(String opcode) {
        boolean one = opcode.equals("not") || opcode.equals("cnot");
        Type type = type(InstructionClass.LOGIC, one ? 2 : 3);
        if (!type.untyped() && type != Type.PRED) {
            throw emitter.unsupported();
        }
        if (type == Type.PRED) {
            if (opcode.equals("cnot")) {
                throw emitter.unsupported();
            }
            Expr a = emitter.condition(emitter.operand(1));
            out(one ? logic("notPred", a) : logic(opcode + "32", a, emitter.condition(emitter.operand(2))), type);
        } else {
            out(
                    one
                            ? logic(opcode + width(type), in(1, type))
                            : logic(opcode + width(type), in(1, type), in(2, type)),
                    type);
        }
    }

    private void shift(boolean left) {
        Type type = type(InstructionClass.LOGIC, 3);
        if (type.real() || type == Type.PRED || type.bits() < 16 || type == Type.B128) {
            throw emitter.unsupported();
        }
        Expr a = in(1, type);
        Expr n = emitter.value(emitter.operand(2), Type.U32, true);
        if (left) {
            out(logic("shl" + width(type), a, n), type);
        } else {
            out(logic((type.signed() ? "shrS" : "shrU") + width(type), a, n), type);
        }
    }

    private void funnel() {
        String direction = modifiers.any("l", "r");
        String mode = modifiers.any("wrap", "clamp");
        Type type = type(InstructionClass.LOGIC, 4);
        if (direction.isEmpty() || mode.isEmpty() || type != Type.B32) {
            throw emitter.unsupported();
        }
        String name = "shf" + (direction.equals("l") ? "L" : "R") + (mode.equals("wrap") ? "Wrap" : "Clamp");
        out(logic(name, in(1, type), in(2, type), in(3, Type.U32)), type);
    }

    private int immediate(int i) {
        if (emitter.operand(i) instanceof Syntax.Int number) {
            return (int) number.value();
        }
        throw emitter.fault("operand " + (i + 1) + " is not a number; expected one");
    }

    private void lop3() {
        String combine = modifiers.any("or", "and");
        if (!combine.isEmpty()) {
            throw emitter.unsupported();
        }
        Type type = type(InstructionClass.LOGIC, 5);
        if (type != Type.B32) {
            throw emitter.unsupported();
        }
        int table = immediate(4);
        if (table < 0 || table > 255) {
            throw emitter.fault("table " + table + "; expected 0 to 255");
        }
        out(logic("lop3", in(1, type), in(2, type), in(3, type), constant(table)), type);
    }

    private void field(boolean extract) {
        Type type = type(InstructionClass.LOGIC, extract ? 4 : 5);
        if (type.bits() < 32 || (extract ? !type.integer() : !type.untyped())) {
            throw emitter.unsupported();
        }
        if (extract) {
            out(logic("bfe" + ArithmeticDecoder.signed(type), in(1, type), in(2, Type.U32), in(3, Type.U32)), type);
        } else {
            out(logic("bfi" + width(type), in(1, type), in(2, type), in(3, Type.U32), in(4, Type.U32)), type);
        }
    }

    private void count(String opcode) {
        boolean amount = modifiers.take("shiftamt");
        Type type = type(InstructionClass.LOGIC, 2);
        boolean found = opcode.equals("bfind");
        if (type.bits() < 32 || type.bits() > 64 || (found ? !type.integer() : !type.untyped()) || (amount && !found)) {
            throw emitter.unsupported();
        }
        Expr a = in(1, type);
        if (opcode.equals("brev")) {
            out(logic("brev" + width(type), a), type);
        } else if (found) {
            Expr at = logic("bfind" + ArithmeticDecoder.signed(type), a);
            out(amount ? logic("shiftAmount" + width(type), at) : at, Type.U32);
        } else {
            out(logic(opcode + width(type), a), Type.U32);
        }
    }

    private void fns() {
        Type type = type(InstructionClass.LOGIC, 4);
        if (type != Type.B32) {
            throw emitter.unsupported();
        }
        out(logic("fns", in(1, type), in(2, Type.U32), in(3, Type.S32)), type);
    }

    private void prmt() {
        Type type = emitter.need(modifiers.type());
        int mode = PRMT_MODES.indexOf(modifiers.any(PRMT_MODES.toArray(new String[0])));
        emitter.finish(modifiers);
        emitter.operands(4, 4);
        if (type != Type.B32) {
            throw emitter.unsupported();
        }
        emitter.site(InstructionClass.LOGIC);
        Expr a = in(1, type);
        Expr b = in(2, type);
        Expr c = in(3, type);
        out(mode < 0 ? logic("prmt", a, b, c) : logic("prmtMode", a, b, c, constant(mode)), type);
    }

    private void mask(String opcode) {
        String mode = modifiers.any("wrap", "clamp");
        boolean wrap = mode.equals("wrap");
        Type type = type(InstructionClass.LOGIC, 3);
        if (mode.isEmpty() || (opcode.equals("bmsk") ? type != Type.B32 : !type.integer() || type.bits() != 32)) {
            throw emitter.unsupported();
        }
        String name = opcode + (wrap ? "Wrap" : "Clamp") + (opcode.equals("bmsk") ? "" : type.signed() ? "S" : "U");
        out(logic(name, in(1, type), in(2, Type.U32)), type);
    }

    private void absoluteDifferences() {
        Type result = emitter.need(modifiers.type());
        Type a = emitter.need(modifiers.type());
        Type b = emitter.need(modifiers.type());
        boolean add = modifiers.take("add");
        emitter.finish(modifiers);
        emitter.operands(4, 4);
        if (result.bits() != 32 || a != b || a.bits() != 32) {
            throw emitter.unsupported();
        }
        emitter.site(InstructionClass.INTEGER);
        out(
                call(
                        LogicOps.class,
                        "vabsdiff4",
                        in(1, Type.B32),
                        in(2, Type.B32),
                        in(3, Type.B32),
                        constant(a.signed() ? 1 : 0),
                        constant(add ? 1 : 0)),
                Type.B32);
    }

    private void mov() {
        Type type = type(InstructionClass.MOVE, 2);
        Syntax.Operand to = emitter.operand(0);
        Syntax.Operand from = emitter.operand(1);
        if (type == Type.PRED) {
            out(emitter.condition(from), type);
        } else if (from instanceof Syntax.Tuple parts) {
            out(join(type, parts.parts()), type);
        } else if (to instanceof Syntax.Tuple parts) {
            split(type, parts.parts(), from);
        } else {
            Type as = type;
            Register source = from instanceof Syntax.Name name
                            && emitter.scope().find(name.name()) instanceof Binding.Single single
                    ? single.register()
                    : null;
            if (source != null
                    && type.untyped()
                    && type.bits() == source.type().bits()
                    && source.type().real()) {
                // Stays a float or double if both are, so that nothing moves between register files.
                as = source.type();
            }
            out(in(1, as), as);
        }
    }

    private Expr join(Type type, List<Syntax.Operand> parts) {
        int count = parts.size();
        int bits = count == 0 ? 0 : type.bits() / count;
        Type part = switch (bits) {
            case 32 -> Type.B32;
            case 16 -> Type.B16;
            case 8 -> Type.B8;
            default -> throw emitter.fault(count + " parts of " + type.bits() + " bits");
        };
        List<Expr> values = new ArrayList<>();
        for (Syntax.Operand operand : parts) {
            values.add(emitter.value(operand, part));
        }
        if (bits == 8) {
            List<Expr> pairs = new ArrayList<>();
            for (int i = 0; i + 1 < count; i += 2) {
                pairs.add(convert("join8", values.get(i), values.get(i + 1)));
            }
            values = pairs;
        }
        if (bits <= 16 && values.size() > 1) {
            List<Expr> pairs = new ArrayList<>();
            for (int i = 0; i + 1 < values.size(); i += 2) {
                pairs.add(logic("join16", values.get(i), values.get(i + 1)));
            }
            values = pairs;
        }
        return values.size() == 2 ? logic("join32", values.get(0), values.get(1)) : values.get(0);
    }

    private void split(Type type, List<Syntax.Operand> parts, Syntax.Operand from) {
        int count = parts.size();
        int bits = count == 0 ? 0 : type.bits() / count;
        if ((bits != 32 && bits != 16 && bits != 8) || type.bits() > 64) {
            throw emitter.fault(count + " parts of " + type.bits() + " bits");
        }
        Type whole = type.bits() == 64 ? Type.B64 : type.bits() == 32 ? Type.B32 : Type.B16;
        Register source = emitter.temporary(whole);
        emitter.put(source, emitter.value(from, whole));
        for (int i = 0; i < count; i++) {
            int at = i * bits;
            Expr value;
            if (whole == Type.B64) {
                value = logic(at >= 32 ? "high32" : "low32", emitter.read(source, Jvm.LONG));
            } else {
                value = emitter.read(source, Jvm.INT);
            }
            if (at % 32 != 0) {
                value = logic("shrU32", value, constant(at % 32));
            }
            Type part = bits == 32 ? Type.B32 : bits == 16 ? Type.B16 : Type.B8;
            emitter.assign(parts.get(i), value, part);
        }
    }

    private void select(boolean byPredicate) {
        Type type = emitter.need(modifiers.type());
        if (!byPredicate) {
            boolean flush = modifiers.take("ftz");
            Type by = emitter.need(modifiers.type());
            emitter.finish(modifiers);
            emitter.operands(4, 4);
            emitter.site(InstructionClass.MOVE);
            Expr p;
            if (by == Type.S32 && !flush) {
                p = compare("notNegative", in(3, by));
            } else if (by == Type.F32) {
                Expr c = in(3, by);
                Expr zero = new Expr.Const(Jvm.FLOAT, 0);
                p = compare("geF32", flush ? real("flush", c) : c, zero);
            } else {
                throw emitter.unsupported();
            }
            selected(type, p);
            return;
        }
        emitter.finish(modifiers);
        emitter.operands(4, 4);
        emitter.site(InstructionClass.MOVE);
        selected(type, emitter.condition(emitter.operand(3)));
    }

    private void selected(Type type, Expr p) {
        String name = switch (type.jvm()) {
            case INT -> "select32";
            case LONG -> "select64";
            case FLOAT -> "selectFloat";
            case DOUBLE -> "selectDouble";
        };
        if (type == Type.PRED) {
            throw emitter.unsupported();
        }
        out(logic(name, in(1, type), in(2, type), p), type);
    }

    private void compares(boolean toPredicate) {
        String comparison = modifiers.any(COMPARISONS);
        String combine = modifiers.any("and", "or", "xor");
        boolean flush = modifiers.take("ftz");
        Type result = toPredicate ? Type.PRED : emitter.need(modifiers.type());
        Type type = emitter.need(modifiers.type());
        emitter.finish(modifiers);
        if (comparison.isEmpty()) {
            throw emitter.fault("no comparison; expected one such as .lt");
        }
        if (flush && type != Type.F32 && type != Type.F16 && type != Type.F16X2) {
            throw emitter.unsupported();
        }
        int count = combine.isEmpty() ? 3 : 4;
        emitter.operands(count, count);
        emitter.site(InstructionClass.COMPARE);
        Expr a = in(1, type);
        Expr b = in(2, type);
        boolean packed = type == Type.F16X2 || type == Type.BF16X2;
        if (!toPredicate) {
            set(comparison, combine, flush, result, type, a, b);
            return;
        }
        Syntax.Operand first = emitter.operand(0);
        Syntax.Operand second = null;
        if (first instanceof Syntax.Pair pair) {
            first = pair.first();
            second = pair.second();
            if (type == Type.F16 || type == Type.BF16) {
                throw emitter.fault("two predicates for ." + type.ptx() + "; expected one");
            }
        }
        Expr low = packed
                ? test(comparison, type, integer("cut16", a), integer("cut16", b), flush)
                : test(comparison, type, a, b, flush);
        Expr other =
                packed ? test(comparison, type, logic("high16", a), logic("high16", b), flush) : logic("notPred", low);
        if (!combine.isEmpty()) {
            Expr c = emitter.condition(emitter.operand(3));
            low = logic(combine + "32", low, c);
            other = logic(combine + "32", other, c);
        }
        if (second == null) {
            emitter.assign(first, low, Type.PRED);
            return;
        }
        // Both before either is written, since c may be one of them.
        Register kept = emitter.temporary(Type.PRED);
        emitter.put(kept, other);
        emitter.assign(first, low, Type.PRED);
        emitter.assign(second, emitter.read(kept, Jvm.INT), Type.PRED);
    }

    /** Whether {@code set} has a result of one type for operands of the other. */
    private static boolean settable(Type result, Type type, boolean flush) {
        boolean half = type == Type.F16 || type == Type.BF16;
        boolean packed = type == Type.F16X2 || type == Type.BF16X2;
        return switch (result) {
            case U32, S32 -> true;
            case F16X2, BF16X2 -> result == type;
            case U16, S16 -> half;
            case F32 -> !half && !packed;
            case F16 -> type != Type.BF16 && !packed;
            case BF16 -> !flush && !packed;
            default -> false;
        };
    }

    private void set(String comparison, String combine, boolean flush, Type result, Type type, Expr a, Expr b) {
        if (!settable(result, type, flush)) {
            throw emitter.unsupported();
        }
        boolean packed = type == Type.F16X2 || type == Type.BF16X2;
        Expr c = combine.isEmpty() ? null : emitter.condition(emitter.operand(3));
        if (packed) {
            Expr low = test(comparison, type, integer("cut16", a), integer("cut16", b), flush);
            Expr high = test(comparison, type, logic("high16", a), logic("high16", b), flush);
            if (c != null) {
                low = logic(combine + "32", low, c);
                high = logic(combine + "32", high, c);
            }
            String one = result == Type.F16X2 ? "oneHalf" : result == Type.BF16X2 ? "oneBf16" : "ones";
            out(logic("join16", compare(one, low), compare(one, high)), Type.B32);
            return;
        }
        Expr p = test(comparison, type, a, b, flush);
        if (c != null) {
            p = logic(combine + "32", p, c);
        }
        switch (result) {
            case F32 -> out(compare("one", p), Type.F32);
            case F16 -> out(compare("oneHalf", p), Type.B16);
            case BF16 -> out(compare("oneBf16", p), Type.B16);
            case U32, S32 -> out(compare("ones", p), Type.B32);
            case U16, S16 -> out(compare("ones", p), Type.B16);
            default -> throw emitter.unsupported();
        }
    }

    private Expr test(String comparison, Type type, Expr a, Expr b, boolean flush) {
        if (type.real() || type == Type.F16X2 || type == Type.BF16X2) {
            return testReal(comparison, type, a, b, flush);
        }
        String wide = width(type);
        String name = switch (comparison) {
            case "eq", "ne" -> comparison + wide;
            case "lt", "le", "gt", "ge" -> {
                if (type.untyped()) {
                    throw emitter.fault("an order of untyped values; expected .eq or .ne");
                }
                yield comparison + (type.signed() ? "S" : "U") + wide;
            }
            case "lo", "ls", "hi", "hs" -> {
                if (!type.unsigned()) {
                    throw emitter.fault("an unsigned order of ." + type.ptx() + "; expected an unsigned type");
                }
                yield switch (comparison) {
                    case "lo" -> "ltU" + wide;
                    case "ls" -> "leU" + wide;
                    case "hi" -> "gtU" + wide;
                    default -> "geU" + wide;
                };
            }
            default -> throw emitter.unsupported();
        };
        return compare(name, a, b);
    }

    private Expr testReal(String comparison, Type type, Expr a, Expr b, boolean flush) {
        String name = switch (comparison) {
            case "equ", "neu", "ltu", "leu", "gtu", "geu" -> comparison.substring(0, 2) + "F32Or";
            case "eq", "ne", "lt", "le", "gt", "ge", "num", "nan" -> comparison + "F32";
            default -> throw emitter.unsupported();
        };
        if (type == Type.F64) {
            return compare(name.replace("F32", "F64"), a, b);
        }
        Expr x = a;
        Expr y = b;
        if (type != Type.F32) {
            Expr format = constant(ArithmeticDecoder.format(type));
            x = half("toFloat", flush ? half("flush", a, format) : a, format);
            y = half("toFloat", flush ? half("flush", b, format) : b, format);
        } else if (flush) {
            x = real("flush", a);
            y = real("flush", b);
        }
        return compare(name, x, y);
    }
}
