package dev.panamark.ptx.compile;

import dev.panamark.ptx.analyze.Liveness;
import dev.panamark.ptx.analyze.Uniformity;
import dev.panamark.ptx.check.SegmentEvents;
import dev.panamark.ptx.count.Track;
import dev.panamark.ptx.ir.Address;
import dev.panamark.ptx.ir.Expr;
import dev.panamark.ptx.ir.Guard;
import dev.panamark.ptx.ir.Jvm;
import dev.panamark.ptx.ir.Op;
import dev.panamark.ptx.ir.Register;
import dev.panamark.ptx.ir.Segment;
import dev.panamark.ptx.ir.Space;
import dev.panamark.ptx.runtime.Evaluate;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes the method of one segment: a loop over its lanes. Where all lanes run, what is the same for a row of them is done
 * once, before the loop over the lanes of that row.
 */
@SuppressWarnings("EnumOrdinal") // Within one program run, a number says as much as the constant.
final class SegmentWriter {
    private static final ClassDesc INTS = ConstantDescs.CD_int.arrayType();
    private static final ClassDesc LONGS = ConstantDescs.CD_long.arrayType();
    private static final ClassDesc SEGMENT = ClassDesc.of(MemorySegment.class.getName());
    private static final ClassDesc INTEGER = ConstantDescs.CD_Integer;

    final CodeBuilder body;
    final int lane;
    private final Segment segment;
    private final boolean masked;
    private final KnownPatterns patterns;
    private final Streams streams;

    /** Registers of which it is found out whether their lanes access consecutive words. */
    private final Set<Register> followed;

    private final boolean streaming;
    private final List<Track> tracks;
    private final int[] trackMasks;
    private final BitSet liveOut;
    private final BitSet usedFirst = new BitSet();
    private final Set<Register> written = new LinkedHashSet<>();
    private final Set<Register> touched = new LinkedHashSet<>();
    private final Map<String, Integer> fields = new LinkedHashMap<>();
    private final Map<Expr, Integer> uniforms = new HashMap<>();
    /** The local that holds a register where code is being written. */
    private final Map<Register, Integer> locals = new HashMap<>();

    /** Locals of one lane. */
    private final Map<Register, Integer> own = new HashMap<>();

    /** Ops that are done once for a row, in methods of all lanes; and registers that a row shares at the beginning. */
    private final BitSet uniform;

    private final BitSet uniformIn;
    private final boolean rows;

    /** What those ops write, by their place. */
    private final Map<Integer, List<Version>> made = new HashMap<>();

    private final Set<Integer> madeLocals = new HashSet<>();

    /** The op that is being done for a row; -1 while lanes have their turn. */
    private int once = -1;

    /** A local that is 1 where the streams of the segment are. */
    private int fast = -1;

    private int row = -1;
    private int rowEnd = -1;

    /** A value of a register. */
    private record Version(Register register, int local) {}

    private final Map<Register, Integer> predicateIns = new HashMap<>();
    private final Map<Register, Integer> predicateOuts = new HashMap<>();
    private final ExpressionWriter expressions;
    private final AccessWriter accesses;

    /** How groups of lanes are done; null where each lane is on its own. */
    private final @Nullable VectorPlan plan;

    private final VectorWriter vectors;
    private final int lanes;
    final Label again;

    SegmentWriter(
            CodeBuilder body,
            Segment segment,
            Liveness liveness,
            Uniformity uniformity,
            KnownPatterns patterns,
            Streams streams,
            boolean masked) {
        this(body, segment, liveness, uniformity, patterns, streams, masked, null, 1);
    }

    /**
     * @param plan how the segment is done with vectors
     * @param lanes of a vector
     */
    SegmentWriter(
            CodeBuilder body,
            Segment segment,
            Liveness liveness,
            Uniformity uniformity,
            KnownPatterns patterns,
            Streams streams,
            boolean masked,
            @Nullable VectorPlan plan,
            int lanes) {
        this.body = body;
        this.segment = segment;
        this.masked = masked;
        this.patterns = patterns;
        this.streams = streams;
        this.tracks = patterns.tracks().get(segment.index());
        this.liveOut = liveness.out(segment.index());
        BitSet same = uniformity.ops(segment.index());
        uniform = same.cardinality() <= VectorPlan.MOST_UNIFORM ? same : new BitSet();
        uniformIn = uniformity.in(segment.index());
        followed = masked ? Set.of() : plan == null ? streams.ofShort(segment.index()) : streams.of(segment.index());
        streaming = !followed.isEmpty();
        rows = !masked && (!uniform.isEmpty() || streaming || plan != null);
        lane = body.allocateLocal(TypeKind.INT);
        again = body.newLabel();
        trackMasks = new int[tracks.size()];
        expressions = new ExpressionWriter(this);
        accesses = new AccessWriter(this, expressions);
        this.plan = plan;
        this.lanes = lanes;
        vectors = new VectorWriter(this, expressions, accesses, lanes);
    }

