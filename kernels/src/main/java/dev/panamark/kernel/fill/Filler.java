package dev.panamark.kernel.fill;

import dev.panamark.kernel.Buffer;
import dev.panamark.kernel.Fill;
import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.Instance;
import dev.panamark.kernel.Tensor;
import dev.panamark.kernel.format.Blocks;
import dev.panamark.kernel.format.DataType;
import dev.panamark.kernel.format.Formats;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Makes the contents of all inputs and inouts of one problem, in the order in which they need each other: lengths,
 * block tables, scales, pools. An element depends on the seed, the buffer's name and its position only, never on the
 * number of threads.
 */
public final class Filler {
    /** Multiple of every vector width and cache line that matters on a host. */
    private static final long ALIGNMENT = 256;

    private final Instance instance;
    private final long seed;
    private final Arena arena;
    private final Map<String, Tensor> done = new LinkedHashMap<>();
    private final Set<String> started = new HashSet<>();

    private Filler(Instance instance, long seed, Arena arena) {
        this.instance = instance;
        this.seed = seed;
        this.arena = arena;
    }

    /**
     * Fills every input and inout on all cores.
     *
     * @param arena owns the memory; shared or automatic, since several threads write
     * @throws FillException if a fill cannot be done as written, or if every floating-point input would be zero: a
     *     device is faster on zeros, so a time on zeros says nothing
     */
    public static Inputs fill(Instance instance, long seed, Arena arena) {
        if (!arena.allocate(1).isAccessibleBy(new Thread(() -> {}))) {
            throw new IllegalArgumentException(
                    "Filler.fill got a confined arena, but several threads fill; pass Arena.ofShared() or ofAuto()");
        }
        Filler filler = new Filler(instance, seed, arena);
        filler.refuseZeros();
        for (Buffer b : instance.buffers()) {
            if (isRead(b)) {
                filler.tensor(b);
            }
        }
        return new Inputs(filler.done, seed);
    }

    private static boolean isRead(Buffer b) {
        return b.role() == Buffer.Role.INPUT || b.role() == Buffer.Role.INOUT;
    }

    private void refuseZeros() {
        List<Buffer> floats = instance.buffers().stream()
                .filter(b -> b.role() == Buffer.Role.INPUT && b.type().floating())
                .toList();
        if (!floats.isEmpty() && floats.stream().allMatch(b -> b.fill().stream().anyMatch(Filler::isZero))) {
            throw new FillException(
                    floats.getFirst().name(),
                    "every floating-point input is filled with zeros, on which a device runs faster than on data;"
                            + " use fill: normal");
        }
    }

    private static boolean isZero(Fill fill) {
        return switch (fill) {
            case Fill.Constant f -> f.value() == 0;
            case Fill.Normal f -> f.mean() == 0 && f.stdev() == 0;
            case Fill.Uniform f -> f.min() == 0 && f.max() == 0;
            case Fill.Iota f -> f.start() == 0 && f.step() == 0;
            default -> false;
        };
    }

    private Tensor tensor(Buffer b) {
        Tensor known = done.get(b.name());
        if (known != null) {
            return known;
        }
        if (!started.add(b.name())) {
            throw new FillException(b.name(), "its fill depends on itself");
        }
        Fill fill = fillOf(b);
        Tensor t = new Tensor(
                b.type(),
                b.shape(),
                arena.allocate(Math.max(1, b.bytes()), ALIGNMENT).asSlice(0, b.bytes()));
        switch (fill) {
            case Fill.Bits bits -> bits(b, t);
            case Fill.PageTable table -> table(b, table, t);
            case Fill.AmaxOf amax -> amax(b, amax, t);
            case Fill.Constant constant when b.scale().isEmpty() -> constant(b, constant.value(), t);
            default -> reals(b, fill, t);
        }
        if (b.paging().isPresent() && b.unused().isPresent()) {
            markUnused(b, t);
        }
        done.put(b.name(), t);
        return t;
    }

    private static Fill fillOf(Buffer b) {
        return b.fill()
                .orElseThrow(() -> new FillException(
                        b.name(), "an " + b.role().name().toLowerCase(java.util.Locale.ROOT) + " needs a fill"));
    }

    private Buffer other(Buffer from, String field, String name) {
        return instance.buffers().stream()
                .filter(b -> b.name().equals(name) && isRead(b))
                .findFirst()
                .orElseThrow(() -> new FillException(
                        from.name(), field + " names '" + name + "', which is no input of " + instance.kernel()));
    }

    private void bits(Buffer b, Tensor t) {
        Draws draws = new Draws(seed, b.name());
        Blocks.each(t.shape().elements(), (from, count) -> {
            for (int i = 0; i < count; i++) {
                Formats.setBits(t, from + i, draws.bits(from + i));
            }
        });
    }

