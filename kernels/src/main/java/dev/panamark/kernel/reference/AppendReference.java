package dev.panamark.kernel.reference;

import dev.panamark.kernel.Buffer;
import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.Instance;
import dev.panamark.kernel.Tensor;
import dev.panamark.kernel.format.Formats;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * {@code kv.append}: the newest token of each sequence, {@code new} [batch, 2, kv_heads, head_dim], is written into pages
 * in a {@link PoolLayout} (convention {@code layout}), an inout. {@code lens} [batch] counts it: it goes to position
 * lens - 1, for which {@code table} [batch, pages] has a page; a sequence of length 0 has no new token. Every bit of the
 * pool is checked, so that nothing else may change.
 */
final class AppendReference implements Reference {
    private static final String NEW = "[batch, 2, kv_heads, head_dim]";

    @Override
    public String name() {
        return "kv.append";
    }

    @Override
    public List<String> faults(Instance instance) {
        Subject subject = new Subject(instance);
        Faults faults = new Faults(subject, name());
        faults.onlyConventions("layout");
        PoolLayout.check(faults);
        PoolLayout layout = PoolLayout.of(subject);
        Optional<Buffer> added = faults.input("new", NEW).filter(b -> faults.rank(b, NEW, 4));
        added.ifPresent(b -> {
            long batch = b.shape().dim(0);
            long heads = b.shape().dim(2);
            long dim = b.shape().dim(3);
            faults.shape(b, NEW, List.of(batch, 2L, heads, dim));
            layout.checkShapes(faults, true, b, heads, dim);
            GatherReference.pages(subject, faults, batch);
            subject.find("lens").ifPresent(lens -> faults.shape(lens, "[batch]", List.of(batch)));
        });
        pools(layout)
                .forEach(role -> subject.find(role)
                        .filter(b -> b.role() == Buffer.Role.OUTPUT)
                        .ifPresent(b -> faults.add("buffers." + b.name() + ".role: output, expected inout: what "
                                + "the kernel does not write must stay as it was")));
        return faults.orUnchecked(pools(layout).toArray(String[]::new));
    }

    private static Set<String> pools(PoolLayout layout) {
        return new LinkedHashSet<>(List.of(layout.pool(0), layout.pool(1)));
    }

    @Override
    public List<Expectation> expect(Instance instance, Inputs inputs, long seed) {
        Subject subject = new Subject(instance);
        PoolLayout layout = PoolLayout.of(subject);
        PagedCache cache = new PagedCache(subject, inputs);
        Tensor added = subject.tensor("new", inputs);
        List<Expectation> all = new ArrayList<>();
        for (String role : pools(layout)) {
            Tensor before = subject.tensor(role, inputs);
            Tensor after = new Tensor(
                    before.type(),
                    before.shape(),
                    MemorySegment.ofArray(new byte[Math.toIntExact(before.data().byteSize())]));
            after.data().copyFrom(before.data());
            for (int part = 0; part < 2; part++) {
                if (layout.pool(part).equals(role)) {
                    append(cache, added, part, after);
                }
            }
            all.add(Expectation.sameAs(subject.nameOf(role), after));
        }
        return List.copyOf(all);
    }

    private static void append(PagedCache cache, Tensor added, int part, Tensor pool) {
        long heads = added.shape().dim(2);
        long dim = added.shape().dim(3);
        for (int s = 0; s < cache.sequences(); s++) {
            long position = cache.length(s) - 1;
            if (position < 0) {
                continue;
            }
            long page = cache.page(s, position);
            for (long head = 0; head < heads; head++) {
                for (long d = 0; d < dim; d++) {
                    Formats.setBits(
                            pool,
                            cache.position(part, page, position % cache.pageTokens(), head, d),
                            Formats.bits(added, added.shape().offset(s, part, head, d)));
                }
            }
        }
    }
}
