package dev.panamark.benchmark.coverage;

import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/**
 * In how many of all runs something was so.
 *
 * @param hits how many
 * @param runs of how many
 */
record Share(int hits, int runs) {

    /** The share of results for which {@code test} is true. */
    static <T> Share of(List<T> results, Predicate<T> test) {
        return new Share(Math.toIntExact(results.stream().filter(test).count()), results.size());
    }

    double value() {
        return (double) hits / runs;
    }

    String percent() {
        return String.format(Locale.ROOT, "%.1f %%", 100 * value());
    }
}
