package dev.panamark.ptx.compile;

import dev.panamark.ptx.ir.Expr;
import dev.panamark.ptx.ir.Jvm;
import dev.panamark.ptx.ir.Register;
import dev.panamark.ptx.runtime.CompareOps;
import dev.panamark.ptx.runtime.ConvertOps;
import dev.panamark.ptx.runtime.FloatOps;
import dev.panamark.ptx.runtime.IntegerOps;
import dev.panamark.ptx.runtime.LogicOps;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.OperatorInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes values: a call of the static method that the interpreter calls, or for the simplest of these the JVM
 * instructions that it consists of.
 */
final class ExpressionWriter {
    /** Methods that are one JVM instruction on their arguments. */
    private static final Map<String, Opcode> SINGLE = new HashMap<>();

    private static final ClassDesc MATH = ClassDesc.of("java.lang.Math");

    static {
        single(IntegerOps.class, "add32", Opcode.IADD);
        single(IntegerOps.class, "sub32", Opcode.ISUB);
        single(IntegerOps.class, "mul32", Opcode.IMUL);
        single(IntegerOps.class, "neg32", Opcode.INEG);
        single(IntegerOps.class, "add64", Opcode.LADD);
        single(IntegerOps.class, "sub64", Opcode.LSUB);
        single(IntegerOps.class, "mul64", Opcode.LMUL);
        single(IntegerOps.class, "neg64", Opcode.LNEG);
        single(LogicOps.class, "and32", Opcode.IAND);
        single(LogicOps.class, "or32", Opcode.IOR);
        single(LogicOps.class, "xor32", Opcode.IXOR);
        single(LogicOps.class, "and64", Opcode.LAND);
        single(LogicOps.class, "or64", Opcode.LOR);
        single(LogicOps.class, "xor64", Opcode.LXOR);
        single(FloatOps.class, "add", Opcode.FADD);
        single(FloatOps.class, "sub", Opcode.FSUB);
        single(FloatOps.class, "mul", Opcode.FMUL);
        single(FloatOps.class, "div", Opcode.FDIV);
        single(FloatOps.class, "addD", Opcode.DADD);
        single(FloatOps.class, "subD", Opcode.DSUB);
        single(FloatOps.class, "mulD", Opcode.DMUL);
        single(FloatOps.class, "divD", Opcode.DDIV);
    }

    private final SegmentWriter segment;
    private final CodeBuilder body;

    ExpressionWriter(SegmentWriter segment) {
        this.segment = segment;
        this.body = segment.body;
    }

    private static void single(Class<?> owner, String name, Opcode opcode) {
        SINGLE.put(owner.getName() + "." + name, opcode);
    }

    /** Pushes the value. */
    void write(Expr expr) {
        switch (expr) {
            case Expr.Read read -> read(read.register(), read.jvm());
            case Expr.Const constant -> constant(constant);
            case Expr.Uniform uniform -> body.iload(segment.uniform(uniform));
            case Expr.GlobalAddress variable -> body.lload(segment.uniform(variable));
            case Expr.Parameter parameter ->
                body.loadLocal(SegmentWriter.kind(parameter.jvm()), segment.uniform(parameter));
            case Expr.Lane ignored -> body.iload(segment.lane);
            case Expr.ThreadIndex index -> {
                body.aload(segment.field("threads")).iload(segment.lane);
                if (index.axis() != 0) {
                    body.loadConstant(32 * index.axis()).iadd();
                }
                body.iaload();
            }
            case Expr.WarpIndex ignored -> body.aload(0).getfield(Compiler.WARP, "index", ConstantDescs.CD_int);
            case Expr.Clock ignored ->
                body.aload(0).invokevirtual(Compiler.WARP, "clock", MethodTypeDesc.of(ConstantDescs.CD_long));
            case Expr.Call call -> call(call);
        }
    }

