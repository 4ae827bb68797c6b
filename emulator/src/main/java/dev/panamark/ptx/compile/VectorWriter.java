package dev.panamark.ptx.compile;

import dev.panamark.ptx.ir.Expr;
import dev.panamark.ptx.ir.Jvm;
import dev.panamark.ptx.ir.Op;
import dev.panamark.ptx.ir.Register;
import dev.panamark.ptx.ir.Space;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes what a group of lanes does at a time, as many as a vector of 32-bit values has: {@code jdk.incubator.vector} by
 * name, so that nothing here needs that module. A value of 64 bits is in two vectors, of the lower and the upper lanes.
 */
final class VectorWriter {
    private static final String PACKAGE = "jdk.incubator.vector.";
    private static final ClassDesc VECTOR = desc("Vector");
    private static final ClassDesc SPECIES = desc("VectorSpecies");
    private static final ClassDesc MASK = desc("VectorMask");
    private static final ClassDesc OPERATORS = desc("VectorOperators");
    private static final ClassDesc BINARY = desc("VectorOperators$Binary");
    private static final ClassDesc CONVERSION = desc("VectorOperators$Conversion");
    private static final ClassDesc COMPARISON = desc("VectorOperators$Comparison");
    private static final ClassDesc INTS = ConstantDescs.CD_int.arrayType();
    private static final ClassDesc LONGS = ConstantDescs.CD_long.arrayType();
    private static final ClassDesc INT = ConstantDescs.CD_int;
    private static final ClassDesc LONG = ConstantDescs.CD_long;
    private static final ClassDesc ORDER = ClassDesc.of(ByteOrder.class.getName());
    private static final ClassDesc SEGMENT = ClassDesc.of(MemorySegment.class.getName());

    private final SegmentWriter segment;
    private final ExpressionWriter scalars;
    private final AccessWriter accesses;
    private final CodeBuilder body;
    private final int lanes;

    /** The first local of a register's vectors. */
    private final Map<Register, Integer> locals = new HashMap<>();

    /** @param lanes of a vector of 32-bit values */
    VectorWriter(SegmentWriter segment, ExpressionWriter scalars, AccessWriter accesses, int lanes) {
        this.segment = segment;
        this.scalars = scalars;
        this.accesses = accesses;
        this.body = segment.body;
        this.lanes = lanes;
    }

    private static ClassDesc desc(String name) {
        return ClassDesc.of(PACKAGE + name);
    }

    private static ClassDesc vector(Jvm kind) {
        return desc(
                switch (kind) {
                    case INT -> "IntVector";
                    case LONG -> "LongVector";
                    case FLOAT -> "FloatVector";
                    case DOUBLE -> "DoubleVector";
                });
    }

    private static boolean wide(Jvm kind) {
        return kind == Jvm.LONG || kind == Jvm.DOUBLE;
    }

    private int local(Register register) {
        return locals.computeIfAbsent(register, key -> {
            int local = body.allocateLocal(TypeKind.REFERENCE);
            if (key.storage() == Register.Storage.LONG) {
                body.allocateLocal(TypeKind.REFERENCE);
            }
            return local;
        });
    }

    /**
     * Reads a register of the lanes from {@link SegmentWriter#lane} on.
     *
     * @param predicates the local with a predicate's bits
     */
    void read(Register register, int predicates) {
        int local = local(register);
        switch (register.storage()) {
            case PREDICATE -> {
                species(Jvm.INT);
                body.iload(predicates).iload(segment.lane).iushr().i2l();
                body.invokestatic(MASK, "fromLong", MethodTypeDesc.of(MASK, SPECIES, LONG));
                body.astore(local);
            }
            case WORD -> {
                species(Jvm.INT);
                segment.place("words", register);
                body.invokestatic(vector(Jvm.INT), "fromArray", MethodTypeDesc.of(vector(Jvm.INT), SPECIES, INTS, INT));
                reinterpret(Jvm.INT, register.local());
                body.astore(local);
            }
            case LONG -> {
                for (int half = 0; half < 2; half++) {
                    species(Jvm.LONG);
                    segment.place("longs", register);
                    second(half);
                    body.invokestatic(
                            vector(Jvm.LONG), "fromArray", MethodTypeDesc.of(vector(Jvm.LONG), SPECIES, LONGS, INT));
                    reinterpret(Jvm.LONG, register.local());
                    body.astore(local + half);
                }
            }
        }
    }

