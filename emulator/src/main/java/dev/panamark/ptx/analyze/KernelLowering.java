package dev.panamark.ptx.analyze;

import static dev.panamark.ptx.analyze.Emitter.compare;
import static dev.panamark.ptx.analyze.Emitter.constant;

import dev.panamark.ptx.ir.Action;
import dev.panamark.ptx.ir.Address;
import dev.panamark.ptx.ir.Expr;
import dev.panamark.ptx.ir.Guard;
import dev.panamark.ptx.ir.InstructionClass;
import dev.panamark.ptx.ir.KernelCode;
import dev.panamark.ptx.ir.Op;
import dev.panamark.ptx.ir.Register;
import dev.panamark.ptx.ir.Site;
import dev.panamark.ptx.ir.Space;
import dev.panamark.ptx.ir.Type;
import dev.panamark.ptx.parse.Syntax;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One kernel from syntax to segments. Calls are inlined, so that a kernel has one frame a thread: parameters of
 * device functions are local memory, and what calls itself is refused.
 */
final class KernelLowering {
    private static final int MOST_LOCAL = 512 * 1024;

    private final ModuleNames module;
    private final Emitter emitter;
    private final ArithmeticDecoder arithmetic;
    private final LogicDecoder logic;
    private final ConvertDecoder conversions;
    private final MemoryDecoder memory;
    private final WarpDecoder warps;
    private final TensorDecoder tensors;
    private final MbarrierDecoder mbarriers;
    private final AsyncDecoder asynchronous;
    private final Map<String, Binding.Shared> shared = new HashMap<>();
    private final Deque<Syntax.Function> calls = new ArrayDeque<>();
    private int sharedBytes;
    private int dynamicAlignment = 16;
    private int localBytes;
    private int returnLabel = -1;
    private int reservedAt = -1;

    private KernelLowering(ModuleNames module) {
        this.module = module;
        emitter = new Emitter(module.source(), module.addressTaken(), this::reserved);
        arithmetic = new ArithmeticDecoder(emitter);
        logic = new LogicDecoder(emitter);
        conversions = new ConvertDecoder(emitter);
        memory = new MemoryDecoder(emitter);
        warps = new WarpDecoder(emitter);
        tensors = new TensorDecoder(emitter);
        mbarriers = new MbarrierDecoder(emitter);
        asynchronous = new AsyncDecoder(emitter, mbarriers);
    }

    static KernelCode lower(ModuleNames module, Syntax.Function kernel, ParameterLayout parameters) {
        return new KernelLowering(module).kernel(kernel, parameters);
    }

    private KernelCode kernel(Syntax.Function kernel, ParameterLayout parameters) {
        Scope scope = moduleScope();
        parameters.all().forEach(p -> scope.put(p.name(), new Binding.Parameter(p.offset(), p.bytes())));
        Syntax.Block body = kernel.body();
        if (body == null) {
            throw emitter.fault(kernel.at(), "kernel " + kernel.name() + " has no body");
        }
        calls.push(kernel);
        emitter.scope(scope);
        block(body);
        end(kernel);
        return SegmentBuilder.build(
                kernel.name(), emitter, parameters.bytes(), sharedBytes, dynamicAlignment, (localBytes + 15) / 16 * 16);
    }

    /** A text may leave the last ret out. */
    private void end(Syntax.Function function) {
        emitter.begin(new Syntax.Instruction(null, "ret", List.of(), List.of(), null, function.at()));
        Site site = emitter.site(InstructionClass.NONE);
        emitter.add(new Item.Stop(site));
    }

    private Scope moduleScope() {
        return new Scope(emitter.registers, this::ofModule);
    }

    private @Nullable Binding ofModule(String name) {
        Syntax.Variable variable = module.shared().get(name);
        if (variable == null) {
            return module.bindings().get(name);
        }
        // Only what a kernel names takes room in its blocks.
        Binding.Shared known = shared.get(name);
        if (known == null) {
            known = sharedVariable(variable);
            shared.put(name, known);
        }
        return known;
    }

    private void block(Syntax.Block block) {
        Scope outer = emitter.scope();
        Scope scope = new Scope(outer, emitter.registers);
        emitter.scope(scope);
        for (Syntax.Statement statement : block.statements()) {
            declare(scope, statement);
        }
        for (Syntax.Statement statement : block.statements()) {
            switch (statement) {
                case Syntax.Block inner -> block(inner);
                case Syntax.Label label -> emitter.add(new Item.Mark(label(scope, label.name())));
                case Syntax.Instruction instruction -> instruction(instruction);
                case Syntax.Variable variable -> variable(scope, variable);
                case Syntax.Prototype prototype -> {}
                case Syntax.Targets targets -> {}
            }
        }
        emitter.scope(outer);
    }

