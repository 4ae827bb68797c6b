package dev.panamark.ptx.runtime;

import dev.panamark.ptx.ir.Expr;
import dev.panamark.ptx.ir.Register;
import dev.panamark.ptx.ir.Type;
import java.lang.invoke.MethodHandle;
import java.util.List;

/** Values of expressions as bits, and registers by bits: one lane at a time. */
@SuppressWarnings("EnumOrdinal") // Within one program run, a number says as much as the constant.
public final class Evaluate {
    private static final Type[] TYPES = Type.values();

    private Evaluate() {}

    /** The bits of a value; of an int or float sign-extended. */
    public static long bits(Expr expr, Warp warp, int lane) {
        return switch (expr) {
            case Expr.Read read -> register(read.register(), warp, lane);
            case Expr.Const constant -> constant.bits();
            case Expr.Uniform uniform -> warp.values[uniform.value().ordinal()];
            case Expr.GlobalAddress variable -> warp.variables[variable.variable()];
            case Expr.Parameter parameter -> parameter(warp.parameters, parameter.type(), parameter.offset());
            case Expr.Lane ignored -> lane;
            case Expr.ThreadIndex index -> warp.threads[32 * index.axis() + lane];
            case Expr.WarpIndex ignored -> warp.index;
            case Expr.Clock ignored -> warp.clock();
            case Expr.Call call -> call(call, warp, lane);
        };
    }

    /** A value of the parameters: short ones extended by their sign, those of 32 bits too. */
    public static long parameter(byte[] parameters, Type type, int offset) {
        long raw = Memory.load(parameters, offset, type.bytes());
        return switch (type) {
            case S8 -> (byte) raw;
            case S16 -> (short) raw;
            default -> raw;
        };
    }

    /** The same by the number of the type; for compiled code. */
    public static long parameter(Warp warp, int type, int offset) {
        return parameter(warp.parameters, TYPES[type], offset);
    }

    public static long register(Register register, Warp warp, int lane) {
        return switch (register.storage()) {
            case PREDICATE -> warp.predicates[register.index()] >>> lane & 1;
            case WORD -> warp.words[32 * register.index() + lane];
            case LONG -> warp.longs[32 * register.index() + lane];
        };
    }

    public static void set(Register register, Warp warp, int lane, long bits) {
        switch (register.storage()) {
            case PREDICATE -> {
                int old = warp.predicates[register.index()];
                warp.predicates[register.index()] = (old & ~(1 << lane)) | (int) (bits & 1) << lane;
            }
            case WORD -> warp.words[32 * register.index() + lane] = (int) bits;
            case LONG -> warp.longs[32 * register.index() + lane] = bits;
        }
    }

    private static long call(Expr.Call call, Warp warp, int lane) {
        MethodHandle handle = call.semantic().handle();
        List<Expr> a = call.arguments();
        try {
            return switch (a.size()) {
                case 1 -> (long) handle.invokeExact(bits(a.get(0), warp, lane));
                case 2 -> (long) handle.invokeExact(bits(a.get(0), warp, lane), bits(a.get(1), warp, lane));
                case 3 ->
                    (long) handle.invokeExact(
                            bits(a.get(0), warp, lane), bits(a.get(1), warp, lane), bits(a.get(2), warp, lane));
                case 4 ->
                    (long) handle.invokeExact(
                            bits(a.get(0), warp, lane),
                            bits(a.get(1), warp, lane),
                            bits(a.get(2), warp, lane),
                            bits(a.get(3), warp, lane));
                default ->
                    (long) handle.invokeExact(
                            bits(a.get(0), warp, lane),
                            bits(a.get(1), warp, lane),
                            bits(a.get(2), warp, lane),
                            bits(a.get(3), warp, lane),
                            bits(a.get(4), warp, lane));
            };
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(call.semantic().name() + " declares no exceptions", e);
        }
    }
}