    /**
     * Writes a register of these lanes back.
     *
     * @param predicates the local for a predicate's bits
     */
    void write(Register register, int predicates) {
        int local = local(register);
        switch (register.storage()) {
            case PREDICATE -> {
                body.iload(predicates).aload(local);
                body.invokevirtual(MASK, "toLong", MethodTypeDesc.of(LONG)).l2i();
                body.iload(segment.lane).ishl().ior().istore(predicates);
            }
            case WORD -> {
                body.aload(local);
                reinterpret(register.local(), Jvm.INT);
                segment.place("words", register);
                body.invokevirtual(vector(Jvm.INT), "intoArray", MethodTypeDesc.of(ConstantDescs.CD_void, INTS, INT));
            }
            case LONG -> {
                for (int half = 0; half < 2; half++) {
                    body.aload(local + half);
                    reinterpret(register.local(), Jvm.LONG);
                    segment.place("longs", register);
                    second(half);
                    body.invokevirtual(
                            vector(Jvm.LONG), "intoArray", MethodTypeDesc.of(ConstantDescs.CD_void, LONGS, INT));
                }
            }
        }
    }

    /** Adds the lanes of the first of two vectors to a place. */
    private void second(int half) {
        if (half != 0) {
            body.loadConstant(lanes / 2).iadd();
        }
    }

    private void species(Jvm kind) {
        body.getstatic(vector(kind), "SPECIES_PREFERRED", SPECIES);
    }

    private void reinterpret(Jvm from, Jvm to) {
        if (from == to) {
            return;
        }
        String name = switch (to) {
            case INT -> "reinterpretAsInts";
            case LONG -> "reinterpretAsLongs";
            case FLOAT -> "reinterpretAsFloats";
            case DOUBLE -> "reinterpretAsDoubles";
        };
        body.invokevirtual(VECTOR, name, MethodTypeDesc.of(vector(to)));
    }

    /** An op that {@link VectorPlan} admits. */
    void op(Op op) {
        switch (op) {
            case Op.Assign assign -> assign(assign);
            case Op.Load load -> load(load);
            case Op.Store store -> store(store);
            default -> {}
        }
    }

    private void assign(Op.Assign assign) {
        Register target = assign.target();
        Expr value = assign.value();
        if (target.storage() == Register.Storage.PREDICATE) {
            mask(value);
            body.astore(local(target));
            return;
        }
        // A register may be among its own operands, the upper lanes of which are needed after the lower ones are there.
        int halves = target.storage() == Register.Storage.LONG ? 2 : 1;
        for (int half = 0; half < halves; half++) {
            value(value, half);
            reinterpret(value.jvm(), target.local());
        }
        int local = local(target);
        for (int half = halves - 1; half >= 0; half--) {
            body.astore(local + half);
        }
    }

    private void load(Op.Load load) {
        species(Jvm.INT);
        accesses.pushStream(load.space(), load.address());
        if (load.space() == Space.SHARED) {
            body.invokestatic(vector(Jvm.INT), "fromArray", MethodTypeDesc.of(vector(Jvm.INT), SPECIES, INTS, INT));
        } else {
            order();
            body.invokestatic(
                    vector(Jvm.INT),
                    "fromMemorySegment",
                    MethodTypeDesc.of(vector(Jvm.INT), SPECIES, SEGMENT, LONG, ORDER));
        }
        Register target = load.targets().getFirst();
        if (target == null) {
            body.pop();
        } else {
            reinterpret(Jvm.INT, target.local());
            body.astore(local(target));
        }
    }

