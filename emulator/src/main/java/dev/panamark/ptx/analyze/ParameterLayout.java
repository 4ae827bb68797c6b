package dev.panamark.ptx.analyze;

import dev.panamark.ptx.PtxException;
import dev.panamark.ptx.parse.Syntax;
import java.util.ArrayList;
import java.util.List;

/** Where a kernel's parameters lie. */
public record ParameterLayout(List<Entry> all, int bytes) {
    /**
     * One parameter.
     *
     * @param type as written, {@code b8} for a structure
     */
    public record Entry(String name, String type, int offset, int bytes, int alignment) {}

    static ParameterLayout of(String source, Syntax.Function kernel) {
        List<Entry> entries = new ArrayList<>();
        long at = 0;
        for (Syntax.Variable variable : kernel.parameters()) {
            int alignment = Layout.alignment(source, variable);
            long bytes = Layout.bytes(source, variable);
            at = Layout.align(at, alignment);
            if (at + bytes > 1 << 20) {
                throw new PtxException(
                        source, variable.at().line(), variable.at().column(), "the parameters are too large");
            }
            entries.add(new Entry(variable.name(), variable.type(), (int) at, (int) bytes, alignment));
            at += bytes;
        }
        return new ParameterLayout(List.copyOf(entries), (int) at);
    }
}
