package dev.panamark.ptx.analyze;

import dev.panamark.ptx.PtxException;
import dev.panamark.ptx.ir.Address;
import dev.panamark.ptx.ir.BlockValue;
import dev.panamark.ptx.ir.Expr;
import dev.panamark.ptx.ir.Guard;
import dev.panamark.ptx.ir.InstructionClass;
import dev.panamark.ptx.ir.Jvm;
import dev.panamark.ptx.ir.Op;
import dev.panamark.ptx.ir.Register;
import dev.panamark.ptx.ir.Registers;
import dev.panamark.ptx.ir.Semantic;
import dev.panamark.ptx.ir.Site;
import dev.panamark.ptx.ir.Space;
import dev.panamark.ptx.ir.Type;
import dev.panamark.ptx.parse.Position;
import dev.panamark.ptx.parse.Syntax;
import dev.panamark.ptx.runtime.CompareOps;
import dev.panamark.ptx.runtime.ConvertOps;
import dev.panamark.ptx.runtime.FloatOps;
import dev.panamark.ptx.runtime.HalfOps;
import dev.panamark.ptx.runtime.IntegerOps;
import dev.panamark.ptx.runtime.LogicOps;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** What decoders of instructions build with: operands in, items out. Of one kernel. */
final class Emitter {
    private static final int MOST_ITEMS = 2_000_000;

    private final String source;
    final Registers registers = new Registers();
    final List<Item> items = new ArrayList<>();
    final List<Site> sites = new ArrayList<>();
    private final List<Syntax.Function> addressTaken;
    private final IntSupplier reserved;

    private Scope scope = new Scope(registers, name -> null);
    private Syntax.@Nullable Instruction instruction;
    private @Nullable Guard guard;
    private @Nullable Site site;
    private @Nullable Register carry;
    private int labels;
    /** Inside of an inlined function. */
    boolean inlined;

    /** Whether blocks must not run at the same time, see {@link dev.panamark.ptx.ir.KernelCode#oneHostThread}. */
    boolean oneHostThread;

    Emitter(String source, List<Syntax.Function> addressTaken, IntSupplier reserved) {
        this.source = source;
        this.addressTaken = addressTaken;
        this.reserved = reserved;
    }

    /** Where the 1 KiB of shared memory is that the runtime keeps for itself. */
    IntSupplier reserved() {
        return reserved;
    }

    void scope(Scope next) {
        scope = next;
    }

    Scope scope() {
        return scope;
    }

    int newLabel() {
        return labels++;
    }

    /** Begins an instruction; {@link #site} makes its site. */
    void begin(Syntax.Instruction next) {
        instruction = next;
        site = null;
        guard = null;
        if (next.guard() != null) {
            Register predicate = register(new Syntax.Name(next.guard().predicate(), "", next.at()));
            if (predicate.type() != Type.PRED) {
                throw fault(next.at(), predicate + " is ." + predicate.type().ptx() + "; expected a predicate");
            }
            guard = new Guard(predicate, next.guard().negated());
        }
    }

    Syntax.Instruction instruction() {
        if (instruction == null) {
            throw new IllegalStateException("no instruction has begun");
        }
        return instruction;
    }

    @Nullable
    Guard guard() {
        return guard;
    }

    void unguarded() {
        guard = null;
    }

    PtxException fault(Position at, String fault) {
        return new PtxException(source, at.line(), at.column(), fault);
    }

    /** A fault of the instruction. */
    PtxException fault(String fault) {
        return fault(instruction().at(), instruction().fullName() + ": " + fault);
    }

    PtxException unsupported() {
        return unsupported("instruction " + instruction().fullName());
    }

    /** What the instruction asks for is not emulated. */
    PtxException unsupported(String what) {
        Position at = instruction().at();
        return PtxException.unsupported(source, at.line(), at.column(), "unsupported " + what);
    }

    Type need(@Nullable Type type) {
        if (type == null) {
            throw fault("no type; expected one such as .u32");
        }
        return type;
    }

    /** Refuses what is left of the modifiers. */
    void finish(Modifiers modifiers) {
        if (!modifiers.rest().isEmpty()) {
            throw fault(
                    instruction().at(),
                    "unsupported instruction " + instruction().fullName() + ": modifier " + modifiers.rest());
        }
    }

    Syntax.Operand operand(int i) {
        List<Syntax.Operand> operands = instruction().operands();
        if (i >= operands.size()) {
            throw fault(operands.size() + " operands; expected " + (i + 1) + " or more");
        }
        return operands.get(i);
    }

    int operands() {
        return instruction().operands().size();
    }

    void operands(int least, int most) {
        if (operands() < least || operands() > most) {
            throw fault(operands() + " operands; expected " + (least == most ? "" + least : least + " to " + most));
        }
    }

