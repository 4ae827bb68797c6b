package dev.panamark.ptx.compile;

import dev.panamark.ptx.analyze.Liveness;
import dev.panamark.ptx.analyze.Uniformity;
import dev.panamark.ptx.check.SegmentEvents;
import dev.panamark.ptx.count.Track;
import dev.panamark.ptx.ir.KernelCode;
import dev.panamark.ptx.ir.Segment;
import dev.panamark.ptx.runtime.Executor;
import dev.panamark.ptx.runtime.VectorModule;
import dev.panamark.ptx.runtime.VectorUse;
import dev.panamark.ptx.runtime.Warp;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Kernels to JVM bytecode. A segment becomes two static methods, one for all 32 lanes and one for some: a loop over the
 * lanes in which registers are local variables. Between segments registers are in the warp's arrays. Some segments have a
 * third one, for all lanes with vectors; {@link Tiers} says when it is used.
 */
public final class Compiler {
    /** Methods above 8,000 bytes are never compiled to machine code; this leaves room. */
    public static final int MOST_BYTES = 4_000;

    static final ClassDesc WARP = ClassDesc.of(Warp.class.getName());

    private static final ClassDesc EXECUTOR = ClassDesc.of(Executor.class.getName());
    private static final MethodTypeDesc FULL = MethodTypeDesc.of(ConstantDescs.CD_int, WARP);
    private static final MethodTypeDesc MASKED = MethodTypeDesc.of(ConstantDescs.CD_int, WARP, ConstantDescs.CD_int);
    private static final MethodTypeDesc RUN =
            MethodTypeDesc.of(ConstantDescs.CD_int, ConstantDescs.CD_int, WARP, ConstantDescs.CD_int);
    private static final String PACKAGE = Compiler.class.getPackageName() + ".generated.";

    /** Methods of one segment each. The harness names the second one to its JVMs, see docs/emulator.md. */
    private static final String LANES = PACKAGE + "Segments";

    private static final String VECTORS = PACKAGE + "Vectors";
    private static final String KERNEL = PACKAGE + "Kernel";

    /** The same with vectors where they are chosen. */
    private static final String MIXED = PACKAGE + "Mixed";

    private static final String MIXED_KERNEL = PACKAGE + "MixedKernel";
    private static final int SEGMENTS_OF_CLASS = 250;

    private final KernelCode code;
    private final List<Segment> segments;
    private final Liveness liveness;
    private final Uniformity uniformity;
    private final Streams streams;
    private final KnownPatterns patterns;

    Compiler(KernelCode code, boolean counting, boolean checking) {
        this.code = code;
        segments = code.segments();
        liveness = Liveness.of(segments);
        uniformity = Uniformity.of(segments, code.registers().all().size());
        streams = Streams.of(segments, uniformity);
        patterns = counting
                ? KnownPatterns.of(
                        segments,
                        Uniformity.ofWarps(segments, code.registers().all().size()),
                        checking)
                : KnownPatterns.none(segments);
    }

    /** Defines classes of one kernel. They go with it. */
    private static final class Loader extends ClassLoader {
        private final Map<String, byte[]> classes;

        Loader(ClassLoader parent, Map<String, byte[]> classes) {
            super(parent);
            this.classes = classes;
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            byte[] bytes = classes.get(name);
            if (bytes == null) {
                throw new ClassNotFoundException(name);
            }
            return defineClass(name, bytes, 0, bytes.length);
        }
    }

    /**
     * What executes the kernel, and is replaced by something faster where it does so for long.
     *
     * @param checking whether faults are looked for, which takes counting
     */
    public static Executor compile(KernelCode code, boolean counting, boolean checking) {
        return new Tiers(new Compiler(code, counting, checking));
    }

    /** The same with vectors wherever they can be used, from the first instruction on; without where this JVM has none. */
    public static Executor compileVectors(KernelCode code, boolean counting, boolean checking) {
        Compiler compiler = new Compiler(code, counting, checking);
        Executor first = compiler.first();
        int lanes = VectorModule.lanes();
        Map<Integer, VectorPlan> plans = compiler.plans(lanes);
        return new Always(
                plans.isEmpty() ? first : compiler.mixed(compiler.vectors(first, plans, lanes), chosen(plans)),
                compiler.tracks());
    }

