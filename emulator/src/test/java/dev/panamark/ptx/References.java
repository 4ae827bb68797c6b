package dev.panamark.ptx;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** The references of an opcode, whichever kind it is of. */
final class References {
    private References() {}

    /** None where nobody knows the opcode. */
    static List<Reference> of(String text) {
        Opcode opcode = Opcode.of(text);
        List<Reference> all = new ArrayList<>(MemoryReferences.of(opcode));
        all.addAll(FlowReferences.of(opcode));
        Stream.of(
                        Conversions.of(opcode),
                        WarpReferences.of(opcode),
                        MemoryReferences.prefetch(opcode),
                        isAccess(opcode) ? null : Reals.of(opcode),
                        isAccess(opcode) ? null : WholeReferences.of(opcode))
                .filter(Objects::nonNull)
                .forEach(all::add);
        return all;
    }

    private static boolean isAccess(Opcode opcode) {
        return List.of("ld", "st", "atom", "cvt", "redux", "bar").contains(opcode.base());
    }
}
