package dev.panamark.kernel.check;

import dev.panamark.kernel.Tensor;
import dev.panamark.kernel.format.Blocks;
import dev.panamark.kernel.format.Formats;
import java.util.Optional;
import java.util.function.LongPredicate;

/**
 * Elements of a whole output that have some property.
 *
 * @param count how many
 * @param first the lowest position
 */
record Scan(long count, long first) {

    /** Elements that were never written: they hold one poison after one run and the other after the other. */
    static Optional<Scan> unwritten(Tensor a, Tensor b) {
        long poisonA = Poison.A.bits(a.type().bytes());
        long poisonB = Poison.B.bits(a.type().bytes());
        return of(a, i -> Formats.bits(a, i) == poisonA && Formats.bits(b, i) == poisonB);
    }

    /** Elements that are infinite or not a number and are not expected to be. */
    static Optional<Scan> notFinite(Tensor t, LongPredicate expected) {
        if (!t.type().floating()) {
            return Optional.empty();
        }
        return of(t, i -> !Formats.isFinite(t.type(), Formats.bits(t, i)) && !expected.test(i));
    }

    /** Those with a property. */
    static Optional<Scan> of(Tensor t, LongPredicate property) {
        return Blocks.map(t.shape().elements(), (from, count) -> {
                    long found = 0;
                    long first = Long.MAX_VALUE;
                    for (long i = from; i < from + count; i++) {
                        if (property.test(i)) {
                            first = Math.min(first, i);
                            found++;
                        }
                    }
                    return new Scan(found, first);
                })
                .stream()
                .filter(s -> s.count > 0)
                .reduce((x, y) -> new Scan(x.count + y.count, Math.min(x.first, y.first)));
    }
}
