package dev.panamark.ptx.compile;

import dev.panamark.ptx.ir.Address;
import dev.panamark.ptx.ir.Expr;
import dev.panamark.ptx.ir.Jvm;
import dev.panamark.ptx.ir.Op;
import dev.panamark.ptx.ir.Register;
import dev.panamark.ptx.ir.Space;
import dev.panamark.ptx.ir.Type;
import dev.panamark.ptx.runtime.Actions;
import dev.panamark.ptx.runtime.Atomics;
import dev.panamark.ptx.runtime.Copies;
import dev.panamark.ptx.runtime.Memory;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes accesses to memory. Shared memory is an array whose own bounds are the check: what leaves it is found again
 * by the interpreter. The alignment of a base register is checked once for all its offsets. An access to global
 * memory compares with the allocation that the instruction used last.
 */
@SuppressWarnings("EnumOrdinal") // Within one program run, a number says as much as the constant.
final class AccessWriter {
    private static final ClassDesc MEMORY = ClassDesc.of(Memory.class.getName());
    private static final ClassDesc ATOMICS = ClassDesc.of(Atomics.class.getName());
    private static final ClassDesc SEGMENT = ClassDesc.of(MemorySegment.class.getName());
    private static final ClassDesc INTS = ConstantDescs.CD_int.arrayType();
    private static final ClassDesc INT = ConstantDescs.CD_int;
    private static final ClassDesc LONG = ConstantDescs.CD_long;
    private static final ClassDesc VOID = ConstantDescs.CD_void;

    private final SegmentWriter segment;
    private final ExpressionWriter expressions;
    private final CodeBuilder body;

    /** Locals with start and last place of the allocation, by site. */
    private final Map<Integer, Integer> bounds = new HashMap<>();

    /**
     * Locals in which the words of bases are numbered, by register and alignment, while the register holds the same. Not by a
     * record of both: making its equals takes the JVM ten milliseconds of a first launch.
     */
    private final Map<Register, Map<Integer, Integer>> bases = new HashMap<>();

    private final Set<Space> read = EnumSet.noneOf(Space.class);
    private boolean repeatable = true;

    AccessWriter(SegmentWriter segment, ExpressionWriter expressions) {
        this.segment = segment;
        this.expressions = expressions;
        this.body = segment.body;
    }

    /** Accesses through one register that are checked together, in units of their size. */
    private record Span(int site, long least, int bytes, int unit) {}

    /** By site of each of its accesses. */
    private final Map<Integer, Span> spans = new HashMap<>();

    /** Locals with the least address of a span, once it was checked. */
    private final Map<Span, Integer> checked = new HashMap<>();

    /** A local that is not 0 where spans could not be checked together, so that each access is. */
    private int careful = -1;

    /**
     * Finds which accesses to global memory can be checked together.
     *
     * @param ops in their order
     * @param uniform places of those that may be done once for a row: not among them, in no method of the segment
     */
    void plan(List<Op> ops, BitSet uniform) {
        SpanPlan plan = new SpanPlan();
        for (int i = 0; i < ops.size(); i++) {
            if (!uniform.get(i)) {
                plan.access(ops.get(i), repeatable);
                done(ops.get(i));
            }
            plan.writes(ops.get(i));
        }
        begin();
        for (List<SpanPlan.Access> accesses : plan.groups()) {
            long least =
                    accesses.stream().mapToLong(SpanPlan.Access::offset).min().orElseThrow();
            int unit = accesses.getFirst().bytes();
            long most =
                    accesses.stream().mapToLong(SpanPlan.Access::offset).max().orElseThrow() + unit;
            Span span = new Span(accesses.getFirst().site(), least, (int) (most - least), unit);
            accesses.forEach(access -> spans.put(access.site(), span));
        }
        if (!spans.isEmpty()) {
            careful = body.allocateLocal(TypeKind.INT);
            body.iconst_0().istore(careful);
        }
    }

    /** Locals of registers whose lanes access consecutive words: the first word or address less that of the lane. */
    private final Map<Register, Integer> streams = new HashMap<>();

    void stream(Register register, int local) {
        streams.put(register, local);
    }

