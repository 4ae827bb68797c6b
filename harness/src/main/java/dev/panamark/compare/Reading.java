package dev.panamark.compare;

import dev.panamark.result.Metric;
import dev.panamark.result.Row;
import dev.panamark.result.Source;
import dev.panamark.result.Status;
import dev.panamark.result.Tags;
import dev.panamark.stats.Descriptive;
import dev.panamark.stats.Draws;
import dev.panamark.stats.MedianSpread;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What one file says about one subject on one device.
 *
 * @param device id
 * @param image hash of the code that ran; empty where none was made
 * @param status {@code ok}, or that of the row that is worst
 * @param reason why there is no value; null where there is one
 * @param value the metric, where there is one
 * @param samples how many samples the value stands on; 0 when not known
 * @param invocations how many invocations it stands on
 * @param single whether one invocation measured it, so that the spread lacks what differs from run to run
 * @param spread how far the value may be off; null without a value, and for a value that is not positive
 * @param notes what to know about it
 */
record Reading(
        String device,
        String image,
        Status status,
        @Nullable String reason,
        @Nullable Double value,
        long samples,
        int invocations,
        boolean single,
        @Nullable MedianSpread spread,
        List<String> notes) {

    /** Not measured, rather than measured and bad: the other invocations still count. */
    private static final Set<Status> NOT_TRIED = EnumSet.of(Status.SKIPPED, Status.UNSUPPORTED);

    /** Metrics that are computed from counts, problem and datasheet alone, so that repeating gives the same number. */
    private static final Set<String> COUNTED = Set.of(
            Tags.MEMORY_PEAK.path(),
            Tags.TIME_BOUND.path(),
            Tags.OCCUPANCY_THEORETICAL.path(),
            Tags.SHARED_IDEAL.path(),
            Tags.KV_FRAGMENTATION.path());

    /** Metrics that are a constant over the median time. */
    private static final Set<String> OVER_TIME = Set.of(
            Tags.RATE_FLOPS.path(),
            Tags.RATE_BYTES.path(),
            Tags.RATE_LAYER_TOKENS.path(),
            Tags.RATE_TOKENS.path(),
            Tags.UTIL_PEAK.path(),
            Tags.UTIL_BANDWIDTH.path());

    /** Two doubles that were computed from the same samples differ by less. */
    private static final double ROUNDING = 1e-9;

    /**
     * Where the random numbers of the resampling come from.
     *
     * @param row seed, another one for every row
     * @param invocations the same for all rows of a file
     */
    record Chance(long row, Draws invocations) {}

    boolean isExact() {
        return spread != null ? spread.basis() == MedianSpread.Basis.EXACT : notes.contains(EXACT_ZERO);
    }

    private static final String EXACT_ZERO = "counted: none";

    /**
     * Reads rows of one device, subject and image.
     *
     * @param rows at least 1; several when there were several invocations
     */
    static Reading of(List<Row> rows, String metric, Chance chance) {
        Row first = rows.getFirst();
        Optional<Row> bad = rows.stream()
                .filter(r -> r.status() != Status.OK && !NOT_TRIED.contains(r.status()))
                .findFirst()
                .or(() -> rows.stream().allMatch(r -> r.status() != Status.OK) ? Optional.of(first) : Optional.empty());
        if (bad.isPresent()) {
            Row row = bad.get();
            String which = rows.size() > 1 && row.invocation() != null ? "invocation " + row.invocation() + ": " : "";
            return without(row, row.status(), which + row.reason());
        }
        List<Row> right = rows.stream().filter(r -> r.status() == Status.OK).toList();
        List<String> notes = new ArrayList<>();
        if (right.size() < rows.size()) {
            Row left = rows.stream()
                    .filter(r -> r.status() != Status.OK)
                    .findFirst()
                    .orElse(first);
            notes.add((rows.size() - right.size()) + " of its rows left out: "
                    + left.status().tag());
        }
        right.forEach(r -> r.flags().stream().filter(f -> !notes.contains(f)).forEach(notes::add));
        List<Row> single = right.stream()
                .filter(r -> r.invocation() != null)
                .sorted(Comparator.comparing(Row::invocation, Comparator.nullsFirst(Comparator.naturalOrder())))
                .toList();
        return single.size() > 1
                ? ofInvocations(single, metric, chance, notes)
                : ofOne(single.isEmpty() ? right.getFirst() : single.getFirst(), metric, chance, notes);
    }

    private static Reading without(Row row, Status status, String reason) {
        return new Reading(row.device(), row.image(), status, reason, null, 0, 0, false, null, List.of());
    }

    private static Reading ofInvocations(List<Row> rows, String metric, Chance chance, List<String> notes) {
        double[] values = new double[rows.size()];
        long samples = 0;
        for (int i = 0; i < values.length; i++) {
            Metric m = rows.get(i).metrics().get(metric);
            if (m == null || m.value() == null) {
                return missing(rows.get(i), metric, m);
            }
            values[i] = m.value();
            samples += Objects.requireNonNullElse(m.n(), 0L);
        }
        double value = Descriptive.median(values);
        Row row = rows.getFirst();
        MedianSpread spread = null;
        if (Arrays.stream(values).allMatch(v -> v > 0)) {
            Metric m = Objects.requireNonNull(row.metrics().get(metric));
            boolean exact = isExact(m, metric) && Arrays.stream(values).allMatch(v -> v == value);
            spread = exact ? MedianSpread.exact(value) : MedianSpread.ofInvocations(values, chance.invocations());
        }
        return new Reading(
                row.device(), row.image(), Status.OK, null, value, samples, values.length, false, spread, notes);
    }

    private static Reading ofOne(Row row, String metric, Chance chance, List<String> notes) {
        Metric m = row.metrics().get(metric);
        if (m == null || m.value() == null) {
            return missing(row, metric, m);
        }
        double value = m.value();
        MedianSpread spread = null;
        boolean single = false;
        if (value > 0) {
            spread = spread(row, m, value, metric, chance);
            boolean told = notes.stream().anyMatch(n -> n.contains("drifted"));
            switch (spread.basis()) {
                case DRIFTED_SAMPLES -> {
                    if (!told) {
                        notes.add("the level drifted while sampling; the interval is wide");
                    }
                }
                case INTERVAL ->
                    notes.add("its samples are not all in the file, so its interval comes from ci95 (delta method on"
                            + " logarithms)");
                case SAMPLES, INVOCATIONS, EXACT, NONE -> {
                    // nothing to say, or said with the ratio
                }
            }
            single = row.invocation() != null && spread.basis() != MedianSpread.Basis.EXACT;
            if (single) {
                notes.add(ONE_INVOCATION);
            }
        } else if (value == 0 && isExact(m, metric)) {
            notes.add(EXACT_ZERO);
        }
        long n = Objects.requireNonNullElse(m.n(), 0L);
        return new Reading(row.device(), row.image(), Status.OK, null, value, n, 1, single, spread, notes);
    }

    static final String ONE_INVOCATION = "one invocation: the spread between runs is unknown and not in the interval;"
            + " the verdict takes it for 0.3 % a side";

    private static MedianSpread spread(Row row, Metric m, double value, String metric, Chance chance) {
        if (isExact(m, metric)) {
            return MedianSpread.exact(value);
        }
        double[] samples = wholeSamples(row);
        if (samples.length > 0 && metric.equals(Tags.TIME_MEDIAN.path())) {
            return MedianSpread.ofSamples(samples, chance.row());
        }
        if (samples.length > 0 && OVER_TIME.contains(metric)) {
            return MedianSpread.ofSamples(samples, chance.row()).inverse(value);
        }
        if (m.ci95() != null) {
            return MedianSpread.ofInterval(value, m.ci95().lo(), m.ci95().hi(), chance.row());
        }
        String said = m.note() == null ? "" : m.note().replaceFirst("^no interval: ", "");
        return MedianSpread.unknown(
                value, said.isEmpty() ? "the file holds neither samples nor an interval of " + metric : said);
    }

    /** The row's samples when all that its median stands on are there. */
    private static double[] wholeSamples(Row row) {
        Metric time = row.metric(Tags.TIME_MEDIAN);
        if (row.samples().isEmpty() || time == null || time.value() == null) {
            return new double[0];
        }
        double[] samples = row.sampleSeconds();
        boolean all = Math.abs(Descriptive.median(samples) - time.value()) <= ROUNDING * time.value();
        return all && (time.n() == null || time.n() == samples.length) && time.value() > 0 ? samples : new double[0];
    }

    private static boolean isExact(Metric m, String metric) {
        boolean counted = m.source() == Source.EMULATED || m.source() == Source.DATASHEET || COUNTED.contains(metric);
        return counted && m.ci95() == null; // an estimate from some blocks has an interval
    }

    private static Reading missing(Row row, String metric, @Nullable Metric m) {
        String why = m == null ? "the row holds no " + metric : String.valueOf(m.reason());
        return without(row, Status.OK, why);
    }

    /** What both sides' notes are, each once, with the side where only one has it. */
    static List<String> notes(Reading base, Reading next) {
        Set<String> out = new LinkedHashSet<>();
        for (String note : base.notes) {
            out.add(next.notes.contains(note) ? note : "BASE: " + note);
        }
        out.addAll(next.notes.stream()
                .filter(n -> !base.notes.contains(n))
                .map(n -> "NEW: " + n)
                .collect(Collectors.toList()));
        return List.copyOf(out);
    }
}