    void write() {
        if (!segment.ops().isEmpty()) {
            scan();
            prologue();
            loop();
            epilogue();
            forget();
            count();
        }
        result();
    }

    private void scan() {
        BitSet defined = new BitSet();
        for (Op op : segment.ops()) {
            Liveness.reads(op, register -> {
                touched.add(register);
                if (!defined.get(register.number())) {
                    usedFirst.set(register.number());
                }
            });
            Liveness.writes(op, register -> {
                touched.add(register);
                written.add(register);
                if (op.guard() == null) {
                    defined.set(register.number());
                } else if (!defined.get(register.number())) {
                    usedFirst.set(register.number());
                }
            });
        }
    }

    /** A field of the warp, loaded once before the loop. */
    int field(String name) {
        Integer local = fields.get(name);
        if (local == null) {
            throw new IllegalStateException("field " + name + " was not loaded");
        }
        return local;
    }

    private void load(String name, ClassDesc type) {
        int local = body.allocateLocal(TypeKind.REFERENCE);
        body.aload(0).getfield(Compiler.WARP, name, type).astore(local);
        fields.put(name, local);
    }

    private void prologue() {
        load("words", INTS);
        load("longs", LONGS);
        load("predicates", INTS);
        load("shared", INTS);
        load("local", INTS);
        load("global", SEGMENT);
        load("bounds", LONGS);
        load("threads", INTS);
        for (int i = 0; i < trackMasks.length; i++) {
            trackMasks[i] = body.allocateLocal(TypeKind.INT);
            body.iconst_0().istore(trackMasks[i]);
        }
        if (trackMasks.length > 0) {
            load("scratch", LONGS);
        }
        if (patterns.checking() && SegmentEvents.values(segment) > 0) {
            load("stored", LONGS);
        }
        if (rows) {
            load("rows", INTS);
            row = body.allocateLocal(TypeKind.INT);
            rowEnd = body.allocateLocal(TypeKind.INT);
        }
        if (plan == null) {
            accesses.plan(segment.ops(), uniform);
        }
        for (Op op : segment.ops()) {
            accesses.prepare(op);
            values(op);
        }
        for (Register register : touched) {
            if (register.storage() != Register.Storage.PREDICATE) {
                continue;
            }
            if (usedFirst.get(register.number())) {
                int in = body.allocateLocal(TypeKind.INT);
                predicateIns.put(register, in);
                body.aload(field("predicates"))
                        .loadConstant(register.index())
                        .iaload()
                        .istore(in);
            }
            if (stored(register)) {
                int out = body.allocateLocal(TypeKind.INT);
                predicateOuts.put(register, out);
                body.iconst_0().istore(out);
            }
        }
    }

    private boolean stored(Register register) {
        return written.contains(register) && liveOut.get(register.number());
    }

    private void values(Op op) {
        switch (op) {
            case Op.Assign assign -> hoist(assign.value());
            case Op.Load load -> hoist(load.address().base());
            case Op.Store store -> {
                hoist(store.address().base());
                store.values().forEach(this::hoist);
            }
            case Op.Atomic atomic -> {
                hoist(atomic.address().base());
                hoist(atomic.value());
                Expr swap = atomic.swap();
                if (swap != null) {
                    hoist(swap);
                }
            }
            case Op.Copy copy -> {
                hoist(copy.target().base());
                hoist(copy.source().base());
                hoist(copy.size());
            }
            case Op.Fetch fetch -> hoist(fetch.address().base());
            case Op.Act act -> act.arguments().forEach(this::hoist);
            case Op.Fence fence -> {}
            case Op.Nothing nothing -> {}
            case Op.Trap trap -> {}
        }
    }