    /** Vectors for what lanes do together as well. */
    private record Always(Executor executor, List<List<Track>> tracks) implements Executor {
        @Override
        public int run(int segment, Warp warp, int mask) {
            return executor.run(segment, warp, mask);
        }

        @Override
        public VectorUse vectors() {
            return VectorUse.ALWAYS;
        }
    }

    private static BitSet chosen(Map<Integer, VectorPlan> plans) {
        BitSet chosen = new BitSet();
        plans.keySet().forEach(chosen::set);
        return chosen;
    }

    int segments() {
        return segments.size();
    }

    /** By segment, what is noted where it counts. */
    List<List<Track>> tracks() {
        return patterns.tracks();
    }

    /** Lane after lane. */
    Executor first() {
        return load(Compiler.class.getClassLoader(), classes(), KERNEL);
    }

    /** Segments that can be done with vectors of so many lanes; none of 0. */
    Map<Integer, VectorPlan> plans(int lanes) {
        Map<Integer, VectorPlan> plans = new HashMap<>();
        for (Segment segment : segments) {
            // What is stored is noted lane by lane where faults are looked for.
            boolean none = lanes == 0 || (patterns.checking() && SegmentEvents.values(segment) > 0);
            VectorPlan plan = none ? null : VectorPlan.of(segment, uniformity, streams);
            if (plan != null && bytes(segment, plan, lanes) <= MOST_BYTES) {
                plans.put(segment.index(), plan);
            }
        }
        return plans;
    }

    private int bytes(Segment segment, VectorPlan plan, int lanes) {
        byte[] alone =
                ClassFile.of().build(ClassDesc.of(VECTORS), builder -> method(builder, segment, false, plan, lanes));
        return ClassFile.of()
                .parse(alone)
                .methods()
                .getFirst()
                .findAttribute(Attributes.code())
                .orElseThrow()
                .codeLength();
    }

    /** Methods with vectors, as a loader of their classes. */
    ClassLoader vectors(Executor first, Map<Integer, VectorPlan> plans, int lanes) {
        return new Loader(first.getClass().getClassLoader(), vectorClasses(plans, lanes));
    }

    /** What executes chosen segments with vectors and the others lane after lane. */
    Executor mixed(ClassLoader vectors, BitSet chosen) {
        Map<String, byte[]> classes = new HashMap<>();
        for (int part = 0; part < parts(); part++) {
            ClassDesc self = ClassDesc.of(MIXED + part);
            int number = part;
            classes.put(MIXED + part, ClassFile.of().build(self, builder -> {
                builder.withFlags(ClassFile.ACC_PUBLIC | ClassFile.ACC_FINAL);
                dispatch(builder, number, chosen);
            }));
        }
        classes.put(MIXED_KERNEL, kernel(MIXED_KERNEL, MIXED));
        return load(vectors, classes, MIXED_KERNEL);
    }

    private Executor load(ClassLoader parent, Map<String, byte[]> classes, String name) {
        try {
            return (Executor) new Loader(parent, classes)
                    .loadClass(name)
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the classes of kernel " + code.name() + " do not load", e);
        }
    }

    private int parts() {
        return (segments.size() + SEGMENTS_OF_CLASS - 1) / SEGMENTS_OF_CLASS;
    }

    private List<Segment> part(int part) {
        return segments.subList(part * SEGMENTS_OF_CLASS, Math.min(segments.size(), (part + 1) * SEGMENTS_OF_CLASS));
    }

    /** The classes of a kernel by name. */
    Map<String, byte[]> classes() {
        Map<String, byte[]> classes = new HashMap<>();
        for (int part = 0; part < parts(); part++) {
            ClassDesc self = ClassDesc.of(LANES + part);
            int number = part;
            classes.put(LANES + part, ClassFile.of().build(self, builder -> {
                builder.withFlags(ClassFile.ACC_PUBLIC | ClassFile.ACC_FINAL);
                for (Segment segment : part(number)) {
                    method(builder, segment, false, null, 1);
                    method(builder, segment, true, null, 1);
                }
                dispatch(builder, number, new BitSet());
            }));
        }
        classes.put(KERNEL, kernel(KERNEL, LANES));
        return classes;
    }

