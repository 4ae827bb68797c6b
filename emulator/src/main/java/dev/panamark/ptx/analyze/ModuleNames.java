package dev.panamark.ptx.analyze;

import dev.panamark.ptx.PtxException;
import dev.panamark.ptx.parse.Syntax;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the functions of a text can name. */
final class ModuleNames {
    private final String source;
    private final Map<String, Binding> bindings = new HashMap<>();
    private final Map<String, Syntax.Variable> shared = new HashMap<>();
    private final Map<String, Syntax.Function> definitions = new LinkedHashMap<>();
    private final List<Syntax.Function> addressTaken = new ArrayList<>();
    private final List<Syntax.Variable> variables = new ArrayList<>();

    ModuleNames(String source, Syntax.Text text) {
        this.source = source;
        for (Syntax.Function function : text.functions()) {
            Syntax.Function known = definitions.get(function.name());
            if (known != null && known.body() != null && function.body() != null) {
                throw new PtxException(
                        source, function.at().line(), function.at().column(), function.name() + " is defined twice");
            }
            if (known == null || known.body() == null) {
                definitions.put(function.name(), function);
            }
        }
        text.aliases().forEach((alias, name) -> {
            Syntax.Function aliased = definitions.get(name);
            if (aliased != null) {
                definitions.put(alias, aliased);
            }
        });
        definitions.forEach((name, function) -> bindings.put(name, new Binding.Function(function)));
        for (Syntax.Variable variable : text.variables()) {
            if (variable.space().equals("shared")) {
                shared.putIfAbsent(variable.name(), variable);
            } else {
                global(variable);
            }
        }
        for (Syntax.Variable variable : text.variables()) {
            for (Syntax.Initial initial : variable.initials()) {
                takeAddress(initial.value());
            }
        }
        for (Syntax.Function function : definitions.values()) {
            if (function.body() != null) {
                findAddresses(function.body());
            }
        }
    }

    private void global(Syntax.Variable variable) {
        Binding known = bindings.get(variable.name());
        if (known instanceof Binding.Global global) {
            // A declaration and its definition.
            if (!variable.extern()) {
                variables.set(global.variable(), variable);
            }
            return;
        }
        bindings.put(variable.name(), new Binding.Global(variables.size()));
        variables.add(variable);
    }

    /** A variable in global memory that only one function names. */
    Binding local(Syntax.Variable variable) {
        for (int i = 0; i < variables.size(); i++) {
            if (variables.get(i).at().equals(variable.at())) {
                return new Binding.Global(i);
            }
        }
        variables.add(variable);
        return new Binding.Global(variables.size() - 1);
    }

    private void findAddresses(Syntax.Block block) {
        for (Syntax.Statement statement : block.statements()) {
            if (statement instanceof Syntax.Block inner) {
                findAddresses(inner);
            } else if (statement instanceof Syntax.Instruction instruction
                    && !instruction.opcode().equals("call")) {
                instruction.operands().forEach(this::takeAddress);
            }
        }
    }

    private void takeAddress(Syntax.Operand operand) {
        String name = operand instanceof Syntax.Name n
                ? n.name()
                : operand instanceof Syntax.Sum s ? s.base().name() : "";
        Syntax.Function function = definitions.get(name);
        if (function != null && !addressTaken.contains(function)) {
            addressTaken.add(function);
        }
    }

    String source() {
        return source;
    }

    Map<String, Binding> bindings() {
        return bindings;
    }

    Map<String, Syntax.Variable> shared() {
        return shared;
    }

    List<Syntax.Function> addressTaken() {
        return Collections.unmodifiableList(addressTaken);
    }

    /** In global memory, in the order of their numbers. */
    List<Syntax.Variable> variables() {
        return Collections.unmodifiableList(variables);
    }

    /** The number of a function whose address is taken; -1 for none. */
    int functionNumber(Syntax.Function function) {
        return addressTaken.indexOf(function);
    }

    Syntax.Function definition(Syntax.Function function) {
        return definitions.getOrDefault(function.name(), function);
    }
}