    /** Labels may be named before they come. */
    private void declare(Scope scope, Syntax.Statement statement) {
        switch (statement) {
            case Syntax.Label label -> {
                if (!scope.put(label.name(), new Binding.Label(emitter.newLabel()))) {
                    throw emitter.fault(label.at(), label.name() + " is declared twice");
                }
            }
            case Syntax.Prototype prototype -> scope.put(prototype.name(), new Binding.Prototype());
            case Syntax.Targets targets -> scope.put(targets.name(), new Binding.Targets(targets.labels()));
            default -> {}
        }
    }

    private static int label(Scope scope, String name) {
        return scope.find(name) instanceof Binding.Label label ? label.number() : -1;
    }

    private void variable(Scope scope, Syntax.Variable variable) {
        boolean fresh = switch (variable.space()) {
            case "reg" -> registers(scope, variable);
            case "shared" -> scope.put(variable.name(), sharedVariable(variable));
            case "local" -> scope.put(variable.name(), new Binding.Local(local(variable)));
            case "param" -> {
                int offset = local(variable);
                yield scope.put(variable.name(), new Binding.Slot(offset, localBytes - offset));
            }
            default -> scope.put(variable.name(), module.local(variable));
        };
        if (!fresh) {
            throw emitter.fault(variable.at(), variable.name() + " is declared twice");
        }
    }

    private boolean registers(Scope scope, Syntax.Variable variable) {
        Type type = Type.of(variable.type());
        if (type == null || type == Type.B128) {
            throw emitter.fault(variable.at(), "registers of type ." + variable.type() + " are not supported");
        }
        return variable.range() >= 0
                ? scope.putRange(variable)
                : scope.put(variable.name(), scope.register(variable.name(), variable));
    }

    private Binding.Shared sharedVariable(Syntax.Variable variable) {
        if (variable.extern()) {
            dynamicAlignment = Math.max(dynamicAlignment, Layout.alignment(module.source(), variable));
            return new Binding.Shared(0, true);
        }
        long bytes = Layout.bytes(module.source(), variable);
        long offset = Layout.align(sharedBytes, Layout.alignment(module.source(), variable));
        if (offset + bytes > Integer.MAX_VALUE / 2) {
            throw emitter.fault(variable.at(), variable.name() + " does not fit shared memory");
        }
        sharedBytes = (int) (offset + bytes);
        return new Binding.Shared((int) offset, false);
    }

    private int reserved() {
        if (reservedAt < 0) {
            reservedAt = (int) Layout.align(sharedBytes, 1024);
            sharedBytes = reservedAt + 1024;
        }
        return reservedAt;
    }

    private int local(Syntax.Variable variable) {
        long bytes = Layout.bytes(module.source(), variable);
        long offset = Layout.align(localBytes, Layout.alignment(module.source(), variable));
        if (offset + bytes > MOST_LOCAL) {
            throw emitter.fault(
                    variable.at(), variable.name() + " does not fit the " + MOST_LOCAL + " bytes of local memory");
        }
        localBytes = (int) (offset + bytes);
        return (int) offset;
    }

    private void instruction(Syntax.Instruction instruction) {
        emitter.begin(instruction);
        String opcode = instruction.opcode();
        Modifiers modifiers = new Modifiers(instruction.modifiers());
        switch (opcode) {
            case "bra" -> branch(modifiers);
            case "brx" -> indexed(modifiers);
            case "ret" -> leave(modifiers, returnLabel);
            case "exit" -> leave(modifiers, -1);
            case "call" -> around(() -> call(modifiers));
            case "trap" -> {
                emitter.finish(modifiers);
                Site site = emitter.site(InstructionClass.CONTROL);
                emitter.add(new Op.Trap(site, emitter.guard(), "trap"));
            }
            case "brkpt", "pmevent", "setmaxnreg", "griddepcontrol", "createpolicy" -> ignored(opcode);
            default -> {
                if (WarpDecoder.handles(opcode)) {
                    around(() -> warps.decode(opcode, modifiers));
                } else if (TensorDecoder.handles(opcode)) {
                    around(() -> tensors.decode(opcode, modifiers));
                } else if (!arithmetic.decode(opcode, modifiers)
                        && !logic.decode(opcode, modifiers)
                        && !conversions.decode(opcode, modifiers)
                        && !memory.decode(opcode, modifiers)
                        && !mbarriers.decode(opcode, modifiers)
                        && !asynchronous.decode(opcode, modifiers)) {
                    throw emitter.unsupported();
                }
            }
        }
    }