    /** Goes elsewhere where an access of the lanes from the current one to that before {@code end} would leave memory. */
    void checkStream(Op op, int end, Label slow) {
        Address address = streamed(op);
        if (address == null
                || !(address.base() instanceof Expr.Read read)
                || read.register().storage() != Register.Storage.LONG) {
            return;
        }
        int local = body.allocateLocal(TypeKind.LONG);
        for (int last = 0; last < 2; last++) {
            body.lload(streams.getOrDefault(read.register(), -1)).iload(last == 0 ? segment.lane : end);
            body.iconst_2().ishl().i2l().ladd();
            body.loadConstant(address.offset() - last * (long) Streams.BYTES)
                    .ladd()
                    .lstore(local);
            Label fine = body.newLabel();
            place(local, op.site().index(), Streams.BYTES, fine);
            body.goto_(slow).labelBinding(fine);
        }
    }

    /** Goes elsewhere where words of the lanes up to that before {@code end} would not all be in shared memory. */
    void checkShared(Register register, long least, long most, int end, Label slow) {
        int start = streams.getOrDefault(register, -1);
        body.iload(start).iload(segment.lane).iadd();
        body.loadConstant((int) (least / Streams.BYTES)).iadd().iflt(slow);
        body.iload(start).iload(end).iadd();
        body.loadConstant((int) (most / Streams.BYTES)).iadd();
        body.aload(segment.field("shared")).arraylength().if_icmpgt(slow);
    }

    /** Goes elsewhere where a lane up to that before {@code end} would access what another one does. */
    void checkApart(VectorPlan.Pair pair, int end, Label slow) {
        VectorPlan.Access one = pair.one();
        VectorPlan.Access other = pair.other();
        boolean words = one.space() == Space.SHARED;
        for (VectorPlan.Access access : List.of(one, other)) {
            int start = streams.getOrDefault(access.register(), -1);
            if (words) {
                body.iload(start).i2l().loadConstant(access.offset() / Streams.BYTES);
            } else {
                body.lload(start).loadConstant(access.offset());
            }
            body.ladd();
        }
        body.lsub().iload(end).iload(segment.lane).isub();
        if (!words) {
            body.iconst_2().ishl();
        }
        body.invokestatic(MEMORY, "overlap", MethodTypeDesc.of(ConstantDescs.CD_boolean, LONG, INT))
                .ifne(slow);
    }

    /** Pushes memory and place of the current lane's word of a stream. */
    void pushStream(Space space, Address address) {
        int start = streams.getOrDefault(((Expr.Read) address.base()).register(), -1);
        if (space == Space.SHARED) {
            body.aload(segment.field("shared")).iload(start).iload(segment.lane).iadd();
            body.loadConstant((int) (address.offset() / Streams.BYTES)).iadd();
        } else {
            body.aload(segment.field("global")).lload(start).iload(segment.lane);
            body.iconst_2().ishl().i2l().ladd().loadConstant(address.offset()).ladd();
        }
    }

    /** The address of an op of a stream; null for others. */
    private @Nullable Address streamed(Op op) {
        Address address = switch (op) {
            case Op.Load load -> load.address();
            case Op.Store store -> store.address();
            default -> null;
        };
        return address != null
                        && Streams.fits(op)
                        && !spans.containsKey(op.site().index())
                        && address.base() instanceof Expr.Read read
                        && streams.containsKey(read.register())
                ? address
                : null;
    }

    /** Before ops that begin anew, with nothing known of registers. */
    void begin() {
        streams.clear();
        bases.clear();
        checked.clear();
        read.clear();
        repeatable = true;
    }

    /** Before the loop. */
    void prepare(Op op) {
        Space space = switch (op) {
            case Op.Load load -> load.space();
            case Op.Store store -> store.space();
            default -> Space.PARAM;
        };
        int site = op.site().index();
        Span span = spans.get(site);
        if ((space != Space.GLOBAL && space != Space.CONST)
                || bounds.containsKey(site)
                || (span != null && span.site() != site)) {
            return;
        }
        int local = body.allocateLocal(TypeKind.LONG);
        body.allocateLocal(TypeKind.LONG);
        bounds.put(site, local);
    }

