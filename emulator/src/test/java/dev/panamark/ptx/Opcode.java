package dev.panamark.ptx;

import java.util.Arrays;
import java.util.List;

/** An opcode with its modifiers, taken apart without the emulator. */
record Opcode(String text, String base, List<String> modifiers) {
    private static final List<String> ROUNDINGS = List.of("rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi");

    static Opcode of(String text) {
        List<String> parts = Arrays.asList(text.split("\\."));
        return new Opcode(text, parts.getFirst(), parts.subList(1, parts.size()));
    }

    boolean has(String modifier) {
        return modifiers.contains(modifier);
    }

    /** The first of these that it has; empty for none. */
    String any(String... choices) {
        return modifiers.stream()
                .filter(Arrays.asList(choices)::contains)
                .findFirst()
                .orElse("");
    }

    /** The names of types among the modifiers, in order. */
    List<String> types() {
        return modifiers.stream().filter(Operand::isType).toList();
    }

    /** The only or last type, which is that of the operands. */
    String type() {
        return types().isEmpty() ? "" : types().getLast();
    }

    /** The modifier that says how it rounds; empty for none. */
    String direction() {
        return any(ROUNDINGS.toArray(new String[0]));
    }

    Exact.Rounding rounding() {
        return Exact.Rounding.of(direction());
    }
}