    /** A guarded instruction that is not one op: lanes without it jump over it. */
    private void around(Runnable inner) {
        Guard guard = emitter.guard();
        if (guard == null) {
            inner.run();
            return;
        }
        emitter.unguarded();
        int over = emitter.newLabel();
        Site site = emitter.site(InstructionClass.NONE);
        emitter.add(new Item.If(site, guard.predicate(), !guard.negated(), over));
        inner.run();
        emitter.add(new Item.Mark(over));
    }

    private void ignored(String opcode) {
        if (opcode.equals("createpolicy")) {
            // Policies are hints; a register that holds one must have some value.
            Site site = emitter.site(InstructionClass.OTHER);
            emitter.add(new Op.Assign(site, emitter.guard(), emitter.register(emitter.operand(0)), Expr.Const.of(0L)));
            return;
        }
        Site site = emitter.site(InstructionClass.OTHER);
        emitter.add(
                opcode.equals("brkpt")
                        ? new Op.Trap(site, emitter.guard(), "brkpt")
                        : new Op.Nothing(site, emitter.guard()));
    }

    private void branch(Modifiers modifiers) {
        modifiers.take("uni");
        emitter.finish(modifiers);
        emitter.operands(1, 1);
        if (!(emitter.operand(0) instanceof Syntax.Name name) || !(emitter.find(name) instanceof Binding.Label label)) {
            throw emitter.fault("the operand is not a label");
        }
        go(label.number());
    }

    private void go(int label) {
        Guard guard = emitter.guard();
        Site site = emitter.site(InstructionClass.CONTROL);
        emitter.add(
                guard == null
                        ? new Item.Go(site, label, true)
                        : new Item.If(site, guard.predicate(), guard.negated(), label));
    }

    private void leave(Modifiers modifiers, int to) {
        modifiers.take("uni");
        emitter.finish(modifiers);
        emitter.operands(0, 0);
        if (to >= 0) {
            go(to);
            return;
        }
        around(() -> {
            Site site = emitter.site(InstructionClass.CONTROL);
            emitter.add(new Item.Stop(site));
        });
    }

    private void indexed(Modifiers modifiers) {
        modifiers.take("uni");
        modifiers.take("idx");
        emitter.finish(modifiers);
        emitter.operands(2, 2);
        if (!(emitter.operand(1) instanceof Syntax.Name name)
                || !(emitter.find(name) instanceof Binding.Targets targets)) {
            throw emitter.fault("the second operand is not a list of branch targets");
        }
        Scope scope = emitter.scope();
        around(() -> {
            Site site = emitter.site(InstructionClass.CONTROL);
            Expr index = emitter.value(emitter.operand(0), Type.U32);
            for (int i = 0; i < targets.labels().size(); i++) {
                int label = label(scope, targets.labels().get(i));
                if (label < 0) {
                    throw emitter.fault("unknown label " + targets.labels().get(i));
                }
                Register is = emitter.temporary(Type.PRED);
                emitter.put(is, compare("eq32", index, constant(i)));
                emitter.add(new Item.If(site, is, false, label));
            }
            emitter.add(new Op.Trap(
                    site, null, "an index beyond the " + targets.labels().size() + " targets of the branch"));
        });
    }

    // Calls.

    private void call(Modifiers modifiers) {
        modifiers.take("uni");
        emitter.finish(modifiers);
        Site site = emitter.site(InstructionClass.CONTROL);
        List<Syntax.Operand> operands = emitter.instruction().operands();
        int i = 0;
        List<Syntax.Operand> results = List.of();
        if (operands.size() > i && operands.get(i) instanceof Syntax.Group group) {
            results = group.parts();
            i++;
        }
        if (operands.size() <= i || !(operands.get(i) instanceof Syntax.Name target)) {
            throw emitter.fault("no function; expected its name or a register with its address");
        }
        i++;
        List<Syntax.Operand> arguments = List.of();
        if (operands.size() > i && operands.get(i) instanceof Syntax.Group group) {
            arguments = group.parts();
        }
        Binding binding = emitter.find(target);
        if (binding instanceof Binding.Function function) {
            direct(site, module.definition(function.function()), results, arguments);
        } else {
            indirect(site, target, results, arguments);
        }
    }