    /** Loads the bounds of all accesses of the segment. */
    void refreshAll() {
        bounds.keySet().stream().sorted().forEach(this::refresh);
    }

    /**
     * After an op. A lane may begin again while what it did does the same a second time: not after an atomic, a copy or
     * what the runtime did, and not after a store to a space that it had read.
     */
    void done(Op op) {
        switch (op) {
            case Op.Load load -> read.add(load.space());
            case Op.Store store -> repeatable &= read.stream().noneMatch(space -> mayOverlap(space, store.space()));
            case Op.Atomic atomic -> repeatable = false;
            case Op.Copy copy -> repeatable = false;
            case Op.Act act -> repeatable = false;
            default -> {}
        }
    }

    private static boolean mayOverlap(Space a, Space b) {
        return a == b || a == Space.GENERIC || b == Space.GENERIC;
    }

    private void refresh(int site) {
        int local = bounds.getOrDefault(site, -1);
        int first = Memory.BOUNDS * site + (spans.containsKey(site) ? 2 : 0);
        for (int i = 0; i < 2; i++) {
            body.aload(segment.field("bounds")).loadConstant(first + i).laload().lstore(local + 2 * i);
        }
    }

    /** A register has a new value. */
    void changed(Register register) {
        bases.remove(register);
    }

    void load(Op.Load load) {
        int count = load.targets().size();
        int bytes = load.type().bytes();
        Address streamed = streamed(load);
        Place place = streamed != null
                ? streamed(load.space(), streamed)
                : place(load.space(), load.address(), bytes * count, load.site().index(), load.guard() != null);
        Jvm[] kinds = new Jvm[count];
        int[] locals = new int[count];
        int pairs = pairs(place, bytes, count);
        for (int i = 0; i < 2 * pairs; i++) {
            kinds[i] = load.type() == Type.F32 ? Jvm.FLOAT : Jvm.INT;
            locals[i] = body.allocateLocal(SegmentWriter.kind(kinds[i]));
        }
        for (int i = 0; i < pairs; i++) {
            global(place, Long.BYTES, i * Long.BYTES);
            body.dup2();
            half(kinds[2 * i], locals[2 * i]);
            body.bipush(Integer.SIZE).lushr();
            half(kinds[2 * i + 1], locals[2 * i + 1]);
        }
        for (int i = 2 * pairs; i < count; i++) {
            Register target = load.targets().get(i);
            if (target == null) {
                continue;
            }
            kinds[i] = value(place, load.type(), i * bytes);
            locals[i] = body.allocateLocal(SegmentWriter.kind(kinds[i]));
            if (count == 1) {
                segment.set(target, kinds[i]);
            } else {
                body.storeLocal(SegmentWriter.kind(kinds[i]), locals[i]);
            }
        }
        for (int i = 0; count > 1 && i < count; i++) {
            Register target = load.targets().get(i);
            if (target != null) {
                body.loadLocal(SegmentWriter.kind(kinds[i]), locals[i]);
                segment.set(target, kinds[i]);
            }
        }
    }

    /**
     * How many pairs of words of global memory, one after the other, are accessed as one: code of half as many accesses, as each
     * becomes long when the JVM compiles it, and C1 gives up on what is too long.
     */
    private static int pairs(Place place, int bytes, int count) {
        return place.space() == Space.GLOBAL && bytes == Integer.BYTES ? count / 2 : 0;
    }

    /** Stores the lower half of a long. */
    private void half(Jvm kind, int local) {
        body.l2i();
        expressions.convert(Jvm.INT, kind);
        body.storeLocal(SegmentWriter.kind(kind), local);
    }

    /**
     * Where an access goes.
     *
     * @param local with a byte or, for shared and local memory when {@code words}, a word number; a long for global
     * @param offset to add, in bytes
     */
    private record Place(Space space, int local, int offset, boolean words, int site) {}

