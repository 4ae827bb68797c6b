package dev.panamark.kernel;

import dev.panamark.kernel.format.DataType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SequencedMap;

/** Gives every buffer its type and extents for one problem and checks them against each other. */
final class BufferResolver {
    private final KernelSpec spec;
    private final Scope scope;
    private final SequencedMap<String, Buffer> buffers = new LinkedHashMap<>();

    BufferResolver(KernelSpec spec, Scope scope) {
        this.spec = spec;
        this.scope = scope;
    }

    /** The buffers in the order of the file. */
    SequencedMap<String, Buffer> resolve() {
        spec.buffers().values().forEach(b -> buffers.put(b.name(), buffer(b)));
        spec.buffers().values().forEach(b -> b.fill().ifPresent(f -> check(b, f)));
        spec.buffers().values().forEach(b -> b.range().ifPresent(r -> checkRange(b, r)));
        return buffers;
    }

    private Buffer get(String name) {
        Buffer found = buffers.get(name);
        if (found == null) {
            throw new IllegalArgumentException(name);
        }
        return found;
    }

    private Buffer buffer(BufferSpec b) {
        String tag = b.type().resolve(scope);
        DataType type = DataType.ofTag(tag)
                .orElseThrow(() -> b.type()
                        .field()
                        .fault("'" + Field.shown(b.type().toString()) + "' is '" + Field.shown(tag)
                                + "'; expected one of " + DataType.tags()));
        List<Long> dims = new ArrayList<>();
        for (Formula extent : b.shape()) {
            dims.add(extent.whole(scope, 1));
        }
        OptionalDouble unused = OptionalDouble.empty();
        if (b.unused().isPresent()) {
            double value = b.unused().get().resolve(type, scope);
            if (!TypeRange.holds(type, value)) {
                throw b.unused()
                        .get()
                        .field()
                        .fault("is " + b.unused().get() + ", which " + type.tag() + " does not hold");
            }
            unused = OptionalDouble.of(value);
        }
        boolean output = b.role() == Buffer.Role.OUTPUT || b.role() == Buffer.Role.INOUT;
        Buffer buffer;
        try {
            buffer = new Buffer(
                    b.name(),
                    type,
                    new Shape(dims),
                    b.role(),
                    b.fill()
                            .map(f ->
                                    f.resolve(type, type.floating() || b.scale().isPresent(), scope)),
                    b.scale(),
                    b.paging().map(p -> p.resolve(dims.size(), scope)),
                    unused,
                    output ? Optional.of(b.check().resolve(type, scope)) : Optional.empty(),
                    packed(b, type),
                    b.restored());
            buffer.bytes();
        } catch (ArithmeticException e) {
            throw b.field().fault("shape " + dims + " of " + type.tag() + " takes more than 2^63-1 bytes");
        }
        return buffer;
    }

    private int packed(BufferSpec b, DataType type) {
        if (b.packed().isEmpty()) {
            return 1;
        }
        Formula packed = b.packed().get();
        long count = packed.whole(scope, 1);
        if (count > 2) {
            throw packed.fault("is " + count + ", expected 1, or 2 codes of four bits in a u8", scope);
        }
        if (count == 2 && (type != DataType.U8 || b.scale().isEmpty() || b.role() != Buffer.Role.INPUT)) {
            throw packed.fault(
                    "packs codes of four bits, expected an input of type u8 with a scale, not "
                            + b.role().name().toLowerCase(Locale.ROOT) + " of " + type.tag()
                            + (b.scale().isEmpty() ? " without one" : ""),
                    scope);
        }
        return (int) count;
    }

    private void check(BufferSpec b, FillSpec fill) {
        Buffer buffer = get(b.name());
        if (buffer.fill().orElse(null) instanceof Fill.AmaxOf a) {
            Buffer of = get(a.buffer());
            for (int i = 0; i < a.dims().size(); i++) {
                // One scale may stand for all along a dimension.
                long extent = buffer.shape().dim(i);
                if (extent != 1 && extent != of.shape().dim(a.dims().get(i))) {
                    throw fill.field()
                            .fault("dimension " + i + " of " + b.name() + " " + buffer.shape()
                                    + " and dimension " + a.dims().get(i) + " of " + of.name() + " " + of.shape()
                                    + " differ in extent; expected the same, or 1 for a scale that all share");
                }
            }
            if (!of.holdsReals()) {
                throw fill.field()
                        .fault("looks at " + of.name() + " of type " + of.type().tag()
                                + ", expected a floating-point type or a buffer with a scale");
            }
        }
        if (!buffer.holdsReals()) {
            buffer.fill().flatMap(f -> extremes(buffer, f)).ifPresent(e -> {
                if (!TypeRange.holds(buffer.type(), e.least()) || !TypeRange.holds(buffer.type(), e.most())) {
                    throw fill.field()
                            .fault("makes values from " + Math.round(e.least()) + " to " + Math.round(e.most())
                                    + ", which " + buffer.type().tag() + " does not hold");
                }
            });
        }
        if (buffer.fill().orElse(null) instanceof Fill.PageTable t) {
            checkTable(buffer, t, fill.field());
        }
    }