    /** What all lanes share is read before the loop. */
    private void hoist(Expr expr) {
        if (expr instanceof Expr.Call call) {
            call.arguments().forEach(this::hoist);
            return;
        }
        if (uniforms.containsKey(expr) || expr instanceof Expr.Const || !expr.uniform()) {
            return;
        }
        int local = body.allocateLocal(kind(expr.jvm()));
        switch (expr) {
            case Expr.Uniform uniform ->
                body.aload(0)
                        .getfield(Compiler.WARP, "values", INTS)
                        .loadConstant(uniform.value().ordinal())
                        .iaload();
            case Expr.GlobalAddress variable ->
                body.aload(0)
                        .getfield(Compiler.WARP, "variables", LONGS)
                        .loadConstant(variable.variable())
                        .laload();
            case Expr.Parameter parameter -> {
                body.aload(0).loadConstant(parameter.type().ordinal()).loadConstant(parameter.offset());
                body.invokestatic(
                        ClassDesc.of(Evaluate.class.getName()),
                        "parameter",
                        MethodTypeDesc.of(
                                ConstantDescs.CD_long, Compiler.WARP, ConstantDescs.CD_int, ConstantDescs.CD_int));
                expressions.ofBits(parameter.jvm());
            }
            default -> throw new IllegalStateException("not uniform: " + expr);
        }
        body.storeLocal(kind(expr.jvm()), local);
        uniforms.put(expr, local);
    }

    int uniform(Expr expr) {
        Integer local = uniforms.get(expr);
        if (local == null) {
            throw new IllegalStateException("not read before the loop: " + expr);
        }
        return local;
    }

    int local(Register register) {
        Integer local = locals.get(register);
        if (local == null) {
            throw new IllegalStateException("no local for " + register);
        }
        return local;
    }

    private void loop() {
        int rest = body.allocateLocal(TypeKind.INT);
        if (masked) {
            body.iload(1).istore(rest);
        }
        Label begin = body.newLabel();
        Label top = body.newLabel();
        Label end = body.newLabel();
        Label handler = body.newLabel();
        Label done = body.newLabel();
        Label nextRow = body.newLabel();
        body.iconst_0().istore(lane);
        if (streaming) {
            fast = body.allocateLocal(TypeKind.INT);
            body.iconst_1();
            for (Register register : followed) {
                body.aload(0).loadConstant(register.number());
                body.loadConstant(32 * register.index())
                        .loadConstant(register.storage() == Register.Storage.LONG ? 1 : 0);
                body.invokestatic(
                        Compiler.WARP,
                        "follow",
                        MethodTypeDesc.of(
                                ConstantDescs.CD_int,
                                Compiler.WARP,
                                ConstantDescs.CD_int,
                                ConstantDescs.CD_int,
                                ConstantDescs.CD_int));
                body.iand();
            }
            body.istore(fast);
        }
        if (rows) {
            body.iconst_0().istore(row).labelBinding(nextRow);
            rowStart(row, 0).istore(lane);
            rowStart(row, 1).istore(rowEnd);
        }
        // An access that misses its allocation looks it up and begins its lane again from here, so that nothing in
        // the inner loop is a call that comes back.
        body.labelBinding(again);
        accesses.refreshAll();
        body.labelBinding(begin);
        if (rows) {
            doOnce();
        }
        Label rowDone = body.newLabel();
        Label slow = body.newLabel();
        if (streaming || plan != null) {
            Map<Register, Integer> start = new HashMap<>(locals);
            if (streaming) {
                stream(slow);
            }
            Label next = body.newLabel();
            if (plan == null) {
                body.labelBinding(next);
                lane();
            } else {
                apart(plan, slow);
                body.labelBinding(next);
                group();
            }
            body.iinc(lane, lanes).iload(lane).iload(rowEnd).if_icmplt(next);
            body.goto_(rowDone);
            locals.clear();
            locals.putAll(start);
            accesses.begin();
        }
        if (!rows || uniform.cardinality() < segment.ops().size()) {
            body.labelBinding(slow);
            body.labelBinding(top);
            if (masked) {
                body.iload(rest)
                        .invokestatic(
                                INTEGER,
                                "numberOfTrailingZeros",
                                MethodTypeDesc.of(ConstantDescs.CD_int, ConstantDescs.CD_int))
                        .istore(lane);
            }
            lane();
            if (masked) {
                body.iload(rest).iload(rest).iconst_1().isub().iand().istore(rest);
                body.iload(rest).ifne(top);
            } else if (rows) {
                body.iinc(lane, 1).iload(lane).iload(rowEnd).if_icmplt(top);
            } else {
                body.iinc(lane, 1).iload(lane).bipush(32).if_icmplt(top);
            }
        }
        body.labelBinding(rowDone);
        if (rows) {
            writeShared();
            body.iinc(row, 1).iload(rowEnd).bipush(32).if_icmplt(nextRow);
        }
        body.labelBinding(end);
        body.goto_(done);
        body.labelBinding(handler);
        int cause = body.allocateLocal(TypeKind.REFERENCE);
        body.astore(cause);
        body.aload(0).loadConstant(segment.index()).iload(lane).aload(cause);
        body.invokestatic(
                Compiler.WARP,
                "outside",
                MethodTypeDesc.of(
                        ConstantDescs.CD_int,
                        Compiler.WARP,
                        ConstantDescs.CD_int,
                        ConstantDescs.CD_int,
                        ClassDesc.of(RuntimeException.class.getName())));
        body.ireturn();
        body.labelBinding(done);
        body.exceptionCatch(begin, end, handler, ClassDesc.of(IndexOutOfBoundsException.class.getName()));
    }