    private Place streamed(Space space, Address address) {
        Register register = ((Expr.Read) address.base()).register();
        int start = streams.getOrDefault(register, -1);
        if (space == Space.SHARED) {
            int local = body.allocateLocal(TypeKind.INT);
            body.iload(start).iload(segment.lane).iadd().istore(local);
            return new Place(space, local, (int) address.offset(), true, 0);
        }
        int local = body.allocateLocal(TypeKind.LONG);
        body.lload(start).iload(segment.lane).iconst_2().ishl().i2l().ladd().lstore(local);
        return new Place(space, local, (int) address.offset(), false, 0);
    }

    private Place place(Space space, Address address, int all, int site, boolean guarded) {
        return switch (space) {
            case GLOBAL, CONST -> {
                Span span = spans.get(site);
                if (span != null) {
                    yield spanned(span, address, all, site);
                }
                int local = body.allocateLocal(TypeKind.LONG);
                longAddress(address);
                body.lstore(local);
                checkGlobal(local, site, all);
                yield new Place(Space.GLOBAL, local, 0, false, site);
            }
            case SHARED -> shared(address, all, guarded);
            case LOCAL, PARAM -> {
                int local = body.allocateLocal(TypeKind.INT);
                body.aload(0).iload(segment.lane).loadConstant(site);
                intAddress(address);
                body.loadConstant(all);
                body.invokestatic(
                        MEMORY,
                        space == Space.LOCAL ? "local" : "parameter",
                        MethodTypeDesc.of(INT, Compiler.WARP, INT, INT, INT, INT));
                body.istore(local);
                yield new Place(space, local, 0, false, site);
            }
            case GENERIC -> {
                int local = body.allocateLocal(TypeKind.LONG);
                longAddress(address);
                body.lstore(local);
                body.aload(0)
                        .iload(segment.lane)
                        .loadConstant(site)
                        .lload(local)
                        .loadConstant(all);
                body.invokestatic(MEMORY, "genericCheck", MethodTypeDesc.of(VOID, Compiler.WARP, INT, INT, LONG, INT));
                yield new Place(space, local, 0, false, site);
            }
        };
    }

    private void longAddress(Address address) {
        expressions.write(address.base());
        if (address.offset() != 0) {
            body.loadConstant(address.offset()).ladd();
        }
    }

    private void intAddress(Address address) {
        expressions.write(address.base());
        if (address.offset() != 0) {
            body.loadConstant((int) address.offset()).iadd();
        }
    }

    /** The first access of a span checks all of it. */
    private Place spanned(Span span, Address address, int all, int site) {
        Integer known = checked.get(span);
        int offset = (int) (address.offset() - span.least());
        if (known == null) {
            known = body.allocateLocal(TypeKind.LONG);
            checked.put(span, known);
            longAddress(new Address(address.base(), span.least()));
            body.lstore(known);
            Label fine = body.newLabel();
            Label found = body.newLabel();
            body.iload(careful).ifne(fine);
            place(known, site, span.unit(), fine);
            body.aload(0)
                    .loadConstant(site)
                    .lload(known)
                    .loadConstant(span.bytes())
                    .loadConstant(span.unit());
            body.invokestatic(
                    MEMORY,
                    "together",
                    MethodTypeDesc.of(ConstantDescs.CD_boolean, Compiler.WARP, INT, LONG, INT, INT));
            body.ifne(found).iconst_1().istore(careful).labelBinding(found);
            body.goto_(segment.again);
            body.labelBinding(fine);
        }
        Label fine = body.newLabel();
        body.iload(careful).ifeq(fine);
        body.aload(0).iload(segment.lane).loadConstant(site).lload(known);
        if (offset != 0) {
            body.loadConstant((long) offset).ladd();
        }
        body.loadConstant(all);
        body.invokestatic(MEMORY, "global", MethodTypeDesc.of(LONG, Compiler.WARP, INT, INT, LONG, INT))
                .pop2();
        body.labelBinding(fine);
        return new Place(Space.GLOBAL, known, offset, false, site);
    }

    /** Compares an address with the bounds of a site in units of {@code unit} bytes. */
    private void place(int local, int site, int unit, Label fine) {
        int bound = bounds.getOrDefault(site, -1);
        body.lload(local).lload(bound).lsub();
        if (unit > 1) {
            body.loadConstant(Integer.numberOfTrailingZeros(unit))
                    .invokestatic(ConstantDescs.CD_Long, "rotateRight", MethodTypeDesc.of(LONG, LONG, INT));
        }
        body.lload(bound + 2)
                .invokestatic(ConstantDescs.CD_Long, "compareUnsigned", MethodTypeDesc.of(INT, LONG, LONG))
                .ifle(fine);
    }

