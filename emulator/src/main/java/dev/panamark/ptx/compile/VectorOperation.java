package dev.panamark.ptx.compile;

import dev.panamark.ptx.ir.Expr;
import dev.panamark.ptx.ir.Jvm;
import dev.panamark.ptx.runtime.CompareOps;
import dev.panamark.ptx.runtime.ConvertOps;
import dev.panamark.ptx.runtime.FloatOps;
import dev.panamark.ptx.runtime.IntegerOps;
import dev.panamark.ptx.runtime.LogicOps;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Meanings that {@code jdk.incubator.vector} has too, with the same results. */
sealed interface VectorOperation {
    /** A method of the first argument's vector, which takes the other ones. */
    record Method(Jvm kind, String name, int arguments) implements VectorOperation {}

    /** A constant of {@code VectorOperators}, and the type of its field, with as many arguments. */
    record Lanewise(Jvm kind, String operator, String type, int arguments) implements VectorOperation {}

    /** By a constant number of bits. */
    record Shift(Jvm kind, String operator) implements VectorOperation {}

    /** To a mask. */
    record Compare(Jvm kind, String operator) implements VectorOperation {}

    /** Of an int to a value of another kind. */
    record Convert(Jvm kind, String conversion) implements VectorOperation {}

    /** Of two ints to the product in a long, widened by {@code conversion}. */
    record WideProduct(String conversion) implements VectorOperation {}

    /** a b + c of whole numbers. */
    record MultiplyAdd(Jvm kind) implements VectorOperation {}

    /** Of minimum or maximum, where a NaN loses against a number. */
    record Extreme(Jvm kind, String name) implements VectorOperation {}

    /** The first argument where the third one is true, else the second one. */
    record Select(Jvm kind) implements VectorOperation {}

    /** Of masks: and, or, xor, not. */
    record Masks(String name, int arguments) implements VectorOperation {}

    /** By class and name of the method. */
    Map<String, VectorOperation> KNOWN = known();

    /** That of a call; null where there is none. */
    static @Nullable VectorOperation of(Expr.Call call) {
        VectorOperation operation =
                KNOWN.get(key(call.semantic().owner(), call.semantic().name()));
        if (operation instanceof Shift shift) {
            return call.arguments().get(1) instanceof Expr.Const amount
                            && amount.bits() >= 0
                            && amount.bits() < (shift.kind() == Jvm.LONG ? 64 : 32)
                    ? operation
                    : null;
        }
        return operation;
    }

    /** What a call means whose result is a mask; null where there is nothing. */
    static @Nullable VectorOperation ofMask(Expr.Call call) {
        if (call.semantic().owner() != LogicOps.class) {
            return of(call) instanceof Compare compare ? compare : null;
        }
        return switch (call.semantic().name()) {
            case "and32" -> new Masks("and", 2);
            case "or32" -> new Masks("or", 2);
            case "xor32" -> new Masks("xor", 2);
            case "notPred" -> new Masks("not", 1);
            default -> null;
        };
    }

    private static String key(Class<?> owner, String name) {
        return owner.getName() + "." + name;
    }

    private static Map<String, VectorOperation> known() {
        Map<String, VectorOperation> map = new HashMap<>();
        for (Jvm kind : List.of(Jvm.INT, Jvm.LONG)) {
            String bits = kind == Jvm.INT ? "32" : "64";
            for (String name : List.of("add", "sub", "mul")) {
                map.put(key(IntegerOps.class, name + bits), new Method(kind, name, 2));
            }
            map.put(key(IntegerOps.class, "neg" + bits), new Method(kind, "neg", 1));
            map.put(key(IntegerOps.class, "abs" + bits), new Method(kind, "abs", 1));
            map.put(key(IntegerOps.class, "mad" + bits), new MultiplyAdd(kind));
            map.put(key(IntegerOps.class, "minS" + bits), new Method(kind, "min", 2));
            map.put(key(IntegerOps.class, "maxS" + bits), new Method(kind, "max", 2));
            map.put(key(LogicOps.class, "and" + bits), new Method(kind, "and", 2));
            map.put(key(LogicOps.class, "or" + bits), new Method(kind, "or", 2));
            map.put(key(LogicOps.class, "xor" + bits), new Lanewise(kind, "XOR", "Associative", 2));
            map.put(key(LogicOps.class, "not" + bits), new Method(kind, "not", 1));
            map.put(key(LogicOps.class, "shl" + bits), new Shift(kind, "LSHL"));
            map.put(key(LogicOps.class, "shrU" + bits), new Shift(kind, "LSHR"));
            map.put(key(LogicOps.class, "shrS" + bits), new Shift(kind, "ASHR"));
        }
        for (Jvm kind : List.of(Jvm.FLOAT, Jvm.DOUBLE)) {
            String end = kind == Jvm.FLOAT ? "" : "D";
            for (String name : List.of("add", "sub", "mul", "div")) {
                map.put(key(FloatOps.class, name + end), new Method(kind, name, 2));
            }
            map.put(key(FloatOps.class, "fma" + end), new Method(kind, "fma", 3));
            map.put(key(FloatOps.class, "neg" + end), new Method(kind, "neg", 1));
            map.put(key(FloatOps.class, "abs" + end), new Method(kind, "abs", 1));
            map.put(key(FloatOps.class, "sqrt" + end), new Method(kind, "sqrt", 1));
            map.put(key(FloatOps.class, "min" + end), new Extreme(kind, "min"));
            map.put(key(FloatOps.class, "max" + end), new Extreme(kind, "max"));
        }
        for (String name : List.of("lt", "le", "gt", "ge")) {
            String operator = name.toUpperCase(Locale.ROOT);
            map.put(key(CompareOps.class, name + "S32"), new Compare(Jvm.INT, operator));
            map.put(key(CompareOps.class, name + "U32"), new Compare(Jvm.INT, "U" + operator));
            map.put(key(CompareOps.class, name + "F32"), new Compare(Jvm.FLOAT, operator));
        }
        map.put(key(CompareOps.class, "eq32"), new Compare(Jvm.INT, "EQ"));
        map.put(key(CompareOps.class, "ne32"), new Compare(Jvm.INT, "NE"));
        map.put(key(CompareOps.class, "eqF32"), new Compare(Jvm.FLOAT, "EQ"));
        // Unlike neF32, true for NaN.
        map.put(key(CompareOps.class, "neF32Or"), new Compare(Jvm.FLOAT, "NE"));
        map.put(key(ConvertOps.class, "extendS"), new Convert(Jvm.LONG, "I2L"));
        map.put(key(ConvertOps.class, "extendU"), new Convert(Jvm.LONG, "ZERO_EXTEND_I2L"));
        map.put(key(ConvertOps.class, "floatOfS32"), new Convert(Jvm.FLOAT, "I2F"));
        map.put(key(ConvertOps.class, "doubleOfS32"), new Convert(Jvm.DOUBLE, "I2D"));
        map.put(key(IntegerOps.class, "mulWideS32"), new WideProduct("I2L"));
        map.put(key(IntegerOps.class, "mulWideU32"), new WideProduct("ZERO_EXTEND_I2L"));
        map.put(key(LogicOps.class, "select32"), new Select(Jvm.INT));
        map.put(key(LogicOps.class, "selectFloat"), new Select(Jvm.FLOAT));
        return Map.copyOf(map);
    }
}
