package dev.panamark.ptx.analyze;

import dev.panamark.ptx.ir.Register;
import dev.panamark.ptx.parse.Syntax;
import java.util.List;

/** What a name means. */
sealed interface Binding {
    record Single(Register register) implements Binding {}

    record Vector(List<Register> registers) implements Binding {}

    /** The module's variable of that number, in global memory. */
    record Global(int variable) implements Binding {}

    /** At {@code offset} of shared memory; of dynamic shared memory if {@code dynamic}. */
    record Shared(int offset, boolean dynamic) implements Binding {}

    record Local(int offset) implements Binding {}

    /** A parameter of the kernel. */
    record Parameter(int offset, int bytes) implements Binding {}

    /** A parameter of a device function, kept in local memory. */
    record Slot(int offset, int bytes) implements Binding {}

    record Function(Syntax.Function function) implements Binding {}

    record Label(int number) implements Binding {}

    record Prototype() implements Binding {}

    record Targets(List<String> labels) implements Binding {}
}