    private void checkGlobal(int local, int site, int all) {
        Label fine = body.newLabel();
        place(local, site, all, fine);
        body.aload(0).iload(segment.lane).loadConstant(site).lload(local).loadConstant(all);
        body.invokestatic(MEMORY, "global", MethodTypeDesc.of(LONG, Compiler.WARP, INT, INT, LONG, INT))
                .pop2();
        if (repeatable) {
            body.goto_(segment.again);
        } else {
            refresh(site);
        }
        body.labelBinding(fine);
    }

    private Place shared(Address address, int all, boolean guarded) {
        Register register = address.base() instanceof Expr.Read read ? read.register() : null;
        int alignment = Math.max(4, all);
        boolean whole = all >= 4 && address.offset() % alignment == 0;
        if (register != null && whole && !guarded) {
            Map<Integer, Integer> known = bases.computeIfAbsent(register, r -> new HashMap<>());
            Integer local = known.get(alignment);
            if (local == null) {
                local = words(address.base(), 0, alignment);
                known.put(alignment, local);
            }
            return new Place(Space.SHARED, local, (int) address.offset(), true, 0);
        }
        if (all >= 4) {
            return new Place(Space.SHARED, words(address.base(), (int) address.offset(), alignment), 0, true, 0);
        }
        int local = body.allocateLocal(TypeKind.INT);
        intAddress(address);
        body.istore(local);
        if (all == 2) {
            aligned(local, 1);
        }
        return new Place(Space.SHARED, local, 0, false, 0);
    }

    private int words(Expr base, int offset, int alignment) {
        int local = body.allocateLocal(TypeKind.INT);
        expressions.write(base);
        if (offset != 0) {
            body.loadConstant(offset).iadd();
        }
        body.istore(local);
        aligned(local, alignment - 1);
        body.iload(local).iconst_2().ishr().istore(local);
        return local;
    }

    private void aligned(int local, int mask) {
        Label fine = body.newLabel();
        body.iload(local).loadConstant(mask).iand().ifeq(fine);
        body.invokestatic(Compiler.WARP, "misaligned", ConstantDescs.MTD_void);
        body.labelBinding(fine);
    }

    /** Pushes array and word number. */
    private void word(Place place, int offset) {
        body.aload(segment.field("shared")).iload(place.local());
        int words = (place.offset() + offset) / 4;
        if (words != 0) {
            body.loadConstant(words).iadd();
        }
    }

    /** Pushes array and byte number. */
    private void byteOf(Place place, int offset) {
        body.aload(segment.field(place.space() == Space.SHARED ? "shared" : "local"));
        if (place.words()) {
            body.iload(place.local()).iconst_2().ishl();
        } else {
            body.iload(place.local());
        }
        int all = place.offset() + offset;
        if (all != 0) {
            body.loadConstant(all).iadd();
        }
    }