    /** Goes on with lanes that access consecutive words, or elsewhere where they do not or would leave memory. */
    private void stream(Label slow) {
        body.iload(fast).ifeq(slow);
        for (Register register : followed) {
            boolean word = register.storage() == Register.Storage.WORD;
            place(word ? "words" : "longs", register);
            int local = body.allocateLocal(word ? TypeKind.INT : TypeKind.LONG);
            if (word) {
                body.iaload().istore(local);
                body.iload(local).iconst_3().iand().ifne(slow);
                body.iload(local).iconst_2().ishr().iload(lane).isub().istore(local);
            } else {
                body.laload();
                body.iload(lane).iconst_2().ishl().i2l().lsub().lstore(local);
            }
            accesses.stream(register, local);
        }
        for (int i = 0; i < segment.ops().size(); i++) {
            if (!uniform.get(i)) {
                accesses.checkStream(segment.ops().get(i), rowEnd, slow);
            }
        }
    }

    /** Goes elsewhere where a row is not made of whole groups, or what they access is not all there or not apart. */
    private void apart(VectorPlan how, Label slow) {
        body.iload(rowEnd).iload(lane).isub().loadConstant(lanes - 1).iand().ifne(slow);
        for (Register register : followed) {
            LongSummaryStatistics offsets = how.accesses().stream()
                    .filter(access -> access.register() == register && access.space() == Space.SHARED)
                    .mapToLong(VectorPlan.Access::offset)
                    .summaryStatistics();
            if (offsets.getCount() > 0) {
                accesses.checkShared(register, offsets.getMin(), offsets.getMax(), rowEnd, slow);
            }
        }
        how.pairs().forEach(pair -> accesses.checkApart(pair, rowEnd, slow));
    }

    /** What a group of lanes does; registers with a local are those that the row shares. */
    private void group() {
        for (Register register : touched) {
            if (usedFirst.get(register.number()) && !locals.containsKey(register)) {
                vectors.read(register, predicateIns.getOrDefault(register, -1));
            }
        }
        for (int i = 0; i < segment.ops().size(); i++) {
            Op op = segment.ops().get(i);
            if (uniform.get(i)) {
                for (Version version : made.getOrDefault(i, List.of())) {
                    locals.put(version.register(), version.local());
                }
            } else {
                vectors.op(op);
                Liveness.writes(op, locals::remove);
            }
        }
        for (Register register : written) {
            if (stored(register) && !locals.containsKey(register)) {
                vectors.write(register, predicateOuts.getOrDefault(register, -1));
            }
        }
    }

    /** Whether a value is in locals that a row shares. */
    boolean shared(Expr expr) {
        return VectorPlan.shared(expr, locals::containsKey);
    }

    private CodeBuilder rowStart(int number, int beyond) {
        body.aload(field("rows")).iload(number);
        if (beyond != 0) {
            body.iconst_1().iadd();
        }
        return body.iaload();
    }