    private void indirect(Site site, Syntax.Name target, List<Syntax.Operand> results, List<Syntax.Operand> arguments) {
        Expr address = emitter.value(target, Type.U64);
        int done = emitter.newLabel();
        Syntax.Instruction instruction = emitter.instruction();
        List<Syntax.Function> candidates = module.addressTaken();
        for (int i = 0; i < candidates.size(); i++) {
            Syntax.Function candidate = module.definition(candidates.get(i));
            if (candidate.body() == null
                    || calls.contains(candidate)
                    || candidate.parameters().size() != arguments.size()
                    || candidate.results().size() != results.size()) {
                continue;
            }
            int other = emitter.newLabel();
            Register is = emitter.temporary(Type.PRED);
            emitter.put(is, compare("eq64", address, Expr.Const.of((long) Emitter.functionAddress(i))));
            emitter.add(new Item.If(site, is, true, other));
            direct(site, candidate, results, arguments);
            emitter.begin(instruction);
            emitter.unguarded();
            Site again = emitter.site(InstructionClass.NONE);
            emitter.add(new Item.Go(again, done, false));
            emitter.add(new Item.Mark(other));
        }
        Site trap = emitter.site(InstructionClass.NONE);
        emitter.add(new Op.Trap(trap, null, "call of an address that no function of that signature has"));
        emitter.add(new Item.Mark(done));
    }

    private void direct(
            Site site, Syntax.Function function, List<Syntax.Operand> results, List<Syntax.Operand> arguments) {
        Syntax.Block body = function.body();
        if (body == null) {
            external(site, function, results, arguments);
            return;
        }
        if (calls.contains(function)) {
            throw emitter.fault("function " + function.name() + " calls itself, which is not supported");
        }
        if (function.parameters().size() != arguments.size()
                || function.results().size() != results.size()) {
            throw emitter.fault(
                    function.name() + " has " + function.parameters().size() + " parameters and "
                            + function.results().size() + " results; expected as many here");
        }
        Syntax.Instruction instruction = emitter.instruction();
        Scope caller = emitter.scope();
        Scope scope = moduleScope();
        for (int i = 0; i < arguments.size(); i++) {
            argument(scope, function.parameters().get(i), arguments.get(i));
        }
        for (int i = 0; i < results.size(); i++) {
            result(scope, function.results().get(i), results.get(i));
        }
        int outerReturn = returnLabel;
        boolean outerInlined = emitter.inlined;
        returnLabel = emitter.newLabel();
        emitter.inlined = true;
        calls.push(function);
        emitter.scope(scope);
        block(body);
        emitter.scope(caller);
        calls.pop();
        emitter.add(new Item.Mark(returnLabel));
        returnLabel = outerReturn;
        emitter.inlined = outerInlined;
        emitter.begin(instruction);
        emitter.unguarded();
        emitter.site(InstructionClass.NONE);
        for (int i = 0; i < results.size(); i++) {
            if (function.results().get(i).space().equals("reg")
                    && scope.find(function.results().get(i).name()) instanceof Binding.Single single) {
                Register from = single.register();
                emitter.assign(results.get(i), emitter.read(from, from.type().jvm()), from.type());
            }
        }
    }

    private void argument(Scope scope, Syntax.Variable formal, Syntax.Operand actual) {
        if (formal.space().equals("reg")) {
            Register register = formal(scope, formal);
            emitter.put(register, emitter.value(actual, register.type()));
            return;
        }
        if (actual instanceof Syntax.Name name && emitter.find(name) instanceof Binding.Slot slot) {
            if (Layout.bytes(module.source(), formal) > slot.bytes()) {
                throw emitter.fault(name.name() + " is smaller than the parameter " + formal.name());
            }
            scope.put(formal.name(), slot);
            return;
        }
        // A value where the function expects a parameter in memory.
        int offset = local(formal);
        scope.put(formal.name(), new Binding.Slot(offset, localBytes - offset));
        Type type = Type.of(formal.type());
        if (type == null || !formal.dimensions().isEmpty()) {
            throw emitter.fault("an argument of " + formal.name() + " is not a parameter variable");
        }
        emitter.add(new Op.Store(
                emitter.site(),
                null,
                Space.LOCAL,
                type,
                List.of(emitter.value(actual, type)),
                new Address(constant(offset), 0)));
    }

