package dev.panamark.benchmark.coverage;

import dev.panamark.measure.Invocations;
import dev.panamark.result.Interval;
import dev.panamark.result.Metric;
import dev.panamark.result.Row;
import dev.panamark.result.Tags;
import java.util.List;
import java.util.Locale;

/** How often the interval of a row that several invocations measured holds the median of what invocations can find. */
final class SeveralInvocations {
    private SeveralInvocations() {}

    private record Run(boolean holds, double half) {}

    static Table table() {
        return new Table("invocations", "between them", "a launch", "± half", "holds");
    }

    /** Factors of invocations have a median of 1, so the truth is that of the timer. */
    static void line(
            Table table,
            Trials trials,
            SyntheticTimer timer,
            Sampling sampling,
            int invocations,
            BetweenRuns between,
            Claim claim) {
        String name = "several " + invocations + between.label() + sampling.label();
        List<Run> runs = trials.of(name, random -> {
            Row row = Invocations.aggregate(Rows.of(timer, sampling, between, invocations, 1, random));
            Metric time = row.metric(Tags.TIME_MEDIAN);
            Interval ci95 = time == null ? null : time.ci95();
            if (time == null || time.value() == null || ci95 == null) {
                throw new IllegalStateException(invocations + " invocations gave no interval: " + time);
            }
            double truth = sampling.launch() * timer.start().apply(random).median();
            return new Run(ci95.lo() <= truth && truth <= ci95.hi(), (ci95.hi() - ci95.lo()) / 2 / time.value());
        });
        Share holds = Share.of(runs, Run::holds);
        table.add(
                claim.judge(holds),
                Integer.toString(invocations),
                between.label(),
                sampling.label(),
                String.format(
                        Locale.ROOT,
                        "%.2f %%",
                        100 * runs.stream().mapToDouble(Run::half).average().orElseThrow()),
                holds.percent());
    }
}