    Site site(InstructionClass kind) {
        return site(kind, 0, (String) null);
    }

    Site site(InstructionClass kind, int flops, @Nullable Type type) {
        return site(kind, flops, type == null || flops == 0 ? null : type.ptx());
    }

    /** @param flopClass as of {@link Site} */
    Site site(InstructionClass kind, int flops, @Nullable String flopClass) {
        Syntax.Instruction at = instruction();
        Site made = new Site(sites.size(), at.fullName(), at.at(), at.source(), kind, flops, flopClass);
        sites.add(made);
        site = made;
        return made;
    }

    Site site() {
        if (site == null) {
            throw new IllegalStateException("no site for " + instruction().fullName());
        }
        return site;
    }

    void add(Item item) {
        if (items.size() >= MOST_ITEMS) {
            throw fault("the kernel has more than " + MOST_ITEMS + " instructions after calls are inlined");
        }
        items.add(item);
    }

    void add(Op op) {
        add(new Item.Do(op));
    }

    // Expressions.

    static Expr call(Class<?> owner, String name, Expr... arguments) {
        return new Expr.Call(Semantic.of(owner, name), List.of(arguments));
    }

    static Expr integer(String name, Expr... arguments) {
        return call(IntegerOps.class, name, arguments);
    }

    static Expr logic(String name, Expr... arguments) {
        return call(LogicOps.class, name, arguments);
    }

    static Expr real(String name, Expr... arguments) {
        return call(FloatOps.class, name, arguments);
    }

    static Expr half(String name, Expr... arguments) {
        return call(HalfOps.class, name, arguments);
    }

    static Expr convert(String name, Expr... arguments) {
        return call(ConvertOps.class, name, arguments);
    }

    static Expr compare(String name, Expr... arguments) {
        return call(CompareOps.class, name, arguments);
    }

    static Expr constant(int value) {
        return Expr.Const.of(value);
    }

    Expr read(Register register, Jvm jvm) {
        register.used(jvm);
        return new Expr.Read(register, jvm);
    }

    Register temporary(Type type) {
        return registers.add("a temporary", type);
    }

    Register carry() {
        if (carry == null) {
            carry = registers.add("CC.CF", Type.U32);
        }
        return carry;
    }

    // Operands.

    Binding find(Syntax.Name name) {
        Binding binding = scope.find(name.name());
        if (binding == null) {
            throw fault(name.at(), "unknown name " + name.name());
        }
        return binding;
    }

    Register register(Syntax.Operand operand) {
        if (operand instanceof Syntax.Name name) {
            Binding binding = find(name);
            if (binding instanceof Binding.Single single && name.component().isEmpty()) {
                return single.register();
            }
            if (binding instanceof Binding.Vector vector && name.component().length() == 1) {
                int part = "xyzw".indexOf(name.component());
                part = part < 0 ? "rgba".indexOf(name.component()) : part;
                if (part >= 0 && part < vector.registers().size()) {
                    return vector.registers().get(part);
                }
            }
            throw fault(
                    name.at(),
                    name.name() + (name.component().isEmpty() ? "" : "." + name.component())
                            + " is not a register; expected one");
        }
        throw fault("an operand is not a register; expected one");
    }

    /** The register to write; null where the text drops it. */
    @Nullable
    Register target(Syntax.Operand operand) {
        return operand instanceof Syntax.Sink ? null : register(operand);
    }

    Register predicate(Syntax.Operand operand) {
        Register register = register(operand);
        if (register.type() != Type.PRED) {
            throw fault(register + " is ." + register.type().ptx() + "; expected a predicate");
        }
        return register;
    }

    /** A predicate that may be negated, as 0 or 1. */
    Expr condition(Syntax.Operand operand) {
        if (operand instanceof Syntax.Not not) {
            return logic("notPred", condition(not.operand()));
        }
        if (operand instanceof Syntax.Int number) {
            return constant(number.value() != 0 ? 1 : 0);
        }
        return read(predicate(operand), Jvm.INT);
    }

    /** A value of that type: integers of 8 and 16 bits are extended by their sign, others of that width by zero. */
    Expr value(Syntax.Operand operand, Type type) {
        return value(operand, type, false);
    }

