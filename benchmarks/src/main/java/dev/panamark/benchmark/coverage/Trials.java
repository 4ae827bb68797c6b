package dev.panamark.benchmark.coverage;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/**
 * Repeats an experiment on all cores. Every run has random numbers of its own, which depend on the seed, the
 * experiment's name and the run's number alone, so that the results do not depend on the threads.
 *
 * @param runs of each experiment
 * @param seed of all of them
 */
record Trials(int runs, long seed) {

    /** What every run gave, in order. */
    <T> List<T> of(String experiment, Function<RandomGenerator, T> run) {
        long base = mixed(seed, experiment.hashCode());
        return IntStream.range(0, runs)
                .parallel()
                .mapToObj(i -> run.apply(new SplittableRandom(mixed(base, i))))
                .toList();
    }

    /** Seeds that have nothing to do with each other (the finaliser of SplitMix64, Steele et al. 2014). */
    private static long mixed(long a, long b) {
        long z = a * 0x9e3779b97f4a7c15L + b;
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
