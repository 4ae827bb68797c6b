package dev.panamark.benchmark.coverage;

import dev.panamark.compare.Comparer;
import dev.panamark.compare.Comparison;
import dev.panamark.compare.Verdict;
import dev.panamark.result.Interval;
import dev.panamark.result.Tags;
import java.util.List;
import java.util.Locale;
import java.util.random.RandomGenerator;

/** How often {@code panamark compare} finds a difference, where there is none and where there is one. */
final class Verdicts {
    /** What {@code compare} takes without {@code --threshold}. */
    private static final double THRESHOLD = 0.005;

    private Verdicts() {}

    private record Run(Verdict verdict, boolean holds, double half) {}

    /**
     * What is compared.
     *
     * @param invocations of each side
     * @param between what differs from invocation to invocation
     * @param sampling of both sides
     * @param change by which NEW is slower
     */
    record Question(int invocations, BetweenRuns between, Sampling sampling, double change) {}

    static Table table() {
        return new Table(
                "a side has",
                "between them",
                "a launch",
                "NEW is",
                "slower",
                "faster",
                "same",
                "undecided",
                "± half",
                "holds");
    }

    static void line(Table table, Trials trials, SyntheticTimer timer, Question question, Claim claim) {
        List<Run> runs = trials.of("verdict " + question, random -> run(timer, question, random));
        Share slower = Share.of(runs, r -> r.verdict() == Verdict.WORSE);
        Share faster = Share.of(runs, r -> r.verdict() == Verdict.BETTER);
        boolean alike = question.change() == 0;
        Share found = alike ? new Share(slower.hits() + faster.hits(), runs.size()) : slower;
        table.add(
                claim.judge(found),
                question.invocations() + (question.invocations() == 1 ? " invocation" : " invocations"),
                question.between().label(),
                question.sampling().label(),
                alike ? "alike" : String.format(Locale.ROOT, "%.1f %% slower", 100 * question.change()),
                slower.percent(),
                faster.percent(),
                Share.of(runs, r -> r.verdict() == Verdict.SAME).percent(),
                Share.of(runs, r -> r.verdict() == Verdict.UNDECIDED).percent(),
                String.format(
                        Locale.ROOT,
                        "%.2f %%",
                        100 * runs.stream().mapToDouble(Run::half).average().orElseThrow()),
                Share.of(runs, Run::holds).percent());
    }

    private static Run run(SyntheticTimer timer, Question q, RandomGenerator random) {
        Comparison comparison = Comparer.compare(
                Rows.run("base", Rows.of(timer, q.sampling(), q.between(), q.invocations(), 1, random)),
                Rows.run("new", Rows.of(timer, q.sampling(), q.between(), q.invocations(), 1 + q.change(), random)),
                new Comparison.Question(Tags.TIME_MEDIAN.path(), null, THRESHOLD, false, random.nextInt()));
        Comparison.Pair pair = comparison.pairs().getFirst();
        Interval ci95 = pair.ci95();
        if (ci95 == null) {
            throw new IllegalStateException("no interval of the ratio: " + pair.notes());
        }
        double truth = 1 + q.change();
        return new Run(pair.verdict(), ci95.lo() <= truth && truth <= ci95.hi(), (ci95.hi() - ci95.lo()) / 2);
    }
}
