package dev.panamark.benchmark.coverage;

import dev.panamark.measure.Effort;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code benchmarks/coverage}: prints how far published numbers can be trusted, and judges what is claimed of them. */
@Command(
        name = "coverage",
        sortOptions = false,
        description = {
            "How often intervals hold the truth, and verdicts are right: simulated launches of which the truth is known"
                    + " go the way that real ones go. Ends with 1 when a claim is missed by more than two standard errors."
        })
final class Coverage implements Callable<Integer> {
    private static final Sampling SHORT = new Sampling(1e-3);
    private static final Sampling LONG = new Sampling(20e-3);
    private static final int FEWEST_RUNS = 20;
    private static final int MOST_RUNS = 1_000_000;

    private static final String DRIFT_IS_WIDE = "a level that drifts counts as chance";

    private final PrintStream out;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(
            names = "--runs",
            paramLabel = "N",
            defaultValue = "2000",
            description = "Simulated runs for each line (default: ${DEFAULT-VALUE}); 200 are a quick look.")
    private int runs;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Of the random numbers (default: ${DEFAULT-VALUE}); the same seed gives the same table.")
    private long seed;

    @SuppressWarnings("UnusedVariable") // picocli acts on it
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help and exit.")
    private boolean help;

    Coverage(PrintStream out) {
        this.out = out;
    }

    /** Exits with 0, with 1 when a claim is missed, or with 2 when the command line is wrong. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new Coverage(System.out)).execute(args));
    }

    @Override
    public Integer call() {
        if (runs < FEWEST_RUNS || runs > MOST_RUNS) {
            throw new ParameterException(
                    spec.commandLine(), "--runs must be from " + FEWEST_RUNS + " to " + MOST_RUNS + ", not " + runs);
        }
        Trials trials = new Trials(runs, seed);
        out.printf(
                Locale.ROOT,
                "%,d simulated runs a line, seed %d. Samples as of `panamark run`: at least %d and %.0f ms, until ± %.0f %%,"
                        + " at most %.1f s.%n",
                runs,
                seed,
                Effort.MIN_SAMPLES,
                1e3 * Effort.MIN_TIME,
                100 * Effort.PRECISION,
                Sampling.SHARE);
        boolean kept = print(
                "One invocation: the median's 95 % interval, target 95 ± 2 %. The truth is the median of the process; where"
                        + " the level drifts,\nthat of the launches sampled, given their levels. Beside it what is not"
                        + " offered: Student's t interval of the mean for\nindependent samples, over the same samples.",
                oneInvocation(trials));
        kept &= print(
                "Several invocations of launches AR(1), 0.6: the interval of the median over them, target 95 ± 2 %. The"
                        + " truth is the median of\nall possible invocations.",
                severalInvocations(trials));
        kept &= print(
                "Two results of launches AR(1), 0.6, compared. Targets: alike, slower or faster in at most 5 %; 1 % slower"
                        + " or more, found in at\nleast 90 %. \"Holds\" is the interval of the ratio, which with one"
                        + " invocation lacks what differs between runs.",
                verdicts(trials));
        out.printf("%nEvery claim was kept: %s%n", kept ? "pass" : "FAIL");
        return kept ? 0 : 1;
    }

    /** Whether no claim was missed. */
    private boolean print(String title, Table table) {
        out.printf("%n%s%n%n%s", title, table.text());
        out.flush();
        return !table.missed();
    }

    private static Table oneInvocation(Trials trials) {
        Table table = OneInvocation.table();
        for (Sampling sampling : List.of(SHORT, LONG)) {
            for (double rho : new double[] {0, 0.3, 0.6, 0.9}) {
                OneInvocation.line(table, trials, SyntheticTimer.autoregressive(rho), sampling, Claim.holds());
            }
            Claim wide = Claim.holds().orMore(DRIFT_IS_WIDE);
            OneInvocation.line(table, trials, SyntheticTimer.linearDrift(), sampling, wide);
            OneInvocation.line(table, trials, SyntheticTimer.randomWalk(), sampling, wide);
            OneInvocation.line(table, trials, SyntheticTimer.twoClocks(), sampling, Claim.holds());
            OneInvocation.line(table, trials, SyntheticTimer.twoClocksInStretches(10), sampling, Claim.holds());
            String few = sampling.equals(SHORT)
                    ? "500 to 2,500 launches hold too few stretches"
                    : "100 launches hold one or two stretches, and nothing tells of others";
            OneInvocation.line(
                    table,
                    trials,
                    SyntheticTimer.twoClocksInStretches(100),
                    sampling,
                    Claim.holds().butNot(few));
            OneInvocation.line(table, trials, SyntheticTimer.rareLong(), sampling, Claim.holds());
            OneInvocation.line(table, trials, SyntheticTimer.pareto(), sampling, Claim.holds());
        }
        return table;
    }

    private static Table severalInvocations(Trials trials) {
        Table table = SeveralInvocations.table();
        for (BetweenRuns between : List.of(BetweenRuns.NORMAL, BetweenRuns.SKEWED)) {
            for (int invocations : new int[] {3, 5, 10}) {
                SeveralInvocations.line(table, trials, launches(), SHORT, invocations, between, Claim.holds());
            }
        }
        return table;
    }

    private static SyntheticTimer launches() {
        return SyntheticTimer.autoregressive(0.6);
    }

    private static Table verdicts(Trials trials) {
        Claim quiet = Claim.atMost(0.05);
        Claim finds = Claim.atLeast(0.90);
        Table table = Verdicts.table();
        verdict(table, trials, 1, BetweenRuns.NONE, SHORT, 0, quiet);
        verdict(table, trials, 1, BetweenRuns.NORMAL, SHORT, 0, quiet);
        verdict(table, trials, 1, BetweenRuns.NORMAL, LONG, 0, quiet);
        verdict(table, trials, 5, BetweenRuns.NORMAL, SHORT, 0, quiet);
        verdict(table, trials, 5, BetweenRuns.SKEWED, SHORT, 0, quiet);
        verdict(table, trials, 5, BetweenRuns.NORMAL, LONG, 0, quiet);
        verdict(table, trials, 1, BetweenRuns.NORMAL, SHORT, 0.01, Claim.none());
        verdict(table, trials, 5, BetweenRuns.NORMAL, SHORT, 0.005, Claim.none());
        verdict(table, trials, 5, BetweenRuns.NORMAL, SHORT, 0.01, finds);
        verdict(table, trials, 5, BetweenRuns.NORMAL, SHORT, 0.02, finds);
        verdict(
                table,
                trials,
                5,
                BetweenRuns.NORMAL,
                LONG,
                0.01,
                finds.butNot(
                        "some 110 samples are exact to ± 1 %; --min-samples 600 should make them as exact as above (not simulated)"));
        verdict(table, trials, 5, BetweenRuns.NORMAL, LONG, 0.02, finds);
        return table;
    }

    private static void verdict(
            Table table,
            Trials trials,
            int invocations,
            BetweenRuns between,
            Sampling sampling,
            double change,
            Claim claim) {
        Verdicts.line(table, trials, launches(), new Verdicts.Question(invocations, between, sampling, change), claim);
    }
}