    private void constant(Expr.Const constant) {
        switch (constant.jvm()) {
            case INT -> body.loadConstant((int) constant.bits());
            case LONG -> body.loadConstant(constant.bits());
            case FLOAT -> body.loadConstant(Float.intBitsToFloat((int) constant.bits()));
            case DOUBLE -> body.loadConstant(Double.longBitsToDouble(constant.bits()));
        }
    }

    private void read(Register register, Jvm jvm) {
        body.loadLocal(SegmentWriter.kind(register.local()), segment.local(register));
        convert(register.local(), jvm);
    }

    /** From bits in a long. */
    void ofBits(Jvm jvm) {
        if (jvm == Jvm.INT || jvm == Jvm.FLOAT) {
            body.l2i();
            convert(Jvm.INT, jvm);
        } else {
            convert(Jvm.LONG, jvm);
        }
    }

    /** To bits in a long, as {@code atomic} wants them. */
    void toBits(Jvm jvm) {
        if (jvm == Jvm.INT || jvm == Jvm.FLOAT) {
            convert(jvm, Jvm.INT);
            body.i2l();
        } else {
            convert(jvm, Jvm.LONG);
        }
    }

    /** Reinterprets the value on the stack. */
    void convert(Jvm from, Jvm to) {
        if (from == to) {
            return;
        }
        if (from == Jvm.INT && to == Jvm.FLOAT) {
            body.invokestatic(
                    ConstantDescs.CD_Float,
                    "intBitsToFloat",
                    MethodTypeDesc.of(ConstantDescs.CD_float, ConstantDescs.CD_int));
        } else if (from == Jvm.FLOAT && to == Jvm.INT) {
            body.invokestatic(
                    ConstantDescs.CD_Float,
                    "floatToRawIntBits",
                    MethodTypeDesc.of(ConstantDescs.CD_int, ConstantDescs.CD_float));
        } else if (from == Jvm.LONG && to == Jvm.DOUBLE) {
            body.invokestatic(
                    ConstantDescs.CD_Double,
                    "longBitsToDouble",
                    MethodTypeDesc.of(ConstantDescs.CD_double, ConstantDescs.CD_long));
        } else if (from == Jvm.DOUBLE && to == Jvm.LONG) {
            body.invokestatic(
                    ConstantDescs.CD_Double,
                    "doubleToRawLongBits",
                    MethodTypeDesc.of(ConstantDescs.CD_long, ConstantDescs.CD_double));
        } else {
            throw new IllegalStateException("a " + from + " is no " + to);
        }
    }

    private void call(Expr.Call call) {
        List<Expr> arguments = call.arguments();
        Class<?> owner = call.semantic().owner();
        String name = call.semantic().name();
        Opcode single = SINGLE.get(owner.getName() + "." + name);
        if (single != null) {
            arguments.forEach(this::write);
            body.with(OperatorInstruction.of(single));
            return;
        }
        if ((owner == LogicOps.class && logic(name, arguments))
                || (owner == IntegerOps.class && integer(name, arguments))
                || (owner == FloatOps.class && real(name, arguments))
                || (owner == ConvertOps.class && conversion(name, arguments))
                || (owner == CompareOps.class && comparison(name, arguments))) {
            return;
        }
        arguments.forEach(this::write);
        body.invokestatic(
                ClassDesc.of(owner.getName()),
                name,
                call.semantic().type().describeConstable().orElseThrow());
    }