    /** What a row shares: registers from any of its lanes, and ops that are the same for all. */
    private void doOnce() {
        readRegisters(true);
        Map<Register, Integer> start = new HashMap<>(locals);
        for (int i = uniform.nextSetBit(0); i >= 0; i = uniform.nextSetBit(i + 1)) {
            once = i;
            op(segment.ops().get(i), i);
        }
        once = -1;
        locals.clear();
        locals.putAll(start);
        accesses.begin();
    }

    /** What each lane does. */
    private void lane() {
        readRegisters(false);
        for (int i = 0; i < segment.ops().size(); i++) {
            Op op = segment.ops().get(i);
            if (rows && uniform.get(i)) {
                for (Version version : made.getOrDefault(i, List.of())) {
                    locals.put(version.register(), version.local());
                    accesses.changed(version.register());
                }
            } else {
                guarded(op, i);
                accesses.done(op);
            }
        }
        writeRegisters();
    }

    /** @param shared those that a row shares, or the others */
    private void readRegisters(boolean shared) {
        for (Register register : touched) {
            if (!usedFirst.get(register.number()) || (rows && uniformIn.get(register.number())) != shared) {
                continue;
            }
            int local = shared ? body.allocateLocal(kind(register.local())) : ownLocal(register);
            if (shared) {
                madeLocals.add(local);
            }
            locals.put(register, local);
            switch (register.storage()) {
                case PREDICATE ->
                    body.iload(predicateIns.getOrDefault(register, -1))
                            .iload(lane)
                            .iushr()
                            .iconst_1()
                            .iand()
                            .istore(local);
                case WORD -> {
                    place("words", register);
                    body.iaload();
                    expressions.convert(Jvm.INT, register.local());
                    body.storeLocal(kind(register.local()), local);
                }
                case LONG -> {
                    place("longs", register);
                    body.laload();
                    expressions.convert(Jvm.LONG, register.local());
                    body.storeLocal(kind(register.local()), local);
                }
            }
        }
    }

    private int ownLocal(Register register) {
        return own.computeIfAbsent(register, key -> body.allocateLocal(kind(key.local())));
    }

    private boolean madeOnce(Register register) {
        return madeLocals.contains(locals.get(register));
    }

    /** Pushes array and place of the current lane's register. */
    void place(String array, Register register) {
        body.aload(field(array)).iload(lane);
        if (register.index() != 0) {
            body.loadConstant(32 * register.index()).iadd();
        }
    }

    private void writeRegisters() {
        for (Register register : written) {
            if (!stored(register) || madeOnce(register)) {
                continue;
            }
            int local = local(register);
            switch (register.storage()) {
                case PREDICATE -> {
                    int out = predicateOuts.getOrDefault(register, -1);
                    body.iload(out).iload(local).iload(lane).ishl().ior().istore(out);
                }
                case WORD -> {
                    place("words", register);
                    body.loadLocal(kind(register.local()), local);
                    expressions.convert(register.local(), Jvm.INT);
                    body.iastore();
                }
                case LONG -> {
                    place("longs", register);
                    body.loadLocal(kind(register.local()), local);
                    expressions.convert(register.local(), Jvm.LONG);
                    body.lastore();
                }
            }
        }
    }

    /** Registers that end with what the row shares. */
    private void writeShared() {
        for (int i = uniform.nextSetBit(0); i >= 0; i = uniform.nextSetBit(i + 1)) {
            for (Version version : made.getOrDefault(i, List.of())) {
                // Not with a value that a later op replaced.
                if (stored(version.register()) && lastLocal(version.register()) == version.local()) {
                    writeShared(version);
                }
            }
        }
    }

    /** The local of a register after all ops: that of the last of them, or of each lane. */
    private int lastLocal(Register register) {
        int last = -1;
        for (int i = 0; i < segment.ops().size(); i++) {
            boolean[] writes = new boolean[1];
            Liveness.writes(segment.ops().get(i), other -> writes[0] |= other == register);
            if (writes[0]) {
                last = -1;
                for (Version version : made.getOrDefault(i, List.of())) {
                    last = version.register() == register ? version.local() : last;
                }
            }
        }
        return last;
    }