    /** Pushes the value at an offset; its kind. */
    private Jvm value(Place place, Type type, int offset) {
        int bytes = type.bytes();
        switch (place.space()) {
            case GLOBAL -> global(place, bytes, offset);
            case SHARED -> {
                if (bytes == 4) {
                    word(place, offset);
                    body.iaload();
                } else if (bytes == 8) {
                    word(place, offset + 4);
                    body.iaload().i2l().bipush(32).lshl();
                    word(place, offset);
                    body.iaload().i2l().loadConstant(0xffffffffL).land().lor();
                } else {
                    byteOf(place, offset);
                    body.invokestatic(MEMORY, "load" + 8 * bytes, MethodTypeDesc.of(INT, INTS, INT));
                }
            }
            case LOCAL -> {
                byteOf(place, offset);
                body.loadConstant(bytes).invokestatic(MEMORY, "load", MethodTypeDesc.of(LONG, INTS, INT, INT));
                narrow(bytes);
            }
            case PARAM -> {
                body.aload(0).getfield(Compiler.WARP, "parameters", ConstantDescs.CD_byte.arrayType());
                body.iload(place.local()).loadConstant(offset).iadd().loadConstant(bytes);
                body.invokestatic(MEMORY, "load", MethodTypeDesc.of(LONG, ConstantDescs.CD_byte.arrayType(), INT, INT));
                narrow(bytes);
            }
            default -> {
                body.aload(0).iload(segment.lane).loadConstant(place.site());
                body.lload(place.local()).loadConstant((long) offset).ladd().loadConstant(bytes);
                body.invokestatic(MEMORY, "generic", MethodTypeDesc.of(LONG, Compiler.WARP, INT, INT, LONG, INT));
                narrow(bytes);
            }
        }
        if (type == Type.S8) {
            body.i2b();
        } else if (type == Type.S16) {
            body.i2s();
        }
        if (bytes == 8) {
            return Jvm.LONG;
        }
        if (type == Type.F32) {
            expressions.convert(Jvm.INT, Jvm.FLOAT);
            return Jvm.FLOAT;
        }
        return Jvm.INT;
    }

    private void narrow(int bytes) {
        if (bytes < 8) {
            body.l2i();
        }
    }

    private void global(Place place, int bytes, int offset) {
        body.aload(segment.field("global"));
        layout(bytes);
        globalAddress(place, offset);
        ClassDesc value = switch (bytes) {
            case 1 -> ConstantDescs.CD_byte;
            case 2 -> ConstantDescs.CD_short;
            case 4 -> INT;
            default -> LONG;
        };
        body.invokeinterface(SEGMENT, "get", MethodTypeDesc.of(value, layoutType(bytes), LONG));
        if (bytes < 4) {
            body.loadConstant(bytes == 1 ? 0xff : 0xffff).iand();
        }
    }

    private void globalAddress(Place place, int offset) {
        body.lload(place.local());
        if (place.offset() + offset != 0) {
            body.loadConstant((long) place.offset() + offset).ladd();
        }
    }

    private static ClassDesc layoutType(int bytes) {
        return ClassDesc.of(ValueLayout.class.getName() + "$Of"
                + switch (bytes) {
                    case 1 -> "Byte";
                    case 2 -> "Short";
                    case 4 -> "Int";
                    default -> "Long";
                });
    }

    private void layout(int bytes) {
        body.getstatic(
                MEMORY,
                switch (bytes) {
                    case 1 -> "BYTE";
                    case 2 -> "SHORT";
                    case 4 -> "INT";
                    default -> "LONG";
                },
                layoutType(bytes));
    }

    void store(Op.Store store) {
        int count = store.values().size();
        int bytes = store.type().bytes();
        Address streamed = streamed(store);
        Place place = streamed != null
                ? streamed(store.space(), streamed)
                : place(
                        store.space(),
                        store.address(),
                        bytes * count,
                        store.site().index(),
                        store.guard() != null);
        int pairs = pairs(place, bytes, count);
        for (int i = 0; i < pairs; i++) {
            body.aload(segment.field("global"));
            layout(Long.BYTES);
            globalAddress(place, i * Long.BYTES);
            for (int half = 0; half < 2; half++) {
                bits(store.values().get(2 * i + half));
                body.i2l();
            }
            body.bipush(Integer.SIZE).lshl();
            body.dup2_x2().pop2().loadConstant(0xffffffffL).land().lor();
            body.invokeinterface(SEGMENT, "set", MethodTypeDesc.of(VOID, layoutType(Long.BYTES), LONG, LONG));
        }
        for (int i = 2 * pairs; i < count; i++) {
            put(place, store.values().get(i), bytes, i * bytes);
        }
    }

    private void bits(Expr value) {
        expressions.write(value);
        expressions.convert(
                value.jvm(),
                switch (value.jvm()) {
                    case INT, FLOAT -> Jvm.INT;
                    case LONG, DOUBLE -> Jvm.LONG;
                });
    }

