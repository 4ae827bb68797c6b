package dev.panamark.kernel.reference;

import java.util.List;
import java.util.Optional;

/** The references that kernel files may name. */
public final class References {
    private static final List<Reference> ALL = List.of(
            new AttentionReference(),
            new GatherReference(),
            new AppendReference(),
            new Fp8Reference(),
            new Fp8DequantizeReference(),
            new Int4Reference(),
            new Int4DequantizeReference(),
            W4a16Reference.gemv(),
            W4a16Reference.gemm(),
            new GemmReference(),
            new FmaReference(),
            new MmaReference(),
            new StreamReference(),
            new CopyReference(),
            new LinearReference());

    private References() {}

    /** The reference of this name. */
    public static Optional<Reference> named(String name) {
        return ALL.stream().filter(r -> r.name().equals(name)).findFirst();
    }

    /** All names, in the order of the manual. */
    public static List<String> names() {
        return ALL.stream().map(Reference::name).toList();
    }
}
