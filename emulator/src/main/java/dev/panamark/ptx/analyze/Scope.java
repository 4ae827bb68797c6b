package dev.panamark.ptx.analyze;

import dev.panamark.ptx.ir.Register;
import dev.panamark.ptx.ir.Registers;
import dev.panamark.ptx.ir.Type;
import dev.panamark.ptx.parse.Syntax;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Names of one block; what it does not know its parent may. Registers come into being when they are first named. */
final class Scope {
    private final @Nullable Scope parent;
    private final Registers registers;
    private final Function<String, @Nullable Binding> outside;
    private final Map<String, Binding> names = new HashMap<>();
    private final Map<String, Syntax.Variable> ranges = new HashMap<>();

    Scope(Scope parent, Registers registers) {
        this.parent = parent;
        this.registers = registers;
        this.outside = name -> null;
    }

    /** The outermost, which asks for what it does not know. */
    Scope(Registers registers, Function<String, @Nullable Binding> outside) {
        this.parent = null;
        this.registers = registers;
        this.outside = outside;
    }

    /** False where the name is taken in this block. */
    boolean put(String name, Binding binding) {
        return names.putIfAbsent(name, binding) == null;
    }

    boolean putRange(Syntax.Variable variable) {
        return ranges.putIfAbsent(variable.name(), variable) == null;
    }

    @Nullable
    Binding find(String name) {
        for (Scope scope = this; scope != null; scope = scope.parent) {
            Binding binding = scope.own(name);
            binding = binding == null ? scope.outside.apply(name) : binding;
            if (binding != null) {
                return binding;
            }
        }
        return null;
    }

    private @Nullable Binding own(String name) {
        Binding known = names.get(name);
        if (known != null || ranges.isEmpty()) {
            return known;
        }
        int digits = name.length();
        while (digits > 0 && name.charAt(digits - 1) >= '0' && name.charAt(digits - 1) <= '9') {
            digits--;
            Binding binding = ofRange(name, digits);
            if (binding != null) {
                names.put(name, binding);
                return binding;
            }
        }
        return null;
    }

    private @Nullable Binding ofRange(String name, int digits) {
        Syntax.Variable range = ranges.get(name.substring(0, digits));
        String number = name.substring(digits);
        boolean canonical = number.length() == 1 || !number.startsWith("0");
        if (range == null || !canonical || number.length() > 7 || Integer.parseInt(number) >= range.range()) {
            return null;
        }
        return register(name, range);
    }

    /** New registers for a declaration of one name. */
    Binding register(String name, Syntax.Variable variable) {
        Type type = Type.of(variable.type());
        if (type == null || type == Type.B128) {
            throw new IllegalStateException("registers of type ." + variable.type() + " are not supported");
        }
        if (variable.vector() == 1) {
            return new Binding.Single(registers.add(name, type));
        }
        List<Register> parts = new ArrayList<>();
        for (int i = 0; i < variable.vector(); i++) {
            parts.add(registers.add(name + "." + "xyzw".charAt(i), type));
        }
        return new Binding.Vector(List.copyOf(parts));
    }
}
