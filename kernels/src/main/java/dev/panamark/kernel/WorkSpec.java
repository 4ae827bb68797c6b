package dev.panamark.kernel;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * The work as a kernel file describes it.
 *
 * @param flops by class
 * @param reads bytes
 * @param writes bytes
 * @param tokens count, where there is one
 * @param tokenKind what passes: prefill, decode or moved
 */
record WorkSpec(
        SequencedMap<Template, Formula> flops,
        Formula reads,
        Formula writes,
        Optional<Formula> tokens,
        String tokenKind) {

    /** What stands under {@code work}. */
    static WorkSpec read(Field field, Names known, SequencedMap<String, BufferSpec> buffers) {
        Names names = new Names(known.values(), known.buffers(), true);
        Keys keys = field.keys("flops", "reads", "writes", "tokens");
        SequencedMap<Template, Formula> flops = new LinkedHashMap<>();
        keys.optional("flops")
                .ifPresent(all -> all.entries("a mapping such as {fma_f32: 2*n}")
                        .forEach((kind, f) -> {
                            if (!kind.matches("[a-z0-9_${}]+")) {
                                throw f.fault("'" + Field.shown(kind)
                                        + "' is no class of operations; expected a unit and a type"
                                        + " such as fma_f32 or tensor_$dtype");
                            }
                            flops.put(Template.of(f, kind, names), Formula.read(f, names));
                        }));
        Optional<Keys> tokens = keys.optional("tokens").map(f -> f.keys("count", "kind"));
        WorkSpec work = new WorkSpec(
                flops,
                Formula.read(keys.required("reads", "bytes that must be read, such as bytes(x)"), names),
                Formula.read(keys.required("writes", "bytes that must be written, such as bytes(y)"), names),
                tokens.map(t -> Formula.read(t.required("count", "how many tokens pass"), names)),
                tokens.map(t -> t.required("kind", "prefill, decode or moved").oneOf("prefill", "decode", "moved"))
                        .orElse(""));
        work.all().forEach(f -> f.calls().forEach(call -> check(f, call, buffers)));
        return work;
    }

    /** Every expression of it. */
    List<Formula> all() {
        List<Formula> all = new java.util.ArrayList<>(flops.values());
        all.add(reads);
        all.add(writes);
        tokens.ifPresent(all::add);
        return all;
    }

    private static void check(Formula formula, Formula.Call call, SequencedMap<String, BufferSpec> buffers) {
        switch (call.function()) {
            case "unique" -> {
                BufferSpec pool = buffer(buffers, call.buffers().getFirst());
                String table = call.buffers().getLast();
                if (pool.paging().filter(p -> p.table().equals(table)).isEmpty()) {
                    throw formula.field()
                            .fault("unique(" + pool.name() + ", " + table + ") needs a pool of pages; expected "
                                    + pool.name() + " with unused, or with paging: {table: " + table
                                    + ", page_dim: , slot_dim: }");
                }
            }
            case "pairs", "sum" -> {
                for (String name : call.buffers()) {
                    if (buffer(buffers, name).fill().isEmpty()) {
                        throw formula.field()
                                .fault(call.function() + "() looks at '" + name
                                        + "', which has no fill; expected an input");
                    }
                }
            }
            default -> {}
        }
    }

    private static BufferSpec buffer(SequencedMap<String, BufferSpec> buffers, String name) {
        BufferSpec found = buffers.get(name);
        if (found == null) {
            throw new IllegalArgumentException(name);
        }
        return found;
    }
}
