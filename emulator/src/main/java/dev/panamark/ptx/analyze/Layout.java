package dev.panamark.ptx.analyze;

import dev.panamark.ptx.PtxException;
import dev.panamark.ptx.ir.Type;
import dev.panamark.ptx.parse.Syntax;

/** Sizes of variables. */
final class Layout {
    private static final long MOST = 1L << 40;

    private Layout() {}

    static Type element(String source, Syntax.Variable variable) {
        Type type = Type.of(variable.type());
        if (type == null || type == Type.PRED) {
            throw new PtxException(
                    source,
                    variable.at().line(),
                    variable.at().column(),
                    variable.name() + " has type ." + variable.type() + ", which memory does not hold here");
        }
        return type;
    }

    /** Of all elements; an open dimension counts what its initial values fill. */
    static long bytes(String source, Syntax.Variable variable) {
        long count = variable.vector();
        for (int i = 0; i < variable.dimensions().size(); i++) {
            long dimension = variable.dimensions().get(i);
            if (dimension == 0 && i == 0) {
                long filled = 0;
                for (Syntax.Initial initial : variable.initials()) {
                    filled = Math.max(filled, initial.index() + 1);
                }
                dimension = filled;
            }
            count *= dimension;
            if (count > MOST) {
                throw new PtxException(
                        source, variable.at().line(), variable.at().column(), variable.name() + " is too large");
            }
        }
        return count * element(source, variable).bytes();
    }

    static int alignment(String source, Syntax.Variable variable) {
        return Math.max(variable.align(), element(source, variable).bytes() * variable.vector());
    }

    static long align(long offset, int alignment) {
        return (offset + alignment - 1) / alignment * alignment;
    }
}