    private void store(Op.Store store) {
        Expr value = store.values().getFirst();
        value(value, 0);
        reinterpret(value.jvm(), Jvm.INT);
        accesses.pushStream(store.space(), store.address());
        if (store.space() == Space.SHARED) {
            body.invokevirtual(vector(Jvm.INT), "intoArray", MethodTypeDesc.of(ConstantDescs.CD_void, INTS, INT));
        } else {
            order();
            body.invokevirtual(
                    vector(Jvm.INT),
                    "intoMemorySegment",
                    MethodTypeDesc.of(ConstantDescs.CD_void, SEGMENT, LONG, ORDER));
        }
    }

    private void order() {
        body.getstatic(ORDER, "LITTLE_ENDIAN", ORDER);
    }

    /** Pushes a vector with the value of these lanes, of 64 bits that of a half of them. */
    private void value(Expr expr, int half) {
        if (segment.shared(expr)) {
            species(expr.jvm());
            scalars.write(expr);
            broadcast(expr.jvm());
            return;
        }
        switch (expr) {
            case Expr.Read read -> {
                body.aload(local(read.register()) + (wide(read.jvm()) ? half : 0));
                reinterpret(read.register().local(), read.jvm());
            }
            case Expr.Lane lane -> {
                species(Jvm.INT);
                body.iload(segment.lane);
                broadcast(Jvm.INT);
                body.iconst_1().invokevirtual(vector(Jvm.INT), "addIndex", MethodTypeDesc.of(vector(Jvm.INT), INT));
            }
            case Expr.ThreadIndex index -> {
                species(Jvm.INT);
                body.aload(segment.field("threads")).iload(segment.lane);
                body.invokestatic(vector(Jvm.INT), "fromArray", MethodTypeDesc.of(vector(Jvm.INT), SPECIES, INTS, INT));
            }
            case Expr.Call call -> call(call, half);
            default -> throw new IllegalStateException("no vector of " + expr);
        }
    }

    private void broadcast(Jvm kind) {
        body.invokestatic(
                vector(kind),
                "broadcast",
                MethodTypeDesc.of(
                        vector(kind), SPECIES, kind.type().describeConstable().orElseThrow()));
    }

    private void call(Expr.Call call, int half) {
        List<Expr> a = call.arguments();
        switch (VectorOperation.of(call)) {
            case VectorOperation.Method method -> {
                a.forEach(argument -> value(argument, half));
                body.invokevirtual(
                        vector(method.kind()),
                        method.name(),
                        MethodTypeDesc.of(vector(method.kind()), Collections.nCopies(method.arguments() - 1, VECTOR)));
            }
            case VectorOperation.Lanewise lanewise -> {
                value(a.getFirst(), half);
                body.getstatic(OPERATORS, lanewise.operator(), desc("VectorOperators$" + lanewise.type()));
                value(a.get(1), half);
                body.invokevirtual(
                        vector(lanewise.kind()),
                        "lanewise",
                        MethodTypeDesc.of(vector(lanewise.kind()), BINARY, VECTOR));
            }
            case VectorOperation.Shift shift -> {
                value(a.getFirst(), half);
                body.getstatic(OPERATORS, shift.operator(), BINARY);
                int amount = (int) ((Expr.Const) a.get(1)).bits();
                boolean word = shift.kind() == Jvm.INT;
                if (word) {
                    body.loadConstant(amount);
                } else {
                    body.loadConstant((long) amount);
                }
                body.invokevirtual(
                        vector(shift.kind()),
                        "lanewise",
                        MethodTypeDesc.of(vector(shift.kind()), BINARY, word ? INT : LONG));
            }
            case VectorOperation.Convert convert -> {
                value(a.getFirst(), 0);
                convert(convert.conversion(), convert.kind(), half);
            }
            case VectorOperation.WideProduct product -> {
                for (Expr argument : a) {
                    value(argument, 0);
                    convert(product.conversion(), Jvm.LONG, half);
                }
                plain(Jvm.LONG, "mul");
            }
            case VectorOperation.MultiplyAdd multiply -> {
                value(a.get(0), half);
                value(a.get(1), half);
                plain(multiply.kind(), "mul");
                value(a.get(2), half);
                plain(multiply.kind(), "add");
            }
            case VectorOperation.Extreme extreme -> extreme(extreme, a, half);
            case VectorOperation.Select select -> {
                value(a.get(1), 0);
                value(a.get(0), 0);
                mask(a.get(2));
                if (select.kind() == Jvm.FLOAT) {
                    cast(Jvm.FLOAT);
                }
                blend(select.kind());
            }
            case null, default -> throw new IllegalStateException("no vector of " + call);
        }
    }

