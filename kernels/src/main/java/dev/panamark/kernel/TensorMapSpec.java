package dev.panamark.kernel;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * A tensor map as a kernel file describes it.
 *
 * @param of the buffer that it maps
 * @param dims extents, innermost first, elements
 * @param strides of all dimensions but the innermost, bytes
 * @param box extents of what one copy moves, elements
 * @param swizzle {@code none}, {@code 32B}, {@code 64B} or {@code 128B}
 * @param oob what is read outside: {@code zero} or {@code nan}
 */
record TensorMapSpec(
        String of, List<Formula> dims, List<Formula> strides, List<Formula> box, String swizzle, String oob) {
    private static final int MAX_RANK = 5;

    /** All of a file, by name. */
    static SequencedMap<String, TensorMapSpec> read(Optional<Field> field, Names known) {
        SequencedMap<String, TensorMapSpec> maps = new LinkedHashMap<>();
        field.ifPresent(all -> all.named("tensor maps").forEach((name, f) -> maps.put(name, one(f, known))));
        return maps;
    }

    private static TensorMapSpec one(Field field, Names known) {
        Keys keys = field.keys("of", "dims", "strides", "box", "swizzle", "oob");
        List<Formula> dims = formulas(keys.required("dims", "extents, innermost first"), known);
        List<Formula> strides = formulas(keys.required("strides", "bytes, of all dimensions but the innermost"), known);
        List<Formula> box = formulas(keys.required("box", "extents of what one copy moves"), known);
        int rank = dims.size();
        if (rank < 1 || rank > MAX_RANK || strides.size() != rank - 1 || box.size() != rank) {
            throw field.fault("has " + rank + " dims, " + strides.size() + " strides and " + box.size()
                    + " box extents; expected n, n-1 and n with n from 1 to " + MAX_RANK);
        }
        return new TensorMapSpec(
                BuffersReader.name(keys.required("of", "the name of a buffer"), known.buffers()),
                dims,
                strides,
                box,
                keys.optional("swizzle")
                        .map(f -> f.oneOf("none", "32B", "64B", "128B"))
                        .orElse("none"),
                keys.optional("oob").map(f -> f.oneOf("zero", "nan")).orElse("zero"));
    }

    private static List<Formula> formulas(Field field, Names known) {
        return field.list("a list").stream().map(f -> Formula.read(f, known)).toList();
    }

    /** Faults where a number of it is none for this problem. */
    void check(Scope scope) {
        dims.forEach(f -> f.whole(scope, 1));
        strides.forEach(f -> f.whole(scope, 1));
        box.forEach(f -> f.whole(scope, 1));
    }
}
