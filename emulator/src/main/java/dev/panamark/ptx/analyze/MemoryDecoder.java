package dev.panamark.ptx.analyze;

import dev.panamark.ptx.ir.Address;
import dev.panamark.ptx.ir.AtomicKind;
import dev.panamark.ptx.ir.Expr;
import dev.panamark.ptx.ir.InstructionClass;
import dev.panamark.ptx.ir.Jvm;
import dev.panamark.ptx.ir.Op;
import dev.panamark.ptx.ir.Register;
import dev.panamark.ptx.ir.Site;
import dev.panamark.ptx.ir.Space;
import dev.panamark.ptx.ir.Type;
import dev.panamark.ptx.parse.Syntax;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Accesses to memory. Cache operators and hints say nothing about what is read. */
final class MemoryDecoder {
    private static final String[] SPACES = {
        "global", "shared", "shared::cta", "shared::cluster", "local", "const", "param", "param::entry", "param::func"
    };

    private final Emitter emitter;
    private Modifiers modifiers = new Modifiers(List.of());

    MemoryDecoder(Emitter emitter) {
        this.emitter = emitter;
    }

    boolean decode(String opcode, Modifiers given) {
        modifiers = given;
        switch (opcode) {
            case "ld", "ldu" -> access(true);
            case "st" -> access(false);
            case "atom", "red" -> atomic(opcode.equals("atom"));
            case "membar", "fence" -> fence();
            case "prefetch", "prefetchu", "discard", "applypriority" -> nothing();
            default -> {
                return false;
            }
        }
        return true;
    }

    private static Space space(String modifier) {
        return switch (modifier) {
            case "global" -> Space.GLOBAL;
            case "shared", "shared::cta", "shared::cluster" -> Space.SHARED;
            case "local" -> Space.LOCAL;
            case "const" -> Space.CONST;
            case "param", "param::entry", "param::func" -> Space.PARAM;
            default -> Space.GENERIC;
        };
    }

    /** Whether others may wait for the access, or it for theirs: where one of these is said. */
    private boolean order(String... orders) {
        boolean device = modifiers.take("mmio");
        boolean ordered = !modifiers.any(orders).isEmpty() || device;
        modifiers.take("weak");
        modifiers.any("cta", "cluster", "gpu", "sys");
        return ordered;
    }

    private void hints() {
        modifiers.any("ca", "cg", "cs", "lu", "cv", "wb", "wt");
        modifiers.take("nc");
        modifiers.skip("L1::", "L2::");
        modifiers.take("unified");
    }

    private void access(boolean load) {
        boolean ordered = order("volatile", "relaxed", load ? "acquire" : "release");
        Space space = space(modifiers.any(SPACES));
        hints();
        String vector = modifiers.any("v2", "v4", "v8");
        Type type = emitter.need(modifiers.type());
        emitter.finish(modifiers);
        // A cache policy may follow.
        emitter.operands(2, 3);
        if (type == Type.PRED || type == Type.B128) {
            throw emitter.unsupported();
        }
        Site site = emitter.site(kind(space, load));
        Syntax.Operand data = emitter.operand(load ? 0 : 1);
        List<Syntax.Operand> parts = data instanceof Syntax.Tuple tuple ? tuple.parts() : List.of(data);
        int count = vector.isEmpty() ? 1 : vector.charAt(1) - '0';
        if (parts.size() != count) {
            throw emitter.fault(parts.size() + " values; expected " + count);
        }
        Syntax.Address where = emitter.addressOperand(load ? 1 : 0);
        if (space == Space.PARAM) {
            Binding binding = where.base() == null
                    ? null
                    : emitter.scope().find(where.base().name());
            if (binding instanceof Binding.Parameter parameter && load) {
                parameter(parts, type, parameter, where);
                return;
            }
            if (binding instanceof Binding.Slot || emitter.inlined || !load) {
                space = Space.LOCAL;
            }
        }
        if (!load && (space == Space.CONST || space == Space.PARAM)) {
            throw emitter.unsupported();
        }
        Address address = emitter.address(where, space);
        if (ordered) {
            emitter.add(new Item.Cut());
        }
        boolean pair = ordered && count == 2 && type.bits() == 32;
        if (ordered && count > 1 && !pair && (space == Space.GLOBAL || space == Space.GENERIC)) {
            emitter.oneHostThread = true;
        }
        if (pair) {
            pair(load, site, space, type.real() ? Type.B32 : type, parts, address);
        } else if (load) {
            load(site, space, type, parts, address);
            if (ordered) {
                emitter.add(new Op.Fence(site, emitter.guard()));
            }
        } else {
            List<Expr> values = new ArrayList<>();
            for (Syntax.Operand part : parts) {
                values.add(stored(part, type));
            }
            if (ordered) {
                emitter.add(new Op.Fence(site, emitter.guard()));
            }
            emitter.add(new Op.Store(site, emitter.guard(), space, type, List.copyOf(values), address));
        }
        if (ordered) {
            emitter.add(new Item.Cut());
        }
    }