    private void plain(Jvm kind, String name) {
        body.invokevirtual(vector(kind), name, MethodTypeDesc.of(vector(kind), VECTOR));
    }

    private void convert(String conversion, Jvm to, int half) {
        body.getstatic(OPERATORS, conversion, CONVERSION);
        species(to);
        body.loadConstant(wide(to) ? half : 0);
        body.invokevirtual(VECTOR, "convertShape", MethodTypeDesc.of(VECTOR, CONVERSION, SPECIES, INT));
        body.checkcast(vector(to));
    }

    private void blend(Jvm kind) {
        body.invokevirtual(vector(kind), "blend", MethodTypeDesc.of(vector(kind), VECTOR, MASK));
    }

    /** Where one argument is a NaN, the other one. */
    private void extreme(VectorOperation.Extreme extreme, List<Expr> a, int half) {
        Jvm kind = extreme.kind();
        int[] arguments = {body.allocateLocal(TypeKind.REFERENCE), body.allocateLocal(TypeKind.REFERENCE)};
        for (int i = 0; i < 2; i++) {
            value(a.get(i), half);
            body.astore(arguments[i]);
        }
        body.aload(arguments[0]).aload(arguments[1]);
        plain(kind, extreme.name());
        for (int i = 0; i < 2; i++) {
            int isNan = arguments[1 - i];
            body.aload(arguments[i]).aload(isNan);
            body.getstatic(OPERATORS, "NE", COMPARISON).aload(isNan);
            compare(kind);
            blend(kind);
        }
    }

    private void compare(Jvm kind) {
        body.invokevirtual(vector(kind), "compare", MethodTypeDesc.of(MASK, COMPARISON, VECTOR));
    }

    private void cast(Jvm kind) {
        species(kind);
        body.invokevirtual(MASK, "cast", MethodTypeDesc.of(MASK, SPECIES));
    }

    /** Pushes a mask of ints. */
    private void mask(Expr expr) {
        if (segment.shared(expr)) {
            species(Jvm.INT);
            scalars.write(expr);
            // All bits or none.
            body.ineg().i2l().invokestatic(MASK, "fromLong", MethodTypeDesc.of(MASK, SPECIES, LONG));
            return;
        }
        switch (expr) {
            case Expr.Read read -> body.aload(local(read.register()));
            case Expr.Call call -> {
                switch (VectorOperation.ofMask(call)) {
                    case VectorOperation.Compare compare -> {
                        value(call.arguments().get(0), 0);
                        body.getstatic(OPERATORS, compare.operator(), COMPARISON);
                        value(call.arguments().get(1), 0);
                        compare(compare.kind());
                        if (compare.kind() != Jvm.INT) {
                            cast(Jvm.INT);
                        }
                    }
                    case VectorOperation.Masks masks -> {
                        call.arguments().forEach(this::mask);
                        body.invokevirtual(
                                MASK,
                                masks.name(),
                                MethodTypeDesc.of(MASK, Collections.nCopies(masks.arguments() - 1, MASK)));
                    }
                    case null, default -> throw new IllegalStateException("no mask of " + call);
                }
            }
            default -> throw new IllegalStateException("no mask of " + expr);
        }
    }
}