    private void writeShared(Version version) {
        Register register = version.register();
        if (register.storage() == Register.Storage.PREDICATE) {
            int out = predicateOuts.getOrDefault(register, -1);
            // As many ones as the row has lanes, from its first on.
            body.iload(out).iload(version.local()).ineg();
            body.iconst_m1().bipush(32).iload(rowEnd);
            rowStart(row, 0).isub().isub().iushr();
            rowStart(row, 0).ishl().iand().ior().istore(out);
            return;
        }
        boolean word = register.storage() == Register.Storage.WORD;
        body.aload(field(word ? "words" : "longs"));
        rowStart(row, 0);
        plus(32 * register.index());
        body.iload(rowEnd);
        plus(32 * register.index());
        body.loadLocal(kind(register.local()), version.local());
        expressions.convert(register.local(), word ? Jvm.INT : Jvm.LONG);
        fill(word ? INTS : LONGS, word ? ConstantDescs.CD_int : ConstantDescs.CD_long);
    }

    private void plus(int number) {
        if (number != 0) {
            body.loadConstant(number).iadd();
        }
    }

    private void fill(ClassDesc array, ClassDesc element) {
        body.invokestatic(
                ClassDesc.of(Arrays.class.getName()),
                "fill",
                MethodTypeDesc.of(ConstantDescs.CD_void, array, ConstantDescs.CD_int, ConstantDescs.CD_int, element));
    }

    private void guarded(Op op, int at) {
        Guard guard = op.guard();
        if (guard == null) {
            op(op, at);
            return;
        }
        Liveness.writes(op, register -> {
            if (madeOnce(register)) {
                // Lanes that do not execute it keep what they share in a local of their own.
                TypeKind kind = kind(register.local());
                body.loadLocal(kind, local(register)).storeLocal(kind, ownLocal(register));
                locals.put(register, ownLocal(register));
            }
        });
        Label over = body.newLabel();
        body.iload(local(guard.predicate()));
        if (guard.negated()) {
            body.ifne(over);
        } else {
            body.ifeq(over);
        }
        op(op, at);
        body.labelBinding(over);
    }

    private void op(Op op, int at) {
        for (int i = 0; i < trackMasks.length; i++) {
            if (tracks.get(i).at() == at) {
                note(i, op);
            }
        }
        if (patterns.checking() && op instanceof Op.Store store && SegmentEvents.values(op) > 0) {
            noteValues(store, at);
        }
        switch (op) {
            case Op.Assign assign -> {
                expressions.write(assign.value());
                set(assign.target(), assign.value().jvm());
            }
            case Op.Load load -> accesses.load(load);
            case Op.Store store -> accesses.store(store);
            case Op.Atomic atomic -> accesses.atomic(atomic);
            case Op.Copy copy -> accesses.copy(copy);
            case Op.Act act -> accesses.act(act);
            case Op.Fetch fetch -> {}
            case Op.Fence fence ->
                body.invokestatic(ClassDesc.of(VarHandle.class.getName()), "fullFence", ConstantDescs.MTD_void);
            case Op.Nothing nothing -> {}
            case Op.Trap trap ->
                body.aload(0)
                        .iload(lane)
                        .loadConstant(trap.site().index())
                        .ldc(trap.message())
                        .invokestatic(
                                Compiler.WARP,
                                "trap",
                                MethodTypeDesc.of(
                                        ConstantDescs.CD_void,
                                        Compiler.WARP,
                                        ConstantDescs.CD_int,
                                        ConstantDescs.CD_int,
                                        ConstantDescs.CD_String));
        }
    }

    /** Notes lane and address for counting. */
    private void note(int track, Op op) {
        if (KnownPatterns.addresses(segment, tracks.get(track)) != null) {
            return;
        }
        if (op.guard() != null) {
            body.iload(trackMasks[track]).iconst_1().iload(lane).ishl().ior().istore(trackMasks[track]);
        }
        Address address = Track.address(op);
        if (address == null) {
            return;
        }
        Expr base = address.base();
        note("scratch", track, () -> {
            expressions.write(base);
            if (base.jvm() == Jvm.INT) {
                body.i2l();
            }
        });
    }

    /** Notes what is stored. */
    private void noteValues(Op.Store store, int at) {
        int slot = segment.ops().subList(0, at).stream()
                .mapToInt(SegmentEvents::values)
                .sum();
        for (Expr value : store.values()) {
            note("stored", slot++, () -> {
                expressions.write(value);
                expressions.toBits(value.jvm());
            });
        }
    }

