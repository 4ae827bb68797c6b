package dev.panamark.benchmark.coverage;

import dev.panamark.stats.Descriptive;
import dev.panamark.stats.MedianInterval;
import java.util.List;
import java.util.Locale;
import java.util.random.RandomGenerator;
import org.hipparchus.distribution.continuous.TDistribution;

/**
 * How often the interval of one invocation holds the true median, and beside it how often Student's t interval for
 * independent samples, over the same samples, holds the true mean.
 */
final class OneInvocation {
    private OneInvocation() {}

    /** One simulated run; halves are relative to the middle. */
    private record Run(boolean holds, double half, boolean naiveHolds, double naiveHalf, int samples) {}

    static Table table() {
        return new Table("times of launches", "a launch", "samples", "± half", "holds", "t: ± half", "t: holds");
    }

    static void line(Table table, Trials trials, SyntheticTimer timer, Sampling sampling, Claim claim) {
        List<Run> runs = trials.of("one " + timer.name() + sampling.label(), random -> run(timer, sampling, random));
        Share holds = Share.of(runs, Run::holds);
        table.add(
                claim.judge(holds),
                timer.name(),
                sampling.label(),
                String.format(
                        Locale.ROOT,
                        "%.0f",
                        runs.stream().mapToInt(Run::samples).average().orElseThrow()),
                mean(runs.stream().mapToDouble(Run::half).toArray()),
                holds.percent(),
                mean(runs.stream().mapToDouble(Run::naiveHalf).toArray()),
                Share.of(runs, Run::naiveHolds).percent());
    }

    private static String mean(double[] halves) {
        return String.format(Locale.ROOT, "%.2f %%", 100 * Descriptive.mean(halves));
    }

    private static Run run(SyntheticTimer timer, Sampling sampling, RandomGenerator random) {
        Course course = timer.start().apply(random);
        double[] seconds = sampling.sample(course, 1);
        int n = seconds.length;
        MedianInterval interval = MedianInterval.of(seconds);
        MedianInterval.Bounds ci95 = interval.ci95();
        if (ci95 == null) {
            throw new IllegalStateException(
                    n + " samples of " + timer.name() + " gave no interval: " + interval.reason());
        }
        double median = sampling.launch() * course.median();
        double mean = Descriptive.mean(seconds);
        double naive = new TDistribution(n - 1).inverseCumulativeProbability(0.975)
                * Descriptive.stdev(seconds)
                / Math.sqrt(n);
        return new Run(
                ci95.lo() <= median && median <= ci95.hi(),
                (ci95.hi() - ci95.lo()) / 2 / interval.median(),
                Math.abs(mean - sampling.launch() * course.mean()) <= naive,
                naive / mean,
                n);
    }
}
