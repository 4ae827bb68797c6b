package dev.panamark.ptx.ir;

import dev.panamark.ptx.parse.Position;
import dev.panamark.ptx.parse.SourceLine;
import org.jspecify.annotations.Nullable;

/**
 * An instruction of the text.
 *
 * @param index among all of the kernel, calls inlined
 * @param name opcode and modifiers
 * @param flops operations of one lane: 1 for add, sub and mul, 2 for fma, packed ones twice that; of a product of matrices
 *     its part of 2 m n k
 * @param flopClass of these: a type, or {@code tensor_} with that of the multiplicands; null without any
 */
public record Site(
        int index,
        String name,
        Position at,
        @Nullable SourceLine source,
        InstructionClass kind,
        int flops,
        @Nullable String flopClass) {
    /** Where it is, for messages. */
    public String where() {
        return "line " + at.line() + (source == null ? "" : " (" + source + ")");
    }
}