    /** Notes a long of the current lane, or of all of the row. */
    private void note(String array, int number, Runnable value) {
        body.aload(field(array)).iload(lane);
        plus(32 * number);
        if (once >= 0) {
            body.iload(rowEnd);
            plus(32 * number);
        }
        value.run();
        if (once >= 0) {
            fill(LONGS, ConstantDescs.CD_long);
        } else {
            body.lastore();
        }
    }

    /** Forgets what was found of addresses that have changed. */
    private void forget() {
        for (Register register : written) {
            if (masked ? streams.contains(register) : streams.breaks(segment, register)) {
                body.aload(0)
                        .getfield(Compiler.WARP, "following", INTS)
                        .loadConstant(register.number())
                        .iconst_0()
                        .iastore();
            }
            for (int number : patterns.forgotten(segment, register, masked)) {
                body.aload(0).loadConstant(number);
                count("forget", 1);
            }
        }
    }

    private void count() {
        for (int i = 0; i < trackMasks.length; i++) {
            body.aload(0).loadConstant(segment.index()).loadConstant(i);
            if (tracks.get(i).leader().guard() != null) {
                body.iload(trackMasks[i]);
            } else if (masked) {
                body.iload(1);
            } else {
                body.iconst_m1();
            }
            Register register = KnownPatterns.addresses(segment, tracks.get(i));
            if (register == null) {
                count("count", 3);
                continue;
            }
            body.loadConstant(32 * register.index());
            boolean word = register.storage() == Register.Storage.WORD;
            int known = masked ? -1 : patterns.number(segment.index(), i, register);
            if (known >= 0) {
                body.loadConstant(known);
                count(word ? "countKnown" : "countMoved", 5);
            } else {
                count(word ? "countWord" : "countLong", 4);
            }
        }
        if (patterns.checking() && SegmentEvents.any(segment)) {
            body.aload(0).loadConstant(segment.index());
            count("check", 1);
        }
    }

    /** Calls a method of the warp that takes so many ints. */
    private void count(String method, int ints) {
        ClassDesc[] parameters = new ClassDesc[1 + ints];
        Arrays.fill(parameters, ConstantDescs.CD_int);
        parameters[0] = Compiler.WARP;
        body.invokestatic(Compiler.WARP, method, MethodTypeDesc.of(ConstantDescs.CD_void, parameters));
    }

    /** Puts what is on the stack into a register's local. */
    void set(Register register, Jvm from) {
        expressions.convert(from, register.local());
        int local = once >= 0 ? body.allocateLocal(kind(register.local())) : ownLocal(register);
        body.storeLocal(kind(register.local()), local);
        locals.put(register, local);
        if (once >= 0) {
            madeLocals.add(local);
            made.computeIfAbsent(once, key -> new ArrayList<>()).add(new Version(register, local));
        }
        accesses.changed(register);
    }

    private void epilogue() {
        for (Map.Entry<Register, Integer> out : predicateOuts.entrySet()) {
            body.aload(field("predicates")).loadConstant(out.getKey().index());
            if (masked) {
                body.aload(field("predicates"))
                        .loadConstant(out.getKey().index())
                        .iaload()
                        .iload(1)
                        .iconst_m1()
                        .ixor()
                        .iand();
                body.iload(out.getValue()).ior();
            } else {
                body.iload(out.getValue());
            }
            body.iastore();
        }
    }

    private void result() {
        if (segment.exit() instanceof Segment.Branch branch) {
            body.aload(0)
                    .getfield(Compiler.WARP, "predicates", INTS)
                    .loadConstant(branch.predicate().index())
                    .iaload();
            if (branch.negated()) {
                body.iconst_m1().ixor();
            }
            if (masked) {
                body.iload(1).iand();
            }
        } else {
            body.iconst_0();
        }
        body.ireturn();
    }

    static TypeKind kind(Jvm jvm) {
        return switch (jvm) {
            case INT -> TypeKind.INT;
            case LONG -> TypeKind.LONG;
            case FLOAT -> TypeKind.FLOAT;
            case DOUBLE -> TypeKind.DOUBLE;
        };
    }
}