    /** The classes with the methods of all lanes with vectors. */
    Map<String, byte[]> vectorClasses(Map<Integer, VectorPlan> plans, int lanes) {
        Map<String, byte[]> classes = new HashMap<>();
        for (int part = 0; part < parts(); part++) {
            ClassDesc self = ClassDesc.of(VECTORS + part);
            int number = part;
            classes.put(VECTORS + part, ClassFile.of().build(self, builder -> {
                builder.withFlags(ClassFile.ACC_PUBLIC | ClassFile.ACC_FINAL);
                for (Segment segment : part(number)) {
                    VectorPlan plan = plans.get(segment.index());
                    if (plan != null) {
                        method(builder, segment, false, plan, lanes);
                    }
                }
            }));
        }
        return classes;
    }

    private void method(ClassBuilder builder, Segment segment, boolean masked, @Nullable VectorPlan plan, int lanes) {
        builder.withMethodBody(
                (masked ? "some" : "all") + segment.index(),
                masked ? MASKED : FULL,
                ClassFile.ACC_PUBLIC | ClassFile.ACC_STATIC,
                body -> new SegmentWriter(body, segment, liveness, uniformity, patterns, streams, masked, plan, lanes)
                        .write());
    }

    /** Static, by the number of the segment. */
    private void dispatch(ClassBuilder builder, int part, BitSet chosen) {
        int first = part(part).getFirst().index();
        int last = part(part).getLast().index();
        ClassDesc plain = ClassDesc.of(LANES + part);
        ClassDesc vectors = ClassDesc.of(VECTORS + part);
        builder.withMethodBody("run", RUN, ClassFile.ACC_PUBLIC | ClassFile.ACC_STATIC, body -> {
            Label some = body.newLabel();
            body.iload(2).loadConstant(-1).if_icmpne(some);
            for (boolean masked : new boolean[] {false, true}) {
                if (masked) {
                    body.labelBinding(some);
                }
                List<SwitchCase> cases = new ArrayList<>();
                for (int i = first; i <= last; i++) {
                    cases.add(SwitchCase.of(i, body.newLabel()));
                }
                Label none = body.newLabel();
                body.iload(0).tableswitch(first, last, none, cases);
                for (SwitchCase one : cases) {
                    body.labelBinding(one.target()).aload(1);
                    if (masked) {
                        body.iload(2).invokestatic(plain, "some" + one.caseValue(), MASKED);
                    } else {
                        body.invokestatic(chosen.get(one.caseValue()) ? vectors : plain, "all" + one.caseValue(), FULL);
                    }
                    body.ireturn();
                }
                body.labelBinding(none).iconst_0().ireturn();
            }
        });
    }

    private byte[] kernel(String name, String parts) {
        return ClassFile.of().build(ClassDesc.of(name), builder -> {
            builder.withFlags(ClassFile.ACC_PUBLIC | ClassFile.ACC_FINAL).withInterfaceSymbols(EXECUTOR);
            builder.withMethodBody(
                    ConstantDescs.INIT_NAME,
                    ConstantDescs.MTD_void,
                    ClassFile.ACC_PUBLIC,
                    body -> body.aload(0)
                            .invokespecial(ConstantDescs.CD_Object, ConstantDescs.INIT_NAME, ConstantDescs.MTD_void)
                            .return_());
            builder.withMethodBody("run", RUN, ClassFile.ACC_PUBLIC, body -> {
                for (int part = 0; part < parts(); part++) {
                    Label next = body.newLabel();
                    if (part < parts() - 1) {
                        body.iload(1)
                                .loadConstant((part + 1) * SEGMENTS_OF_CLASS)
                                .if_icmpge(next);
                    }
                    body.iload(1)
                            .aload(2)
                            .iload(3)
                            .invokestatic(ClassDesc.of(parts + part), "run", RUN)
                            .return_(TypeKind.INT)
                            .labelBinding(next);
                    if (part == parts() - 1) {
                        body.iconst_0().ireturn();
                    }
                }
            });
        });
    }
}
