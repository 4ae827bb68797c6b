package dev.panamark.ptx.compile;

import dev.panamark.ptx.analyze.Liveness;
import dev.panamark.ptx.analyze.Uniformity;
import dev.panamark.ptx.ir.KernelCode;
import dev.panamark.ptx.ir.Segment;
import dev.panamark.ptx.runtime.Executor;
import dev.panamark.ptx.runtime.Warp;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Kernels to JVM bytecode. A segment becomes two static methods, one for all 32 lanes and one for some: a loop over the
 * lanes in which registers are local variables. Between segments registers are in the warp's arrays.
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
    private static final int SEGMENTS_OF_CLASS = 250;

    private Compiler() {}

    /** Defines the classes of one kernel. They go with it. */
    private static final class Loader extends ClassLoader {
        private final Map<String, byte[]> classes;

        Loader(Map<String, byte[]> classes) {
            super(Compiler.class.getClassLoader());
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

    /** What executes the kernel. */
    public static Executor compile(KernelCode code, boolean counting) {
        Map<String, byte[]> classes = classes(code, counting);
        try {
            return (Executor) new Loader(classes)
                    .loadClass(PACKAGE + "Kernel")
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the classes of kernel " + code.name() + " do not load", e);
        }
    }

    /** The classes of a kernel by name. */
    static Map<String, byte[]> classes(KernelCode code, boolean counting) {
        List<Segment> segments = code.segments();
        Liveness liveness = Liveness.of(segments);
        Uniformity uniformity = Uniformity.of(segments, code.registers().all().size());
        Streams streams = Streams.of(segments, uniformity);
        KnownPatterns patterns = KnownPatterns.of(segments, counting);
        Map<String, byte[]> classes = new HashMap<>();
        int count = (segments.size() + SEGMENTS_OF_CLASS - 1) / SEGMENTS_OF_CLASS;
        for (int part = 0; part < count; part++) {
            int first = part * SEGMENTS_OF_CLASS;
            int end = Math.min(segments.size(), first + SEGMENTS_OF_CLASS);
            ClassDesc self = ClassDesc.of(PACKAGE + "Segments" + part);
            classes.put(PACKAGE + "Segments" + part, ClassFile.of().build(self, builder -> {
                builder.withFlags(ClassFile.ACC_PUBLIC | ClassFile.ACC_FINAL);
                for (int i = first; i < end; i++) {
                    Segment segment = segments.get(i);
                    method(builder, segment, liveness, uniformity, patterns, streams, false);
                    method(builder, segment, liveness, uniformity, patterns, streams, true);
                }
                dispatch(builder, self, first, end);
            }));
        }
        classes.put(PACKAGE + "Kernel", kernel(count));
        return classes;
    }

    private static void method(
            ClassBuilder builder,
            Segment segment,
            Liveness liveness,
            Uniformity uniformity,
            KnownPatterns patterns,
            Streams streams,
            boolean masked) {
        builder.withMethodBody(
                (masked ? "some" : "all") + segment.index(),
                masked ? MASKED : FULL,
                ClassFile.ACC_PUBLIC | ClassFile.ACC_STATIC,
                body -> new SegmentWriter(body, segment, liveness, uniformity, patterns, streams, masked).write());
    }

    /** Static, by the number of the segment. */
    private static void dispatch(ClassBuilder builder, ClassDesc self, int first, int end) {
        builder.withMethodBody("run", RUN, ClassFile.ACC_PUBLIC | ClassFile.ACC_STATIC, body -> {
            Label some = body.newLabel();
            body.iload(2).loadConstant(-1).if_icmpne(some);
            for (boolean masked : new boolean[] {false, true}) {
                if (masked) {
                    body.labelBinding(some);
                }
                List<SwitchCase> cases = new ArrayList<>();
                for (int i = first; i < end; i++) {
                    cases.add(SwitchCase.of(i, body.newLabel()));
                }
                Label none = body.newLabel();
                body.iload(0).tableswitch(first, end - 1, none, cases);
                for (SwitchCase one : cases) {
                    body.labelBinding(one.target()).aload(1);
                    if (masked) {
                        body.iload(2).invokestatic(self, "some" + one.caseValue(), MASKED);
                    } else {
                        body.invokestatic(self, "all" + one.caseValue(), FULL);
                    }
                    body.ireturn();
                }
                body.labelBinding(none).iconst_0().ireturn();
            }
        });
    }

    private static byte[] kernel(int parts) {
        return ClassFile.of().build(ClassDesc.of(PACKAGE + "Kernel"), builder -> {
            builder.withFlags(ClassFile.ACC_PUBLIC | ClassFile.ACC_FINAL).withInterfaceSymbols(EXECUTOR);
            builder.withMethodBody(
                    ConstantDescs.INIT_NAME,
                    ConstantDescs.MTD_void,
                    ClassFile.ACC_PUBLIC,
                    body -> body.aload(0)
                            .invokespecial(ConstantDescs.CD_Object, ConstantDescs.INIT_NAME, ConstantDescs.MTD_void)
                            .return_());
            builder.withMethodBody("run", RUN, ClassFile.ACC_PUBLIC, body -> {
                for (int part = 0; part < parts; part++) {
                    Label next = body.newLabel();
                    if (part < parts - 1) {
                        body.iload(1)
                                .loadConstant((part + 1) * SEGMENTS_OF_CLASS)
                                .if_icmpge(next);
                    }
                    body.iload(1)
                            .aload(2)
                            .iload(3)
                            .invokestatic(ClassDesc.of(PACKAGE + "Segments" + part), "run", RUN)
                            .return_(TypeKind.INT)
                            .labelBinding(next);
                    if (part == parts - 1) {
                        body.iconst_0().ireturn();
                    }
                }
            });
        });
    }
}