    /** @param wider whether a wider register may be given, of which the low bits count */
    Expr value(Syntax.Operand operand, Type type, boolean wider) {
        return switch (operand) {
            case Syntax.Int number -> literal(number.value(), type);
            case Syntax.Real number -> literal(number, type);
            case Syntax.Name name -> named(name, type, wider);
            case Syntax.Sum sum -> {
                if (!isAddress(type)) {
                    throw fault("a sum as a value of type ." + type.ptx() + "; expected integers of 32 or 64 bits");
                }
                Expr base = named(sum.base(), type, wider);
                yield base.jvm() == Jvm.LONG
                        ? integer("add64", base, Expr.Const.of(sum.offset()))
                        : integer("add32", base, constant((int) sum.offset()));
            }
            case Syntax.Not not when type == Type.PRED -> condition(not);
            default -> throw fault("an operand is not a value of type ." + type.ptx());
        };
    }

    private Expr literal(long value, Type type) {
        return switch (type) {
            case F32, TF32 -> new Expr.Const(Jvm.FLOAT, Float.floatToRawIntBits((float) value));
            case F64 -> new Expr.Const(Jvm.DOUBLE, Double.doubleToRawLongBits((double) value));
            case PRED -> constant(value != 0 ? 1 : 0);
            default -> type.jvm() == Jvm.LONG ? Expr.Const.of(value) : extended(constant((int) value), type);
        };
    }

    private Expr literal(Syntax.Real number, Type type) {
        double exact = number.width() == 64
                ? Double.longBitsToDouble(number.bits())
                : Float.intBitsToFloat((int) number.bits());
        return switch (type) {
            case F32, TF32 ->
                new Expr.Const(
                        Jvm.FLOAT, number.width() == 32 ? (int) number.bits() : Float.floatToRawIntBits((float) exact));
            case F64 ->
                new Expr.Const(Jvm.DOUBLE, number.width() == 64 ? number.bits() : Double.doubleToRawLongBits(exact));
            case B32, U32, S32 -> constant((int) number.bits());
            case B64, U64, S64 -> Expr.Const.of(number.bits());
            case F16 -> constant(HalfOps.fromFloat((float) exact, 0));
            case BF16 -> constant(HalfOps.fromFloat((float) exact, 1));
            default -> throw fault("a floating-point constant for ." + type.ptx() + "; expected an integer");
        };
    }

    private Expr named(Syntax.Name name, Type type, boolean wider) {
        if (name.name().startsWith("%") && scope.find(name.name()) == null) {
            return Specials.value(this, name, type);
        }
        if (name.name().equals("WARP_SZ")) {
            return literal(32, type);
        }
        Binding binding = find(name);
        return switch (binding) {
            case Binding.Single single -> value(single.register(), type, wider);
            case Binding.Vector vector -> value(register(name), type, wider);
            case Binding.Global global -> address(new Expr.GlobalAddress(global.variable()), type);
            case Binding.Shared shared -> address(sharedAddress(shared), type);
            case Binding.Local local -> address(constant(local.offset()), type);
            case Binding.Slot slot -> address(constant(slot.offset()), type);
            case Binding.Parameter parameter -> address(constant(parameter.offset()), type);
            case Binding.Function function -> {
                int index = addressTaken.indexOf(function.function());
                yield address(constant(functionAddress(index)), type);
            }
            default -> throw fault(name.at(), name.name() + " is not a value");
        };
    }

    /** What the address of the n-th function whose address is taken reads as. */
    static int functionAddress(int index) {
        return 0x100 + 16 * index;
    }

    private static Expr sharedAddress(Binding.Shared shared) {
        if (!shared.dynamic()) {
            return constant(shared.offset());
        }
        return new Expr.Uniform(BlockValue.DYNAMIC_SHARED);
    }

    private Expr address(Expr address, Type type) {
        if (!isAddress(type)) {
            throw fault("an address as a value of type ." + type.ptx() + "; expected integers of 32 or 64 bits");
        }
        if (type.bits() == 64) {
            return address.jvm() == Jvm.LONG ? address : convert("extendU", address);
        }
        return address.jvm() == Jvm.LONG ? logic("low32", address) : address;
    }

    /** Whether addresses fit a type. */
    private static boolean isAddress(Type type) {
        return (type.integer() || type.untyped()) && (type.bits() == 32 || type.bits() == 64);
    }

    private Expr value(Register register, Type type, boolean wider) {
        Type own = register.type();
        boolean mixed = (own.real() && type.integer()) || (own.integer() && (type.real() || type == Type.F16X2));
        if ((own == Type.PRED) != (type == Type.PRED)
                || (!wider && (own.bits() != type.bits() || mixed))
                || own.bits() < type.bits()) {
            throw fault(register + " is ." + own.ptx() + "; expected a register that holds ." + type.ptx());
        }
        if (own.bits() == type.bits()) {
            Expr read = read(register, type.jvm());
            return extended(read, type);
        }
        Expr word = own.bits() == 64 ? logic("low32", read(register, Jvm.LONG)) : read(register, Jvm.INT);
        if (type.bits() == 32) {
            return type == Type.F32 ? throwNarrow(register) : word;
        }
        return type.bits() == 16
                ? integer(type == Type.S16 ? "signed16" : "cut16", word)
                : integer(type == Type.S8 ? "signed8" : "cut8", word);
    }