    private static void constant(Buffer b, double value, Tensor t) {
        long bits = Formats.encode(b.type(), value);
        Blocks.each(t.shape().elements(), (from, count) -> {
            for (int i = 0; i < count; i++) {
                Formats.setBits(t, from + i, bits);
            }
        });
    }

    private void reals(Buffer b, Fill fill, Tensor t) {
        Reals reals = new Reals(b, fill, seed);
        Optional<Scaling> scaling = b.scale().map(name -> scaling(b, name));
        int packed = b.packed();
        Blocks.each(t.shape().elements(), (from, count) -> {
            double[] values = new double[count * packed];
            reals.read(from * packed, count * packed, values);
            scaling.ifPresent(s -> s.divide(from * packed, packed, values));
            if (packed == 2) {
                nibbles(t, from, count, values);
            } else {
                Formats.write(t, from, count, values, b.type() != DataType.F32 || scaling.isPresent());
            }
        });
    }

    /** Two codes of four bits in each byte: rounded to nearest even, held in [-8, 7], stored plus 8. */
    private static void nibbles(Tensor t, long from, int count, double[] values) {
        for (int i = 0; i < count; i++) {
            Formats.setBits(t, from + i, nibble(values[2 * i]) | nibble(values[2 * i + 1]) << 4);
        }
    }

    private static long nibble(double value) {
        return (long) Math.clamp(Math.rint(value), -8.0, 7.0) + 8;
    }

    /** The values of a buffer of scales, and which of them belongs to an element. */
    private record Scaling(Tensor scales, Spread spread) {
        void divide(long from, int packed, double[] values) {
            long run = spread.run() * packed;
            for (int i = 0; i < values.length; ) {
                double scale = Formats.get(scales, spread.at((from + i) / packed));
                int end = (int) Math.min(values.length, i + run - (from + i) % run);
                for (; i < end; i++) {
                    values[i] /= scale;
                }
            }
        }
    }

    private Scaling scaling(Buffer b, String name) {
        Buffer scale = other(b, "scale", name);
        Tensor scales = tensor(scale);
        if (scale.fill().orElse(null) instanceof Fill.AmaxOf amax) {
            return new Scaling(scales, Spread.of(scale, b, amax.dims()));
        }
        if (scale.shape().elements() == 1) {
            return new Scaling(scales, Spread.single(b));
        }
        throw new FillException(
                b.name(),
                "scale names '" + name + "' of shape " + scale.shape()
                        + ", whose dimensions are not tied to those of " + b.name()
                        + "; give it fill: {amax_of: " + b.name() + ", max: ..., dims: [...]} or one element");
    }

    private void amax(Buffer b, Fill.AmaxOf amax, Tensor t) {
        Buffer source = other(b, "fill.amax_of", amax.buffer());
        if (!(amax.max() >= 0)) {
            throw new FillException(
                    b.name(), "fill.max is " + amax.max() + "; it must be above 0, or 0 for scales of 1");
        }
        if (amax.max() == 0) {
            constant(b, 1, t);
            return;
        }
        Reals reals = new Reals(source, fillOf(source), seed);
        Spread spread = Spread.of(b, source, amax.dims());
        Optional<PoolUse> use = source.paging().map(p -> use(source, p));
        int packed = source.packed();
        long run = packed * use.map(u -> Math.min(u.run(), spread.run())).orElse(spread.run());
        // Magnitudes are at least 0, where the order of doubles is that of their bits.
        AtomicLongArray largest = new AtomicLongArray(Math.toIntExact(b.shape().elements()));
        Blocks.each(source.shape().elements(), (from, count) -> {
            double[] values = new double[count * packed];
            reals.read(from * packed, values.length, values);
            for (int i = 0; i < values.length; ) {
                long number = from * packed + i;
                long position = number / packed;
                int end = (int) Math.min(values.length, i + run - number % run);
                double max = 0;
                for (int k = i; k < end; k++) {
                    max = Math.max(max, Math.abs(values[k]));
                }
                if (use.isEmpty() || use.get().uses(position)) {
                    largest.accumulateAndGet((int) spread.at(position), Double.doubleToLongBits(max), Math::max);
                }
                i = end;
            }
        });
        for (int i = 0; i < largest.length(); i++) {
            double max = Double.longBitsToDouble(largest.get(i));
            double scale = Formats.round(b.type(), max / amax.max());
            Formats.set(t, i, scale == 0 ? 1 : scale);
        }
    }