    /**
     * Two words in one access. PTX does not promise that other threads see both or none, but devices do so, and
     * look-back scans as those of CUB hand a state and a value on like this.
     */
    private void pair(boolean load, Site site, Space space, Type type, List<Syntax.Operand> parts, Address address) {
        Op.Fence fence = new Op.Fence(site, emitter.guard());
        if (load) {
            for (Syntax.Operand part : parts) {
                Register target = emitter.target(part);
                if (target != null
                        && (target.type() == Type.PRED || target.type().bits() < 32)) {
                    throw emitter.fault(target + " is ." + target.type().ptx() + "; expected a register of 32 bits");
                }
            }
            Register both = emitter.temporary(Type.B64);
            both.used(Jvm.LONG);
            emitter.add(new Op.Load(site, emitter.guard(), space, Type.B64, List.of(both), address));
            emitter.add(fence);
            emitter.assign(parts.get(0), Emitter.logic("low32", emitter.read(both, Jvm.LONG)), type);
            emitter.assign(parts.get(1), Emitter.logic("high32", emitter.read(both, Jvm.LONG)), type);
        } else {
            Expr both = Emitter.logic(
                    "join32", emitter.value(parts.get(0), Type.B32, true), emitter.value(parts.get(1), Type.B32, true));
            emitter.add(fence);
            emitter.add(new Op.Store(site, emitter.guard(), space, Type.B64, List.of(both), address));
        }
    }

    /** The class of a load from a space, or of a store to it. */
    static InstructionClass kind(Space space, boolean load) {
        return switch (space) {
            case GLOBAL, CONST -> load ? InstructionClass.LOAD_GLOBAL : InstructionClass.STORE_GLOBAL;
            case SHARED -> load ? InstructionClass.LOAD_SHARED : InstructionClass.STORE_SHARED;
            case LOCAL -> load ? InstructionClass.LOAD_LOCAL : InstructionClass.STORE_LOCAL;
            case PARAM -> load ? InstructionClass.LOAD_PARAM : InstructionClass.STORE_LOCAL;
            case GENERIC -> load ? InstructionClass.LOAD_GENERIC : InstructionClass.STORE_GENERIC;
        };
    }

    private Expr stored(Syntax.Operand part, Type type) {
        Type as = type;
        if (part instanceof Syntax.Name name
                && emitter.scope().find(name.name()) instanceof Binding.Single single
                && single.register().type().bits() == type.bits()
                && single.register().type().real()
                && type.bits() >= 32) {
            as = single.register().type();
        }
        return emitter.value(part, as, true);
    }

    private void parameter(List<Syntax.Operand> parts, Type type, Binding.Parameter parameter, Syntax.Address where) {
        long all = (long) type.bytes() * parts.size();
        if (where.offset() < 0 || where.offset() + all > parameter.bytes()) {
            throw emitter.fault("offset " + where.offset() + " and " + all + " bytes of a parameter of "
                    + parameter.bytes() + " bytes");
        }
        for (int i = 0; i < parts.size(); i++) {
            int offset = parameter.offset() + (int) where.offset() + i * type.bytes();
            emitter.assign(parts.get(i), new Expr.Parameter(type, offset), type);
        }
    }

    private void load(Site site, Space space, Type type, List<Syntax.Operand> parts, Address address) {
        List<@Nullable Register> targets = new ArrayList<>();
        List<Runnable> after = new ArrayList<>();
        for (Syntax.Operand part : parts) {
            Register target = emitter.target(part);
            if (target == null) {
                targets.add(null);
                continue;
            }
            Type own = target.type();
            if (own == Type.PRED || own.bits() < type.bits()) {
                throw emitter.fault(target + " is ." + own.ptx() + "; expected a register that holds ." + type.ptx());
            }
            boolean direct = own.bits() == type.bits() && (!type.signed() || type.bits() >= 32);
            if (direct || (type.bits() < 32 && own.bits() == 32)) {
                target.used(type.jvm());
                targets.add(target);
            } else {
                // Sign and zero extension to other widths is that of any assignment.
                Register loaded = emitter.temporary(type.bits() == 32 ? Type.B32 : Type.U32);
                targets.add(loaded);
                after.add(() -> emitter.assign(target, emitter.read(loaded, Jvm.INT), type));
            }
        }
        emitter.add(new Op.Load(site, emitter.guard(), space, type, Collections.unmodifiableList(targets), address));
        after.forEach(Runnable::run);
    }