    /** A table must have room for the longest sequences, and its pool for all of them at once. */
    private void checkTable(Buffer table, Fill.PageTable fill, Field field) {
        Buffer lens = get(fill.lens());
        if (table.shape().rank() != 2
                || lens.shape().rank() != 1
                || table.shape().dim(0) != lens.shape().dim(0)) {
            throw field.fault("a page table of shape " + table.shape() + " does not fit lengths of shape "
                    + lens.shape() + "; expected [sequences, pages] and [sequences]");
        }
        if (!(lens.fill().orElse(null) instanceof Fill.Lengths l)) {
            return;
        }
        long pages = Math.ceilDiv(l.max(), fill.page());
        if (pages > table.shape().dim(1)) {
            throw field.fault("a sequence of " + l.max() + " tokens takes " + pages + " pages of " + fill.page()
                    + ", more than the " + table.shape().dim(1) + " that a row of " + table.name() + " has");
        }
        for (Buffer pool : buffers.values()) {
            if (pool.paging().filter(p -> p.table().equals(table.name())).isEmpty()) {
                continue;
            }
            Buffer.Paging paging = pool.paging().orElseThrow();
            long held = pool.shape().dim(paging.pageDim());
            long wanted;
            try {
                wanted = Math.multiplyExact(pages, table.shape().dim(0));
            } catch (ArithmeticException e) {
                wanted = Long.MAX_VALUE;
            }
            if (wanted > held) {
                throw field.fault(table.shape().dim(0) + " sequences of " + l.max() + " tokens take " + wanted
                        + " pages, more than the " + held + " of " + pool.name());
            }
            if (pool.shape().dim(paging.slotDim()) != fill.page()) {
                throw field.fault("a page of " + fill.page() + " tokens does not fit dimension " + paging.slotDim()
                        + " of " + pool.name() + " " + pool.shape());
            }
        }
    }

    private void checkRange(BufferSpec b, BufferSpec.Range range) {
        Buffer buffer = get(b.name());
        if (buffer.type().floating()) {
            throw range.field()
                    .fault("is for whole numbers, but the type is "
                            + buffer.type().tag());
        }
        long low = range.low().whole(scope, Long.MIN_VALUE);
        long high = range.high().whole(scope, Long.MIN_VALUE);
        if (low >= high) {
            throw range.field().fault("[" + low + ", " + high + ") is empty; expected low below high");
        }
        buffer.fill()
                .ifPresent(fill -> extremes(buffer, fill).ifPresent(e -> {
                    if (e.least() < low || e.most() >= high) {
                        throw range.field()
                                .fault("fill makes values from " + (long) e.least() + " to " + (long) e.most()
                                        + ", outside [" + low + ", " + high + ")");
                    }
                }));
    }

    private Optional<Extremes> extremes(Buffer buffer, Fill fill) {
        return switch (fill) {
            case Fill.Uniform u -> Optional.of(new Extremes(u.min(), u.max()));
            case Fill.Constant c -> Optional.of(new Extremes(c.value(), c.value()));
            case Fill.Lengths l -> Optional.of(new Extremes(l.min(), l.max()));
            case Fill.Iota i -> {
                double last = i.start() + i.step() * (buffer.shape().elements() - 1);
                yield Optional.of(new Extremes(Math.min(i.start(), last), Math.max(i.start(), last)));
            }
            case Fill.PageTable t ->
                buffers.values().stream()
                        .filter(p -> p.paging()
                                .filter(x -> x.table().equals(buffer.name()))
                                .isPresent())
                        .map(p -> new Extremes(
                                0, p.shape().dim(p.paging().orElseThrow().pageDim()) - 1))
                        .findFirst();
            default -> Optional.empty();
        };
    }

    private record Extremes(double least, double most) {}
}
