package dev.panamark.cli;

import dev.panamark.compare.Better;
import dev.panamark.compare.CompareJson;
import dev.panamark.compare.ComparedRun;
import dev.panamark.compare.Comparer;
import dev.panamark.compare.Comparison;
import dev.panamark.compare.FailRule;
import dev.panamark.compare.IncomparableException;
import dev.panamark.compare.Subject;
import dev.panamark.report.ComparisonCsv;
import dev.panamark.report.ComparisonMarkdown;
import dev.panamark.report.ComparisonTable;
import dev.panamark.result.Tags;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code panamark compare}. */
@Command(
        name = "compare",
        sortOptions = false,
        description = "Compare two results: ratios with intervals, verdicts, what else differs.",
        footer = {
            "",
            "A verdict other than undecided needs the 95 %% interval of new/base: same lies within the threshold on both",
            "sides of 1; faster and slower exclude 1 and change by more than the threshold. Where a side is one invocation,",
            "runs are taken to scatter by 0.3 %%: measure five (--invocations 5) to know.",
            "",
            "Exit codes: 0 compared; 1 --fail-on objects to a row; 2 bad command line or file; 3 nothing to compare.",
            "",
            "Examples:",
            "  panamark compare before.json after.json",
            "  panamark compare before.json after.json --fail-on slower:3%% --md -",
            "  panamark compare h100.json mi300x.json --across devices --metric tokens_per_joule/gross"
        })
final class CompareCommand implements Callable<Integer> {
    private final Surroundings surroundings;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "BASE", description = "The older result, or a journal.")
    @SuppressWarnings("NullAway.Init") // picocli demands it
    private Path base;

    @Parameters(index = "1", paramLabel = "NEW", description = "The newer result, or a journal.")
    @SuppressWarnings("NullAway.Init") // picocli demands it
    private Path next;

    @Option(names = "--metric", paramLabel = "TAG", description = "What to compare (default: time/device/median).")
    private String metric = Tags.TIME_MEDIAN.path();

    @Option(
            names = "--better",
            paramLabel = "lower|higher",
            description = "The good direction of a metric that Panamark does not know.")
    private @Nullable Better better;

    @Option(
            names = "--threshold",
            paramLabel = "SHARE",
            defaultValue = "0.5%",
            converter = Share.class,
            description = "A change up to here does not matter (default: 0.5%%).")
    private double threshold;

    /** What rows may differ in and still be a pair. */
    enum Across {
        DEVICES
    }

    @Option(
            names = "--across",
            paramLabel = "devices",
            description = "Pair rows of different devices, by kernel, problem and mode.")
    private @Nullable Across across;

    @Option(
            names = "--fail-on",
            paramLabel = "RULE",
            split = ",",
            description = {
                "Exit with 1 when a pair is slower[:SHARE], faster[:SHARE] or undecided, or a row of BASE is broken"
                        + " (was right, is no longer; implied by any rule) or missing."
            })
    private List<String> failOn = new ArrayList<>();

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Seed of the resampling (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Mixin
    private OutputFiles outputs = new OutputFiles();

    CompareCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() {
        outputs.check();
        Comparison comparison;
        List<FailRule> rules;
        try {
            rules = failOn.stream().map(FailRule::parse).toList();
        } catch (IllegalArgumentException e) {
            throw new CommandFailed(ExitCode.BAD_INPUT, "--fail-on " + e.getMessage());
        }
        ComparedRun.Both both = ComparedRun.read(base, next);
        try {
            comparison = Comparer.compare(
                    both.base(), both.next(), new Comparison.Question(metric, better, threshold, across != null, seed));
        } catch (IncomparableException e) {
            throw new CommandFailed(ExitCode.BAD_INPUT, String.valueOf(e.getMessage()));
        }
        List<FailRule.Failure> failures = FailRule.failures(rules, comparison);
        PrintWriter out = spec.commandLine().getOut();
        if (!outputs.takesStandardOutput()) {
            out.print(ComparisonTable.render(comparison, surroundings.width(), surroundings.color()));
        }
        outputs.write(
                () -> CompareJson.render(comparison, rules, failures),
                () -> ComparisonCsv.render(comparison),
                () -> ComparisonMarkdown.render(comparison),
                out);
        PrintWriter err = spec.commandLine().getErr();
        failures.forEach(f -> err.println("panamark: --fail-on " + f.rule() + ": " + name(f.subject()) + " on "
                + f.device() + ": " + f.reason()));
        if (comparison.pairs().isEmpty()) {
            throw new CommandFailed(ExitCode.NOTHING_THERE, nothing(comparison));
        }
        return (failures.isEmpty() ? ExitCode.OK : ExitCode.NOT_RIGHT).status();
    }

    private static String name(Subject subject) {
        return subject.kernel() + " "
                + subject.problem().entrySet().stream()
                        .map(e -> e.getKey() + "=" + e.getValue())
                        .collect(Collectors.joining(" "))
                + " " + subject.mode();
    }

    private String nothing(Comparison comparison) {
        if (comparison.base().rows() == 0 || comparison.next().rows() == 0) {
            return "nothing to compare: " + (comparison.base().rows() == 0 ? base : next) + " has no rows";
        }
        boolean apart = comparison.apart().stream().allMatch(a -> a.why() == Comparison.Why.NO_PARTNER);
        if (!apart) {
            return "nothing to compare: no pair has a value of " + metric + " on both sides";
        }
        return "nothing to compare: no row of " + next + " has the device, kernel, problem and mode of one of " + base
                + (across == null ? "; --across devices pairs rows of different devices" : "");
    }
}
