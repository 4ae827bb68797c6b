package dev.panamark.ptx.analyze;

import dev.panamark.ptx.DeviceMemory;
import dev.panamark.ptx.PtxException;
import dev.panamark.ptx.ir.HostVariable;
import dev.panamark.ptx.ir.Type;
import dev.panamark.ptx.parse.Syntax;
import dev.panamark.ptx.runtime.HalfOps;
import dev.panamark.ptx.runtime.Memory;
import java.util.ArrayList;
import java.util.List;

/** What variables of global memory hold at first. */
final class VariableImages {
    private final String source;
    private final ModuleNames module;

    private VariableImages(String source, ModuleNames module) {
        this.source = source;
        this.module = module;
    }

    static List<HostVariable> of(String source, ModuleNames module) {
        VariableImages images = new VariableImages(source, module);
        List<HostVariable> all = new ArrayList<>();
        for (Syntax.Variable variable : module.variables()) {
            all.add(images.image(variable));
        }
        return List.copyOf(all);
    }

    private HostVariable image(Syntax.Variable variable) {
        Type type = Layout.element(source, variable);
        long bytes = Layout.bytes(source, variable);
        if (Layout.alignment(source, variable) > DeviceMemory.ALIGNMENT) {
            throw fault(
                    variable,
                    "has an alignment of " + Layout.alignment(source, variable) + "; expected at most "
                            + DeviceMemory.ALIGNMENT);
        }
        long filled = 0;
        for (Syntax.Initial initial : variable.initials()) {
            filled = Math.max(filled, (initial.index() + 1) * type.bytes());
        }
        if (filled > bytes || filled > Integer.MAX_VALUE / 2) {
            throw fault(variable, "has initial values beyond its end");
        }
        byte[] image = new byte[(int) filled];
        List<HostVariable.Reference> references = new ArrayList<>();
        for (Syntax.Initial initial : variable.initials()) {
            int at = (int) initial.index() * type.bytes();
            switch (initial.value()) {
                case Syntax.Int number -> put(image, at, type, number(number.value(), type));
                case Syntax.Real number -> put(image, at, type, number(number, type));
                case Syntax.Name name -> address(variable, name, 0, at, type, image, references);
                case Syntax.Sum sum -> address(variable, sum.base(), sum.offset(), at, type, image, references);
                default -> throw fault(variable, "has an initial value that is neither a number nor an address");
            }
        }
        return new HostVariable(variable.name(), bytes, image, List.copyOf(references));
    }

    private static void put(byte[] image, int at, Type type, long bits) {
        Memory.store(image, at, type.bytes(), bits);
    }

    private static long number(long value, Type type) {
        return switch (type) {
            case F32 -> Float.floatToRawIntBits((float) value);
            case F64 -> Double.doubleToRawLongBits((double) value);
            default -> value;
        };
    }

    private static long number(Syntax.Real number, Type type) {
        double exact = number.width() == 64
                ? Double.longBitsToDouble(number.bits())
                : Float.intBitsToFloat((int) number.bits());
        return switch (type) {
            case F32 -> number.width() == 32 ? number.bits() : Float.floatToRawIntBits((float) exact);
            case F64 -> number.width() == 64 ? number.bits() : Double.doubleToRawLongBits(exact);
            case F16 -> HalfOps.fromFloat((float) exact, 0);
            case BF16 -> HalfOps.fromFloat((float) exact, 1);
            default -> number.bits();
        };
    }

    private void address(
            Syntax.Variable variable,
            Syntax.Name name,
            long offset,
            int at,
            Type type,
            byte[] image,
            List<HostVariable.Reference> references) {
        if (type.bits() < 32 || type.real()) {
            throw fault(variable, "holds the address of " + name.name() + " in ." + type.ptx());
        }
        switch (module.bindings().get(name.name())) {
            case Binding.Global global ->
                references.add(new HostVariable.Reference(at, global.variable(), offset, type.bytes()));
            case Binding.Function function ->
                put(
                        image,
                        at,
                        type,
                        Emitter.functionAddress(module.functionNumber(module.definition(function.function()))));
            case null, default ->
                throw fault(
                        variable,
                        "holds the address of " + name.name()
                                + ", which is no variable of global memory and no function");
        }
    }

    private PtxException fault(Syntax.Variable variable, String fault) {
        return new PtxException(source, variable.at().line(), variable.at().column(), variable.name() + " " + fault);
    }
}
