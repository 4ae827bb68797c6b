package dev.panamark.ptx.parse;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The syntax tree. Names are not resolved and instructions not understood. */
public final class Syntax {
    private Syntax() {}

    /**
     * A text.
     *
     * @param version as {@code .version} states it, such as {@code 9.0}
     * @param target first name of {@code .target}, such as {@code sm_90a}
     */
    public record Text(
            String version,
            String target,
            List<Variable> variables,
            List<Function> functions,
            Map<String, String> aliases) {}

    /**
     * A kernel or device function.
     *
     * @param body null for a declaration
     * @param limits {@code .maxntid} and the like, by name without the dot
     */
    public record Function(
            boolean entry,
            String name,
            List<Variable> results,
            List<Variable> parameters,
            @Nullable Block body,
            Map<String, List<Long>> limits,
            Position at) {}

    /** What a block of statements holds. */
    public sealed interface Statement permits Block, Variable, Label, Instruction, Prototype, Targets {}

    /** Statements between braces: a scope of names. */
    public record Block(List<Statement> statements, Position at) implements Statement {}

    /**
     * A declaration.
     *
     * @param space {@code reg}, {@code shared}, {@code global}, {@code const}, {@code local} or {@code param}
     * @param type without the dot
     * @param vector 1, 2 or 4
     * @param range of {@code name<range>}, which declares name0 to name(range-1); -1 for a single name
     * @param align in bytes; 0 where it is not given
     * @param dimensions of an array, 0 for one left open; empty for a scalar
     * @param extern also where it is declared only
     */
    public record Variable(
            String space,
            String type,
            int vector,
            String name,
            int range,
            int align,
            List<Long> dimensions,
            List<Initial> initials,
            boolean extern,
            Position at)
            implements Statement {}

    /**
     * One initial value, in the order of memory.
     *
     * @param value an operand without registers
     * @param index element of the variable that it fills
     */
    public record Initial(Operand value, long index) {}

    /** A label before a statement. */
    public record Label(String name, Position at) implements Statement {}

    /** {@code name: .callprototype …;}. */
    public record Prototype(String name) implements Statement {}

    /** {@code name: .branchtargets a, b;} or {@code .calltargets}. */
    public record Targets(String name, List<String> labels, Position at) implements Statement {}

    /**
     * An instruction.
     *
     * @param guard null where it is always executed
     * @param modifiers in order, without dots
     * @param source by {@code .loc}, the innermost; null without
     */
    public record Instruction(
            @Nullable Guard guard,
            String opcode,
            List<String> modifiers,
            List<Operand> operands,
            @Nullable SourceLine source,
            Position at)
            implements Statement {
        /** As written, with all modifiers. */
        public String fullName() {
            return modifiers.isEmpty() ? opcode : opcode + "." + String.join(".", modifiers);
        }
    }

    /** {@code @p} or {@code @!p}. */
    public record Guard(String predicate, boolean negated) {}

    /** What an instruction works on. */
    public sealed interface Operand permits Name, Int, Real, Tuple, Address, Not, Pair, Group, Sink, Sum {}

    /** A register, variable, label or function; {@code component} such as {@code x}, or empty. */
    public record Name(String name, String component, Position at) implements Operand {}

    public record Int(long value, Position at) implements Operand {}

    /** A floating constant: {@code bits} of {@code width} 32 or 64. */
    public record Real(long bits, int width, Position at) implements Operand {}

    /** {@code {a, b}}. */
    public record Tuple(List<Operand> parts, Position at) implements Operand {}

    /**
     * {@code [base+offset]}.
     *
     * @param base null for an absolute address
     * @param coordinates of a texture or tensor; empty else
     */
    public record Address(@Nullable Name base, long offset, List<Operand> coordinates, Position at)
            implements Operand {}

    /** {@code !p}. */
    public record Not(Operand operand, Position at) implements Operand {}

    /** {@code p|q}. */
    public record Pair(Operand first, Operand second, Position at) implements Operand {}

    /** The parenthesised lists of a call. */
    public record Group(List<Operand> parts, Position at) implements Operand {}

    /** {@code _}. */
    public record Sink(Position at) implements Operand {}

    /** {@code variable+offset} outside of brackets. */
    public record Sum(Name base, long offset, Position at) implements Operand {}
}