    private void table(Buffer b, Fill.PageTable fill, Tensor t) {
        if (b.shape().rank() != 2) {
            throw new FillException(b.name(), "a page table has shape [sequences, pages], not " + b.shape());
        }
        long[] pages = pagesOfSequences(b, fill);
        long perSequence = b.shape().dim(1);
        long needed = Arrays.stream(pages).sum();
        long pool = poolPages(b);
        if (needed > pool) {
            throw new FillException(
                    b.name(),
                    "the sequences need " + needed + " pages, but the pool has " + pool
                            + "; give the pool more pages or shorten '" + fill.lens() + "'");
        }
        int[] order = order(b, fill.random(), Math.toIntExact(pool), (int) needed);
        long unused = Formats.encode(b.type(), b.unused().orElse(0));
        int next = 0;
        for (int s = 0; s < pages.length; s++) {
            for (long p = 0; p < perSequence; p++) {
                long at = s * perSequence + p;
                if (p < pages[s]) {
                    Formats.set(t, at, order[next++]);
                } else {
                    Formats.setBits(t, at, unused);
                }
            }
        }
    }

    /** How many pages each sequence takes; refuses those that its row of the table does not hold. */
    private long[] pagesOfSequences(Buffer b, Fill.PageTable fill) {
        double[] lens = lens(b, fill);
        long[] pages = new long[lens.length];
        for (int s = 0; s < pages.length; s++) {
            pages[s] = Math.ceilDiv((long) lens[s], fill.page());
            if (lens[s] < 0 || pages[s] > b.shape().dim(1)) {
                throw new FillException(
                        b.name(),
                        fill.lens() + "[" + s + "] is " + (long) lens[s] + ", which takes " + pages[s] + " pages of "
                                + fill.page() + " tokens, but the table has "
                                + b.shape().dim(1)
                                + " entries for a sequence");
            }
        }
        return pages;
    }

    private double[] lens(Buffer b, Fill.PageTable fill) {
        if (fill.page() < 1) {
            throw new FillException(b.name(), "fill.page is " + fill.page() + "; a page has at least one token");
        }
        Tensor lens = tensor(other(b, "fill.lens", fill.lens()));
        if (lens.shape().elements() != b.shape().dim(0)) {
            throw new FillException(
                    b.name(),
                    "it has " + b.shape().dim(0) + " sequences, but '" + fill.lens() + "' has "
                            + lens.shape().elements() + " lengths");
        }
        return Formats.read(lens);
    }

    /** Pages of the smallest pool that the table addresses; without a pool, as many as it has entries. */
    private long poolPages(Buffer table) {
        return instance.buffers().stream()
                .flatMap(b -> b.paging().stream()
                        .filter(p -> p.table().equals(table.name()))
                        .map(p -> b.shape().dim(p.pageDim())))
                .mapToLong(Long::longValue)
                .min()
                .orElse(table.shape().elements());
    }

    /** The first {@code needed} pages in use order: 0, 1, 2 ... or a random choice without repetition. */
    private int[] order(Buffer b, boolean random, int pool, int needed) {
        int[] order = new int[pool];
        Arrays.setAll(order, i -> i);
        if (random) {
            Draws draws = new Draws(seed, b.name());
            for (int i = 0; i < needed; i++) {
                int with = i + (int) draws.below(i, pool - i);
                int page = order[with];
                order[with] = order[i];
                order[i] = page;
            }
        }
        return order;
    }

    private PoolUse use(Buffer pool, Buffer.Paging paging) {
        Buffer table = other(pool, "paging.table", paging.table());
        long slots = pool.shape().dim(paging.slotDim());
        int[] used = new int[Math.toIntExact(pool.shape().dim(paging.pageDim()))];
        Tensor entries = tensor(table);
        if (!(table.fill().orElse(null) instanceof Fill.PageTable fill)) {
            for (double page : Formats.read(entries)) {
                if (page >= 0 && page < used.length) {
                    used[(int) page] = (int) slots;
                }
            }
            return new PoolUse(pool, paging, used);
        }
        if (fill.page() != slots) {
            throw new FillException(
                    pool.name(),
                    "dimension " + paging.slotDim() + " has " + slots + " slots, but '" + table.name()
                            + "' has pages of " + fill.page() + " tokens");
        }
        double[] lens = lens(table, fill);
        for (int s = 0; s < lens.length; s++) {
            for (long left = (long) lens[s], p = 0; left > 0; left -= slots, p++) {
                used[(int) Formats.get(entries, s * table.shape().dim(1) + p)] = (int) Math.min(slots, left);
            }
        }
        return new PoolUse(pool, paging, used);
    }

    private void markUnused(Buffer b, Tensor t) {
        double unused = b.unused().orElseThrow();
        if (Double.isNaN(unused) && !b.type().floating()) {
            throw new FillException(b.name(), "unused is nan, which " + b.type().tag() + " does not have");
        }
        PoolUse use = use(b, b.paging().orElseThrow());
        long bits = Formats.encode(b.type(), unused);
        long run = use.run();
        Blocks.each(t.shape().elements(), (from, count) -> {
            for (long i = from; i < from + count; ) {
                long end = Math.min(from + count, i + run - i % run);
                if (!use.uses(i)) {
                    for (long k = i; k < end; k++) {
                        Formats.setBits(t, k, bits);
                    }
                }
                i = end;
            }
        });
    }
}