    private void atomic(boolean returns) {
        boolean ordered = order("relaxed", "acquire", "release", "acq_rel");
        Space space = space(modifiers.any(SPACES));
        hints();
        boolean subnormals = modifiers.take("noftz");
        String operation = modifiers.any("add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec");
        String vector = modifiers.any("v2", "v4", "v8");
        Type type = emitter.need(modifiers.type());
        emitter.finish(modifiers);
        if (operation.isEmpty()) {
            throw emitter.unsupported();
        }
        AtomicKind kind = AtomicKind.valueOf(operation.toUpperCase(Locale.ROOT));
        check(kind, type, space);
        if (subnormals && (kind != AtomicKind.ADD || (type.bits() == 64 || type == Type.F32 || type.integer()))) {
            throw emitter.unsupported();
        }
        int first = returns ? 1 : 0;
        int least = first + (kind == AtomicKind.CAS ? 3 : 2);
        emitter.operands(least, least + 1);
        boolean adds = kind == AtomicKind.ADD && (type.real() || type == Type.F16X2 || type == Type.BF16X2);
        Site site = emitter.site(InstructionClass.ATOMIC, adds ? type.bits() == 32 && !type.real() ? 2 : 1 : 0, type);
        Address address = emitter.address(emitter.addressOperand(first), space);
        if (ordered) {
            emitter.add(new Op.Fence(site, emitter.guard()));
        }
        int count = vector.isEmpty() ? 1 : vector.charAt(1) - '0';
        List<Syntax.Operand> values = parts(emitter.operand(first + 1), count);
        List<Syntax.Operand> targets = returns ? parts(emitter.operand(0), count) : List.of();
        for (int i = 0; i < count; i++) {
            Register target = returns ? emitter.target(targets.get(i)) : null;
            Expr swap = kind == AtomicKind.CAS ? emitter.value(emitter.operand(first + 2), bits(type)) : null;
            Register whole = target;
            if (target != null && target.type().bits() != type.bits()) {
                throw emitter.fault(target + " is ." + target.type().ptx() + "; expected ." + type.ptx());
            }
            emitter.add(new Op.Atomic(
                    site,
                    emitter.guard(),
                    space,
                    kind,
                    type,
                    whole,
                    new Address(address.base(), address.offset() + (long) i * type.bytes()),
                    emitter.value(values.get(i), bits(type)),
                    swap));
        }
    }

    /** Values travel as bits. */
    private static Type bits(Type type) {
        return switch (type.bits()) {
            case 16 -> Type.B16;
            case 32 -> Type.B32;
            default -> Type.B64;
        };
    }

    private List<Syntax.Operand> parts(Syntax.Operand operand, int count) {
        List<Syntax.Operand> parts = operand instanceof Syntax.Tuple tuple ? tuple.parts() : List.of(operand);
        if (parts.size() != count) {
            throw emitter.fault(parts.size() + " values; expected " + count);
        }
        return parts;
    }

    private void check(AtomicKind kind, Type type, Space space) {
        boolean integer = type.integer() && type.bits() >= 32;
        boolean known = switch (kind) {
            case ADD ->
                (integer && type != Type.S64)
                        || type == Type.F32
                        || type == Type.F64
                        || type == Type.F16
                        || type == Type.BF16
                        || type == Type.F16X2
                        || type == Type.BF16X2;
            case MIN, MAX -> integer;
            case INC, DEC -> type == Type.U32;
            case CAS -> type.untyped() && type.bits() >= 16 && type.bits() <= 64;
            default -> type.untyped() && type.bits() >= 32 && type.bits() <= 64;
        };
        if (!known || (space != Space.GLOBAL && space != Space.SHARED && space != Space.GENERIC)) {
            throw emitter.unsupported();
        }
    }

    private void fence() {
        modifiers.any("sc", "acq_rel", "acquire", "release");
        modifiers.any("cta", "cluster", "gpu", "sys", "gl");
        modifiers.skip("sync_restrict::");
        if (modifiers.any("proxy", "mbarrier_init").equals("proxy")) {
            // One memory and one way to it: proxies need no order.
            modifiers.skip("async", "alias", "tensormap", "shared", "global");
        }
        emitter.finish(modifiers);
        Site site = emitter.site(InstructionClass.FENCE);
        emitter.add(new Op.Fence(site, emitter.guard()));
    }

    private void nothing() {
        modifiers.any(SPACES);
        modifiers.skip("L1", "L2", "tensormap");
        emitter.finish(modifiers);
        Site site = emitter.site(InstructionClass.OTHER);
        emitter.add(new Op.Nothing(site, emitter.guard()));
    }
}
