package dev.panamark.cli;

import dev.panamark.measure.HostClock;
import dev.panamark.measure.Plan;
import dev.panamark.report.Numbers;
import dev.panamark.result.Metric;
import dev.panamark.result.Row;
import dev.panamark.result.Status;
import dev.panamark.result.Tags;
import dev.panamark.worker.Conductor;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.SequencedMap;

/**
 * One line a finished row on standard error, with the time that is left by what rows have taken so far. It prints
 * only when a row ends: while one is sampled the parent does nothing.
 */
final class Progress implements Conductor.Listener {
    private final PrintWriter err;
    private final boolean terminal;
    private final HostClock clock;
    private final int rows;
    private final double budget;
    private final long start;
    private final int before;
    private int ended;

    /**
     * From now on.
     *
     * @param terminal whether a line may be written over
     * @param rows of the whole run
     * @param before how many of them an earlier part of the run finished
     */
    Progress(PrintWriter err, boolean terminal, HostClock clock, int rows, int before, double budget) {
        this.before = before;
        this.err = err;
        this.terminal = terminal;
        this.clock = clock;
        this.rows = rows;
        this.budget = budget;
        this.start = clock.nanos();
    }

    /** On a terminal, what is being measured stands there until its line replaces it. */
    @Override
    public void begins(int number, List<Plan.Item> items) {
        if (terminal) {
            String others = items.size() == 1 ? "" : " and " + (items.size() - 1) + " more, in turns";
            String line = "[" + (number + 1) + "/" + rows + "] "
                    + items.getFirst().kernel().name() + others + " ...";
            err.print("\r" + line + "\033[K\r");
            err.flush();
        }
    }

    @Override
    public void ends(int number, Row row, SequencedMap<String, Object> code) {
        err.printf(
                Locale.ROOT,
                (terminal ? "\033[K" : "") + "[%d/%d] %s  %s%s%n",
                number + 1,
                rows,
                row.kernel() + " " + problem(row),
                found(row),
                eta(++ended));
    }

    /** The time, or its bound where there is no time. */
    private static String found(Row row) {
        Metric time = row.metric(Tags.TIME_MEDIAN);
        Metric bound = row.metric(Tags.TIME_BOUND);
        if (row.status() != Status.OK) {
            return row.status().tag();
        }
        if (time != null && time.value() != null) {
            return Numbers.seconds(time.value());
        }
        return bound != null && bound.value() != null ? "at least " + Numbers.seconds(bound.value()) : "ok";
    }

    private static String problem(Row row) {
        String text = String.join(
                " ",
                row.problem().entrySet().stream()
                        .map(e -> e.getKey() + "=" + e.getValue())
                        .toList());
        return text.length() <= 60 ? text : text.substring(0, 57) + "...";
    }

    private String eta(int done) {
        int left = rows - before - done;
        if (left <= 0) {
            return "";
        }
        double spent = (clock.nanos() - start) * 1e-9;
        double seconds = Math.min(spent / done * left, Math.max(0, budget - spent));
        return String.format(Locale.ROOT, "  (about %.0f s left)", seconds);
    }
}
