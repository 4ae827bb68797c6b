package dev.panamark.kernel.check;

import dev.panamark.kernel.OutputCheck;
import dev.panamark.kernel.OutputCheck.Rule;
import dev.panamark.kernel.Tensor;
import dev.panamark.kernel.format.Blocks;
import dev.panamark.kernel.format.DataType;
import dev.panamark.kernel.format.Formats;
import dev.panamark.kernel.reference.Expectation;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/** One output under one rule: compares elements and decides. */
final class Comparison {
    private final Expectation expectation;
    private final OutputCheck check;
    private final DataType type;
    private final double common;
    private final @Nullable LongPredicate written;

    private Comparison(
            Expectation expectation, OutputCheck check, DataType type, double common, @Nullable LongPredicate written) {
        this.written = written;
        this.expectation = expectation;
        this.check = check;
        this.type = type;
        this.common = common;
    }

    /**
     * A comparison with tensors of a type and a number of elements.
     *
     * @param written positions to compare; null for all
     */
    static Comparison of(
            Expectation expectation, OutputCheck check, DataType type, long elements, @Nullable LongPredicate written) {
        double common = switch (check.rule()) {
            case EXACT, CLOSE -> 0;
            case TWICE_NATIVE -> 2 * nativeError(expectation, type) + check.atol();
            case COSINE -> Math.sqrt(2 * check.rtol() * meanSquare(expectation, type, elements));
        };
        return new Comparison(expectation, check, type, common, written);
    }

    /** Largest error of the plain formula; where there is none, that of rounding. */
    private static double nativeError(Expectation e, DataType type) {
        double largest = 0;
        for (int i = 0; i < e.want().length; i++) {
            double plain = e.plain().length == 0 ? Formats.round(type, e.want()[i]) : e.plain()[i];
            double error = Math.abs(plain - e.want()[i]);
            if (Double.isFinite(error)) {
                largest = Math.max(largest, error);
            }
        }
        return largest;
    }

    private static double meanSquare(Expectation e, DataType type, long elements) {
        if (e.whole().isEmpty()) {
            return meanSquare(e.want());
        }
        return Blocks.map(elements, (from, count) -> meanSquare(wanted(e.whole().get(), type, from, count)) * count)
                        .stream()
                        .mapToDouble(Double::doubleValue)
                        .sum()
                / Math.max(1, elements);
    }

    private static double meanSquare(double[] values) {
        double sum = 0;
        for (double v : values) {
            sum += Double.isFinite(v) ? v * v : 0;
        }
        return sum / Math.max(1, values.length);
    }

    private static double[] wanted(Expectation.Whole whole, DataType type, long from, int count) {
        MemorySegment bits = MemorySegment.ofArray(new byte[count * type.bytes()]);
        whole.bits(from, count, bits);
        double[] values = new double[count];
        for (int i = 0; i < count; i++) {
            values[i] = Formats.decode(type, Formats.bits(type, bits, i));
        }
        return values;
    }

    /** Compares on all cores. */
    Tally run(Tensor got) {
        List<Tally> parts = expectation.whole().isPresent()
                ? Blocks.map(got.shape().elements(), (from, count) -> whole(got, from, count))
                : Blocks.map(expectation.positions().length, (from, count) -> sampled(got, (int) from, count));
        return parts.stream().reduce(new Tally(), Tally::plus);
    }

    /**
     * Compares two outputs for the same inputs over their whole length, the first taken for the truth: two values that
     * are both right differ by at most twice what is allowed.
     */
    Tally agreement(Tensor first, Tensor second) {
        return Blocks.map(first.shape().elements(), (from, count) -> agreement(first, second, from, count)).stream()
                .reduce(new Tally(), Tally::plus);
    }

    private Tally agreement(Tensor first, Tensor second, long from, int count) {
        Tally tally = new Tally();
        for (int i = 0; i < count; i++) {
            if (skips(from + i)) {
                continue;
            }
            double one = Formats.get(first, from + i);
            double other = Formats.get(second, from + i);
            double difference = difference(other, one);
            double allowed = 2 * allowed(one);
            tally.add(from + i, other, one, difference, allowed, !(difference <= allowed));
        }
        return tally;
    }

    private double allowed(double want) {
        return check.rule() == Rule.CLOSE
                ? check.atol() + (Double.isFinite(want) ? check.rtol() * Math.abs(want) : 0)
                : common;
    }

    private Tally sampled(Tensor got, int from, int count) {
        Tally tally = new Tally();
        for (int i = from; i < from + count; i++) {
            long position = expectation.positions()[i];
            if (skips(position)) {
                continue;
            }
            long bits = Formats.bits(got, position);
            double want = expectation.want()[i];
            boolean same = check.rule() != Rule.EXACT || bits == Formats.encode(type, want);
            add(tally, position, Formats.decode(type, bits), want, same);
        }
        return tally;
    }

    private Tally whole(Tensor got, long from, int count) {
        int bytes = type.bytes();
        MemorySegment want = MemorySegment.ofArray(new byte[count * bytes]);
        expectation.whole().orElseThrow().bits(from, count, want);
        Tally tally = new Tally();
        if (written == null
                && got.data().asSlice(from * bytes, (long) count * bytes).mismatch(want) < 0) {
            double[] values = new double[count];
            Formats.read(got, from, count, values, 0);
            tally.addEqual(values, count);
            return tally;
        }
        for (int i = 0; i < count; i++) {
            if (skips(from + i)) {
                continue;
            }
            long gotBits = Formats.bits(got, from + i);
            long wantBits = Formats.bits(type, want, i);
            boolean same = check.rule() != Rule.EXACT || gotBits == wantBits;
            add(tally, from + i, Formats.decode(type, gotBits), Formats.decode(type, wantBits), same);
        }
        return tally;
    }

    private void add(Tally tally, long position, double got, double want, boolean same) {
        double allowed = allowed(want);
        double difference = difference(got, want);
        // Which of its NaNs a processor makes is not the kernel's to say: x86 keeps the sign, GPUs have a single one.
        boolean bothNaN = Double.isNaN(got) && Double.isNaN(want);
        boolean wrong = check.rule() == Rule.EXACT ? !same && !bothNaN : !(difference <= allowed);
        tally.add(position, got, want, difference, allowed, wrong);
    }

    private boolean skips(long position) {
        return written != null && !written.test(position);
    }

    private static double difference(double got, double want) {
        if (Double.isFinite(got) && Double.isFinite(want)) {
            return Math.abs(got - want);
        }
        return Double.compare(got, want) == 0 ? 0 : Double.POSITIVE_INFINITY;
    }

    /** Whether the rule accepts what was found. */
    boolean accepts(Tally tally) {
        return check.rule() == Rule.COSINE
                ? tally.broken() == 0 && tally.dissimilarity() <= check.rtol()
                : tally.off() == 0;
    }

    OutputCheck check() {
        return check;
    }
}
