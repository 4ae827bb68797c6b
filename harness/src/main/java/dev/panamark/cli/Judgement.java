package dev.panamark.cli;

import dev.panamark.result.Metric;
import dev.panamark.result.Row;
import dev.panamark.result.Status;
import dev.panamark.result.Tags;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Which exit code a run deserves. */
final class Judgement {
    private static final Set<Status> NOTHING = EnumSet.of(Status.UNSUPPORTED, Status.SKIPPED);
    private static final Set<Status> NOT_RIGHT = EnumSet.of(Status.WRONG, Status.FAILED, Status.TIMEOUT);
    private static final Set<Status> NOT_TRUSTED = EnumSet.of(Status.REJECTED, Status.UNSTABLE);

    private Judgement() {}

    static ExitCode of(List<Row> rows, boolean inputFault, Optional<Double> noiseLimit) {
        if (inputFault) {
            return ExitCode.BAD_INPUT;
        }
        if (rows.stream().allMatch(r -> NOTHING.contains(r.status()))) {
            return ExitCode.NOTHING_THERE;
        }
        if (rows.stream().anyMatch(r -> NOT_RIGHT.contains(r.status()))) {
            return ExitCode.NOT_RIGHT;
        }
        boolean noisy = noiseLimit.isPresent() && rows.stream().anyMatch(r -> isNoisy(r, noiseLimit.get()));
        boolean untrusted = rows.stream().anyMatch(r -> NOT_TRUSTED.contains(r.status()) || spent(r));
        return noisy || untrusted ? ExitCode.NOT_TRUSTED : ExitCode.OK;
    }

    /** A row whose turn never came leaves the answer incomplete; one that a {@code where} excluded does not. */
    private static boolean spent(Row row) {
        return row.status() == Status.SKIPPED && row.flags().contains(dev.panamark.worker.Conductor.BUDGET_SPENT);
    }

    /** A row whose noise is not known is not known to be quiet. */
    private static boolean isNoisy(Row row, double limit) {
        Metric time = row.metric(Tags.TIME_MEDIAN);
        if (time == null || time.value() == null) {
            return false;
        }
        Metric noise = row.metric(Tags.TIME_NOISE);
        return noise == null || noise.value() == null || noise.value() > limit;
    }
}