    /** The register of a parameter or result that is one. */
    private Register formal(Scope scope, Syntax.Variable variable) {
        if (!registers(scope, variable)) {
            throw emitter.fault(variable.at(), variable.name() + " is declared twice");
        }
        if (scope.find(variable.name()) instanceof Binding.Single single) {
            return single.register();
        }
        throw emitter.fault(
                variable.at(), variable.name() + " is more than one register; expected one that holds a single value");
    }

    private void result(Scope scope, Syntax.Variable formal, Syntax.Operand actual) {
        if (formal.space().equals("reg")) {
            formal(scope, formal);
        } else if (actual instanceof Syntax.Name name && emitter.find(name) instanceof Binding.Slot slot) {
            if (Layout.bytes(module.source(), formal) > slot.bytes()) {
                throw emitter.fault(name.name() + " is smaller than the result " + formal.name());
            }
            scope.put(formal.name(), slot);
        } else {
            throw emitter.fault("a result is not a parameter variable");
        }
    }

    /** Functions of the device runtime. */
    private void external(
            Site site, Syntax.Function function, List<Syntax.Operand> results, List<Syntax.Operand> arguments) {
        switch (function.name()) {
            case "__assertfail" -> {
                expect(function, results, 0, arguments, 5);
                Expr text = external(arguments.get(0), Type.B64);
                Expr file = external(arguments.get(1), Type.B64);
                Expr line = external(arguments.get(2), Type.B32);
                Expr in = external(arguments.get(3), Type.B64);
                emitter.add(new Item.Cut());
                emitter.add(new Op.Act(site, null, Action.FAIL_ASSERTION, List.of(text, file, in, line), null));
            }
            case "vprintf" -> {
                expect(function, results, 1, arguments, 2);
                Expr format = external(arguments.get(0), Type.B64);
                Expr values = external(arguments.get(1), Type.B64);
                Register printed = emitter.temporary(Type.B32);
                emitter.add(new Item.Cut());
                emitter.add(new Op.Act(site, null, Action.PRINT, List.of(format, values), printed));
                emitter.add(new Item.Cut());
                external(site, results.get(0), printed, Type.B32);
            }
            case "malloc" -> {
                expect(function, results, 1, arguments, 1);
                Expr bytes = external(arguments.get(0), Type.B64);
                Register address = emitter.temporary(Type.B64);
                emitter.add(new Item.Cut());
                emitter.add(new Op.Act(site, null, Action.ALLOCATE, List.of(bytes), address));
                emitter.add(new Item.Cut());
                external(site, results.get(0), address, Type.B64);
            }
            case "free" -> {
                expect(function, results, 0, arguments, 1);
                Expr address = external(arguments.get(0), Type.B64);
                emitter.add(new Item.Cut());
                emitter.add(new Op.Act(site, null, Action.FREE, List.of(address), null));
                emitter.add(new Item.Cut());
            }
            default ->
                throw emitter.unsupported("call of " + function.name()
                        + ", which has no body in this text; without one only vprintf, __assertfail, malloc and free are"
                        + " emulated, no launches by kernels and nothing that is linked from elsewhere");
        }
    }

    /** Hands a result of a function of the device runtime on. */
    private void external(Site site, Syntax.Operand result, Register value, Type type) {
        if (result instanceof Syntax.Name name && emitter.find(name) instanceof Binding.Slot slot) {
            emitter.add(new Op.Store(
                    site,
                    null,
                    Space.LOCAL,
                    type,
                    List.of(emitter.read(value, type.jvm())),
                    new Address(constant(slot.offset()), 0)));
        }
    }

    private void expect(
            Syntax.Function function,
            List<Syntax.Operand> results,
            int resultCount,
            List<Syntax.Operand> arguments,
            int argumentCount) {
        if (results.size() != resultCount || arguments.size() != argumentCount) {
            throw emitter.fault(function.name() + " with " + results.size() + " results and " + arguments.size()
                    + " arguments; expected " + resultCount + " and " + argumentCount);
        }
    }

    /** What is given to a function of the device runtime, from a parameter variable or as it is. */
    private Expr external(Syntax.Operand actual, Type type) {
        if (!(actual instanceof Syntax.Name name) || !(emitter.find(name) instanceof Binding.Slot slot)) {
            return emitter.value(actual, type);
        }
        Register value = emitter.temporary(type);
        value.used(type.jvm());
        emitter.add(new Op.Load(
                emitter.site(), null, Space.LOCAL, type, List.of(value), new Address(constant(slot.offset()), 0)));
        return emitter.read(value, type.jvm());
    }
}