    private Expr throwNarrow(Register register) {
        throw fault(register + " has 64 bits; expected an f32");
    }

    private static Expr extended(Expr value, Type type) {
        return switch (type) {
            case S16 -> integer("signed16", value);
            case S8 -> integer("signed8", value);
            case U16, B16, F16, BF16, E4M3X2, E5M2X2 -> value instanceof Expr.Const ? integer("cut16", value) : value;
            case U8, B8 -> value instanceof Expr.Const ? integer("cut8", value) : value;
            default -> value;
        };
    }

    // Results.

    /** Writes a value of that type; a wider register gets it extended by its sign. */
    void assign(Syntax.Operand operand, Expr value, Type type) {
        Register target = target(operand);
        if (target != null) {
            assign(target, value, type);
        }
    }

    void assign(Register target, Expr value, Type type) {
        Type own = target.type();
        if ((own == Type.PRED) != (type == Type.PRED) || own.bits() < type.bits()) {
            throw fault(target + " is ." + own.ptx() + "; expected a register that holds ." + type.ptx());
        }
        Expr fitted = value;
        if (type.bits() < 32 && type != Type.PRED) {
            if (own.bits() > type.bits()) {
                fitted = integer(
                        type.signed() ? type.bits() == 8 ? "signed8" : "signed16" : type.bits() == 8 ? "cut8" : "cut16",
                        fitted);
                fitted = own.bits() == 16 ? integer("cut16", fitted) : fitted;
            } else {
                fitted = integer(type.bits() == 8 ? "cut8" : "cut16", fitted);
            }
        }
        if (own.bits() == 64 && type.bits() <= 32) {
            fitted = fitted.jvm() == Jvm.FLOAT
                    ? throwReal(target)
                    : convert(type.signed() ? "extendS" : "extendU", fitted);
        }
        put(target, fitted);
    }

    private Expr throwReal(Register target) {
        throw fault(target + " has 64 bits; expected one of 32 for an f32");
    }

    /** Writes bits as they are. */
    void put(Register target, Expr value) {
        target.used(value.jvm());
        add(new Op.Assign(site(), guard, target, value));
    }

    // Addresses.

    Syntax.Address addressOperand(int i) {
        if (operand(i) instanceof Syntax.Address address) {
            if (!address.coordinates().isEmpty()) {
                throw fault(address.at(), "coordinates in an address; expected a base and an offset");
            }
            return address;
        }
        throw fault("operand " + (i + 1) + " is not an address; expected one in brackets");
    }

    /** In an int for the spaces of a block, else in a long. */
    Address address(Syntax.Address address, Space space) {
        boolean small = space == Space.SHARED || space == Space.LOCAL || space == Space.PARAM;
        Syntax.Name name = address.base();
        if (name == null) {
            return new Address(small ? constant(0) : Expr.Const.of(0L), address.offset());
        }
        Expr base;
        Binding binding = find(name);
        if (binding instanceof Binding.Single || binding instanceof Binding.Vector) {
            Register register = register(name);
            base = switch (register.type().bits()) {
                case 64 -> read(register, Jvm.LONG);
                case 32 -> read(register, Jvm.INT);
                default -> throw fault(register + " is ." + register.type().ptx() + "; expected an address");
            };
            if (small && base.jvm() == Jvm.LONG) {
                base = convert("narrowAddress", base);
            }
        } else {
            checkSpace(name, binding, space);
            base = named(name, small ? Type.U32 : Type.U64, false);
            if (space == Space.GENERIC && !(binding instanceof Binding.Global)) {
                throw fault(name.at(), "a generic access to " + name.name() + "; expected its address in a register");
            }
        }
        if (!small && base.jvm() == Jvm.INT) {
            base = convert("extendU", base);
        }
        return new Address(base, address.offset());
    }

    private void checkSpace(Syntax.Name name, Binding binding, Space space) {
        boolean fits = switch (binding) {
            case Binding.Global global -> space == Space.GLOBAL || space == Space.CONST || space == Space.GENERIC;
            case Binding.Shared shared -> space == Space.SHARED || space == Space.GENERIC;
            case Binding.Local local -> space == Space.LOCAL || space == Space.GENERIC;
            case Binding.Slot slot -> space == Space.PARAM || space == Space.LOCAL;
            case Binding.Parameter parameter -> space == Space.PARAM;
            default -> false;
        };
        if (!fits) {
            throw fault(
                    name.at(),
                    name.name() + " is not in the space of " + instruction().fullName());
        }
    }
}
