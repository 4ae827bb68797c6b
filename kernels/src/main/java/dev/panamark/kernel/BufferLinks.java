package dev.panamark.kernel;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * What buffers have to do with each other: which dimension of a pool a scale runs along, and which table says what of a
 * pool is in use. Both follow from the texts of the extents, since two dimensions of the same meaning are written the
 * same way; where that is not so, the file has to say it.
 */
final class BufferLinks {
    private final SequencedMap<String, BufferSpec> buffers;

    BufferLinks(SequencedMap<String, BufferSpec> buffers) {
        this.buffers = buffers;
    }

    /** The buffers with what was derived. */
    SequencedMap<String, BufferSpec> linked() {
        SequencedMap<String, BufferSpec> out = new LinkedHashMap<>();
        buffers.forEach((name, b) -> {
            b.fill().ifPresent(f -> checkLens(f));
            out.put(name, b.with(b.fill().map(f -> f instanceof FillSpec.AmaxOf a ? scales(b, a) : f), paging(b)));
        });
        buffers.values().forEach(this::checkScale);
        return out;
    }

    private BufferSpec get(String name) {
        BufferSpec found = buffers.get(name);
        if (found == null) {
            throw new IllegalArgumentException(name);
        }
        return found;
    }

    private void checkLens(FillSpec fill) {
        if (fill instanceof FillSpec.PageTable t
                && get(t.lens())
                        .fill()
                        .filter(f -> f instanceof FillSpec.Lengths)
                        .isEmpty()) {
            throw fill.field()
                    .fault("takes lengths from '" + t.lens()
                            + "', which has no fill {lengths: }; expected a buffer of lengths");
        }
    }

    private void checkScale(BufferSpec b) {
        b.scale().ifPresent(scale -> {
            // One element applies to all, whatever fills it; more of them need amax_of to say where.
            boolean single =
                    get(scale).shape().stream().allMatch(f -> f.compact().equals("1"));
            boolean own = get(scale)
                    .fill()
                    .filter(f -> single
                            || (f instanceof FillSpec.AmaxOf a && a.buffer().equals(b.name())))
                    .isPresent();
            if (!own) {
                throw b.field()
                        .fault("is scaled by '" + scale + "', which needs fill: {amax_of: " + b.name() + ", max: }");
            }
        });
    }

    private FillSpec scales(BufferSpec scale, FillSpec.AmaxOf fill) {
        BufferSpec of = get(fill.buffer());
        if (of.name().equals(scale.name())) {
            throw fill.field().fault("scales itself; expected the name of another buffer");
        }
        if (of.fill().isEmpty()) {
            throw fill.field().fault("looks at '" + of.name() + "', which has no fill");
        }
        int rank = of.shape().size();
        if (fill.dims().isPresent()) {
            List<Integer> dims = fill.dims().get();
            if (dims.size() != scale.shape().size()
                    || dims.stream().distinct().count() != dims.size()
                    || dims.stream().anyMatch(d -> d >= rank)) {
                throw fill.field()
                        .fault("dims " + dims + " do not fit; expected "
                                + scale.shape().size() + " different dimensions of " + of.name() + ", from 0 to "
                                + (rank - 1));
            }
            return fill;
        }
        List<Integer> dims = new ArrayList<>();
        for (Formula extent : scale.shape()) {
            int dim = of.dimension(extent.compact())
                    .orElseThrow(() -> fill.field()
                            .fault("the extent '" + extent.text() + "' is not written exactly once in the shape of "
                                    + of.name() + "; expected dims: [..] with the dimension of " + of.name()
                                    + " for each dimension of " + scale.name() + ", or shape: [] for a single scale"));
            if (dims.contains(dim)) {
                throw fill.field()
                        .fault("two extents '" + extent.text() + "' run along one dimension of " + of.name()
                                + "; expected dims: [..]");
            }
            dims.add(dim);
        }
        return new FillSpec.AmaxOf(fill.field(), fill.buffer(), fill.max(), Optional.of(dims));
    }

    private Optional<BufferSpec.Paging> paging(BufferSpec b) {
        boolean isTable = b.fill().filter(f -> f instanceof FillSpec.PageTable).isPresent();
        if (b.paging().isPresent()) {
            BufferSpec.Paging paging = b.paging().get();
            if (get(paging.table())
                    .fill()
                    .filter(f -> f instanceof FillSpec.PageTable)
                    .isEmpty()) {
                throw b.field().fault("paging.table '" + paging.table() + "' has no fill {page_table: }");
            }
            return b.paging();
        }
        if (b.unused().isEmpty() || isTable) {
            return Optional.empty();
        }
        List<BufferSpec> tables = buffers.values().stream()
                .filter(t ->
                        t.fill().filter(f -> f instanceof FillSpec.PageTable).isPresent())
                .toList();
        if (tables.isEmpty()) {
            throw b.field().fault("has unused, but no buffer has fill {page_table: } to say which elements are unused");
        }
        if (tables.size() > 1) {
            throw b.field()
                    .fault("has unused, and there are several page tables; expected "
                            + "paging: {table: , page_dim: , slot_dim: }");
        }
        BufferSpec table = tables.getFirst();
        String page = ((FillSpec.PageTable) table.fill().orElseThrow()).page().compact();
        Optional<Integer> slot = b.dimension(page);
        if (slot.isEmpty() || slot.get() == 0) {
            throw b.field()
                    .fault("has unused, but '" + page + "' (the page of " + table.name()
                            + ") is not written exactly once in its shape behind the first extent; expected paging: {table: "
                            + table.name() + ", page_dim: , slot_dim: }");
        }
        return Optional.of(new BufferSpec.Paging(
                b.field(),
                table.name(),
                Formula.of(b.field(), "0"),
                Formula.of(b.field(), Integer.toString(slot.get()))));
    }
}
