package dev.panamark.ptx;

import java.util.Arrays;
import java.util.List;

/**
 * An opcode with its modifiers, taken apart without the emulator.
 *
 * @param base what stands before the first dot
 * @param modifiers in order, without dots
 * @param direction the modifier that says how it rounds; empty for none
 * @param rounding what it says
 */
record Opcode(String text, String base, List<String> modifiers, String direction, Exact.Rounding rounding) {
    private static final List<String> ROUNDINGS = List.of("rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi");

    static Opcode of(String text) {
        List<String> parts = Arrays.asList(text.split("\\."));
        List<String> modifiers = List.copyOf(parts.subList(1, parts.size()));
        String direction =
                modifiers.stream().filter(ROUNDINGS::contains).findFirst().orElse("");
        return new Opcode(text, parts.getFirst(), modifiers, direction, Exact.Rounding.of(direction));
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
}
