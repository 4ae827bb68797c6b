package dev.panamark.ptx.ir;

import dev.panamark.ptx.parse.Position;
import dev.panamark.ptx.parse.SourceLine;
import org.jspecify.annotations.Nullable;

/**
 * An instruction of the text.
 *
 * @param index among all of the kernel, calls inlined
 * @param name opcode and modifiers
 * @param flops floating-point operations of one lane: 1 for add, sub and mul, 2 for fma, packed ones twice that
 * @param flopType of these; null without any
 */
public record Site(
        int index,
        String name,
        Position at,
        @Nullable SourceLine source,
        InstructionClass kind,
        int flops,
        @Nullable Type flopType) {
    /** Where it is, for messages. */
    public String where() {
        return "line " + at.line() + (source == null ? "" : " (" + source + ")");
    }
}