    private void put(Place place, Expr value, int bytes, int offset) {
        switch (place.space()) {
            case GLOBAL -> {
                body.aload(segment.field("global"));
                layout(bytes);
                globalAddress(place, offset);
                bits(value);
                ClassDesc type = INT;
                switch (bytes) {
                    case 1 -> {
                        body.i2b();
                        type = ConstantDescs.CD_byte;
                    }
                    case 2 -> {
                        body.i2s();
                        type = ConstantDescs.CD_short;
                    }
                    case 8 -> type = LONG;
                    default -> {}
                }
                body.invokeinterface(SEGMENT, "set", MethodTypeDesc.of(VOID, layoutType(bytes), LONG, type));
            }
            case SHARED -> {
                if (bytes == 4) {
                    word(place, offset);
                    bits(value);
                    body.iastore();
                } else {
                    byteOf(place, offset);
                    bits(value);
                    body.invokestatic(
                            MEMORY, "store" + 8 * bytes, MethodTypeDesc.of(VOID, INTS, INT, bytes == 8 ? LONG : INT));
                }
            }
            case LOCAL -> {
                byteOf(place, offset);
                body.loadConstant(bytes);
                expressions.write(value);
                expressions.toBits(value.jvm());
                body.invokestatic(MEMORY, "store", MethodTypeDesc.of(VOID, INTS, INT, INT, LONG));
            }
            default -> {
                body.aload(0).iload(segment.lane).loadConstant(place.site());
                body.lload(place.local()).loadConstant((long) offset).ladd().loadConstant(bytes);
                expressions.write(value);
                expressions.toBits(value.jvm());
                body.invokestatic(MEMORY, "generic", MethodTypeDesc.of(VOID, Compiler.WARP, INT, INT, LONG, INT, LONG));
            }
        }
    }

    void atomic(Op.Atomic atomic) {
        boolean shared = atomic.space() == Space.SHARED;
        body.aload(0).iload(segment.lane).loadConstant(atomic.site().index());
        if (shared) {
            intAddress(atomic.address());
        } else {
            longAddress(atomic.address());
        }
        expressions.write(atomic.value());
        expressions.toBits(atomic.value().jvm());
        swap(atomic.swap());
        body.loadConstant(atomic.kind().ordinal()).loadConstant(atomic.type().ordinal());
        String name = switch (atomic.space()) {
            case SHARED -> "shared";
            case GLOBAL -> "global";
            default -> "generic";
        };
        body.invokestatic(
                ATOMICS,
                name,
                MethodTypeDesc.of(LONG, Compiler.WARP, INT, INT, shared ? INT : LONG, LONG, LONG, INT, INT));
        result(atomic.target());
    }

    void copy(Op.Copy copy) {
        body.aload(0).iload(segment.lane).loadConstant(copy.site().index());
        intAddress(copy.target());
        longAddress(copy.source());
        body.loadConstant(copy.bytes());
        expressions.write(copy.size());
        body.invokestatic(
                ClassDesc.of(Copies.class.getName()),
                "begin",
                MethodTypeDesc.of(VOID, Compiler.WARP, INT, INT, INT, LONG, INT, INT));
    }

    void act(Op.Act act) {
        body.aload(0)
                .iload(segment.lane)
                .loadConstant(act.site().index())
                .loadConstant(act.action().ordinal());
        for (int i = 0; i < Actions.ARGUMENTS; i++) {
            if (i < act.arguments().size()) {
                Expr argument = act.arguments().get(i);
                expressions.write(argument);
                expressions.toBits(argument.jvm());
            } else {
                body.lconst_0();
            }
        }
        body.invokestatic(
                ClassDesc.of(Actions.class.getName()),
                "run",
                MethodTypeDesc.of(LONG, Compiler.WARP, INT, INT, INT, LONG, LONG, LONG, LONG));
        result(act.target());
    }

    /** Puts the bits on the stack into a register, if there is one. */
    private void result(@Nullable Register target) {
        if (target == null) {
            body.pop2();
        } else if (target.storage() == Register.Storage.LONG) {
            segment.set(target, Jvm.LONG);
        } else {
            body.l2i();
            segment.set(target, Jvm.INT);
        }
    }

    private void swap(@Nullable Expr swap) {
        if (swap == null) {
            body.lconst_0();
        } else {
            expressions.write(swap);
            expressions.toBits(swap.jvm());
        }
    }
}