    private boolean logic(String name, List<Expr> a) {
        switch (name) {
            case "shl32", "shl64", "shrU32", "shrU64", "shrS32", "shrS64" -> {
                int bits = name.endsWith("64") ? 64 : 32;
                if (!(a.get(1) instanceof Expr.Const amount) || amount.bits() < 0 || amount.bits() >= bits) {
                    return false;
                }
                write(a.get(0));
                write(amount);
                body.with(OperatorInstruction.of(
                        switch (name) {
                            case "shl32" -> Opcode.ISHL;
                            case "shl64" -> Opcode.LSHL;
                            case "shrU32" -> Opcode.IUSHR;
                            case "shrU64" -> Opcode.LUSHR;
                            case "shrS32" -> Opcode.ISHR;
                            default -> Opcode.LSHR;
                        }));
            }
            case "not32" -> {
                write(a.get(0));
                body.iconst_m1().ixor();
            }
            case "notPred" -> {
                write(a.get(0));
                body.iconst_1().ixor();
            }
            case "low32" -> {
                write(a.get(0));
                body.l2i();
            }
            case "high16" -> {
                write(a.get(0));
                body.bipush(16).iushr();
            }
            case "select32", "select64", "selectFloat", "selectDouble" -> {
                Label other = body.newLabel();
                Label end = body.newLabel();
                write(a.get(2));
                body.ifeq(other);
                write(a.get(0));
                body.goto_(end).labelBinding(other);
                write(a.get(1));
                body.labelBinding(end);
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private boolean integer(String name, List<Expr> a) {
        switch (name) {
            case "mad32" -> {
                write(a.get(0));
                write(a.get(1));
                body.imul();
                write(a.get(2));
                body.iadd();
            }
            case "mad64" -> {
                write(a.get(0));
                write(a.get(1));
                body.lmul();
                write(a.get(2));
                body.ladd();
            }
            case "mulWideS32" -> {
                write(a.get(0));
                body.i2l();
                write(a.get(1));
                body.i2l().lmul();
            }
            case "cut16", "cut8" -> {
                write(a.get(0));
                body.loadConstant(name.equals("cut16") ? 0xffff : 0xff).iand();
            }
            case "signed16" -> {
                write(a.get(0));
                body.i2s();
            }
            case "signed8" -> {
                write(a.get(0));
                body.i2b();
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private boolean real(String name, List<Expr> a) {
        if (!name.equals("fma") && !name.equals("fmaD")) {
            return false;
        }
        a.forEach(this::write);
        ClassDesc type = name.equals("fma") ? ConstantDescs.CD_float : ConstantDescs.CD_double;
        body.invokestatic(MATH, "fma", MethodTypeDesc.of(type, type, type, type));
        return true;
    }

    private boolean conversion(String name, List<Expr> a) {
        if (!name.equals("extendS") && !name.equals("extendU")) {
            return false;
        }
        write(a.get(0));
        body.i2l();
        if (name.equals("extendU")) {
            body.loadConstant(0xffffffffL).land();
        }
        return true;
    }

    private boolean comparison(String name, List<Expr> a) {
        Opcode opcode = switch (name) {
            case "eq32" -> Opcode.IF_ICMPEQ;
            case "ne32" -> Opcode.IF_ICMPNE;
            case "ltS32" -> Opcode.IF_ICMPLT;
            case "leS32" -> Opcode.IF_ICMPLE;
            case "gtS32" -> Opcode.IF_ICMPGT;
            case "geS32" -> Opcode.IF_ICMPGE;
            case "eqF32", "eqF64", "eq64" -> Opcode.IFEQ;
            case "ltF32", "ltF64", "ltS64" -> Opcode.IFLT;
            case "leF32", "leF64", "leS64" -> Opcode.IFLE;
            case "gtF32", "gtF64", "gtS64" -> Opcode.IFGT;
            case "geF32", "geF64", "geS64" -> Opcode.IFGE;
            default -> null;
        };
        if (opcode == null) {
            return false;
        }
        write(a.get(0));
        write(a.get(1));
        boolean less = name.startsWith("l");
        if (name.endsWith("F32")) {
            // The one of both for which NaN is false.
            body.with(OperatorInstruction.of(less ? Opcode.FCMPG : Opcode.FCMPL));
        } else if (name.endsWith("F64")) {
            body.with(OperatorInstruction.of(less ? Opcode.DCMPG : Opcode.DCMPL));
        } else if (name.endsWith("64")) {
            body.lcmp();
        }
        Label yes = body.newLabel();
        Label end = body.newLabel();
        body.branch(opcode, yes);
        body.iconst_0().goto_(end).labelBinding(yes).iconst_1().labelBinding(end);
        return true;
    }
}
