package dev.panamark.result;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One kernel, measured for one problem on one device.
 *
 * @param device its id: {@code cpu:0}
 * @param kernel full name
 * @param image hash of the code that ran; empty where none was made
 * @param problem value of every axis (long, double, text or boolean)
 * @param mode {@code cold}, {@code hot} or {@code graph}
 * @param invocation number of the worker that measured it, from 0; null in the row that aggregates several
 * @param status how it ended
 * @param reason why it is not {@code ok}; null exactly when it is
 * @param metrics by tag; see {@link Tags}
 * @param work flops by class, bytes and tokens of one launch
 * @param check the acceptance rule and the worst element: index, got, expected, seed
 * @param denominators what shares are shares of, each with its source
 * @param flags short texts that a reader should see beside the numbers
 * @param samples seconds per launch, in the order of measuring
 * @param run how it was measured: launches per sample, warm-up, seed, threads
 */
public record Row(
        String device,
        String kernel,
        String image,
        SequencedMap<String, Object> problem,
        String mode,
        @Nullable Integer invocation,
        Status status,
        @Nullable String reason,
        SequencedMap<String, Metric> metrics,
        SequencedMap<String, Object> work,
        SequencedMap<String, Object> check,
        SequencedMap<String, Object> denominators,
        List<String> flags,
        List<Double> samples,
        SequencedMap<String, Object> run) {

    private static final Set<String> MODES = Set.of("cold", "hot", "graph");

    /**
     * What tells two rows of one run apart. Two problems are equal when they give the same axes the same values, in
     * whatever order.
     *
     * @param device id
     * @param kernel full name
     * @param image hash
     * @param problem axes
     * @param mode cold, hot or graph
     * @param invocation number, or null
     */
    public record Key(
            String device,
            String kernel,
            String image,
            Map<String, Object> problem,
            String mode,
            @Nullable Integer invocation) {}

    /**
     * Copies everything, deeply.
     *
     * @throws IllegalArgumentException when a name is blank, the mode is unknown, status and reason disagree, a known
     *     metric has another unit, a sample is negative or not finite, or a map holds what JSON cannot
     */
    public Row {
        requireText("device", device);
        requireText("kernel", kernel);
        if (!MODES.contains(mode)) {
            throw new IllegalArgumentException("mode must be cold, hot or graph, not '" + mode + "'");
        }
        if (invocation != null && invocation < 0) {
            throw new IllegalArgumentException("invocation counts from 0, not " + invocation);
        }
        if (status == Status.OK && reason != null) {
            throw new IllegalArgumentException("a row that is ok takes no reason (\"" + reason + "\"); use a flag");
        }
        if (status != Status.OK && (reason == null || reason.isBlank())) {
            throw new IllegalArgumentException("a row that is " + status.tag() + " needs a reason");
        }
        problem = JsonValues.freeze("problem", problem);
        metrics = FrozenMap.copyOf(metrics);
        metrics.forEach(Tags::requireUnit);
        work = JsonValues.freeze("work", work);
        check = JsonValues.freeze("check", check);
        denominators = JsonValues.freeze("denominators", denominators);
        run = JsonValues.freeze("run", run);
        flags = List.copyOf(flags);
        SampleList times = SampleList.copyOf(samples);
        times.requireTimes();
        samples = times;
    }

    /** The samples as numbers, a copy. */
    public double[] sampleSeconds() {
        return SampleList.copyOf(samples).toDoubles();
    }

    /** What tells it from the other rows of its run. */
    public Key key() {
        return new Key(device, kernel, image, problem, mode, invocation);
    }

    /** The metric of this tag, or null where the row has none. */
    public @Nullable Metric metric(Tag tag) {
        return metrics.get(tag.path());
    }

    /** One line of JSON without a line end; {@link #fromJson} gives an equal row back, to the last bit. */
    public String toJson() {
        return ResultJson.line(this);
    }

    /**
     * Reads what {@link #toJson} wrote.
     *
     * @throws ResultFileException when it is not such a row; the file is called "row"
     */
    public static Row fromJson(String json) {
        return ResultJson.row(json, "row", 1);
    }

    /** Starts a row that is {@code ok} until told otherwise. */
    public static Builder builder(
            String device, String kernel, String image, SequencedMap<String, Object> problem, String mode) {
        return new Builder(device, kernel, image, problem, mode);
    }

    /** A builder that holds everything this row does. */
    public Builder toBuilder() {
        Builder b = new Builder(device, kernel, image, problem, mode);
        b.invocation = invocation;
        b.status = status;
        b.reason = reason;
        b.metrics.putAll(metrics);
        b.work = work;
        b.check = check;
        b.denominators = denominators;
        b.run = run;
        b.flags.addAll(flags);
        b.samples = samples;
        return b;
    }

    /** Collects a row piece by piece. Used by one thread. */
    public static final class Builder {
        private final String device;
        private final String kernel;
        private final String image;
        private final SequencedMap<String, Object> problem;
        private final String mode;
        private @Nullable Integer invocation;
        private Status status = Status.OK;
        private @Nullable String reason;
        private final SequencedMap<String, Metric> metrics = new LinkedHashMap<>();
        private SequencedMap<String, Object> work = new LinkedHashMap<>();
        private SequencedMap<String, Object> check = new LinkedHashMap<>();
        private SequencedMap<String, Object> denominators = new LinkedHashMap<>();
        private SequencedMap<String, Object> run = new LinkedHashMap<>();
        private final List<String> flags = new ArrayList<>();
        private List<Double> samples = List.of();

        private Builder(String device, String kernel, String image, SequencedMap<String, Object> problem, String mode) {
            this.device = device;
            this.kernel = kernel;
            this.image = image;
            this.problem = problem;
            this.mode = mode;
        }

        /** Which worker measures it, from 0; null for the row that aggregates several. */
        public Builder invocation(@Nullable Integer number) {
            this.invocation = number;
            return this;
        }

        /** Not ok, and why. */
        public Builder status(Status how, String why) {
            this.status = how;
            this.reason = why;
            return this;
        }

        /** Right and measured. */
        public Builder ok() {
            this.status = Status.OK;
            this.reason = null;
            return this;
        }

        /** Sets a metric. */
        public Builder metric(Tag tag, Metric metric) {
            metrics.put(tag.path(), metric);
            return this;
        }

        /** Sets a metric by its path. */
        public Builder metric(String path, Metric metric) {
            metrics.put(path, metric);
            return this;
        }

        /** Flops by class, bytes and tokens of one launch. */
        public Builder work(SequencedMap<String, Object> map) {
            this.work = map;
            return this;
        }

        /** Rule and worst element. */
        public Builder check(SequencedMap<String, Object> map) {
            this.check = map;
            return this;
        }

        /** What shares are shares of. */
        public Builder denominators(SequencedMap<String, Object> map) {
            this.denominators = map;
            return this;
        }

        /** How it was measured. */
        public Builder run(SequencedMap<String, Object> map) {
            this.run = map;
            return this;
        }

        /** Adds a remark that readers should see. */
        public Builder flag(String flag) {
            flags.add(flag);
            return this;
        }

        /** Seconds per launch. */
        public Builder samples(Collection<Double> seconds) {
            this.samples = SampleList.copyOf(seconds);
            return this;
        }

        /**
         * The row.
         *
         * @throws IllegalArgumentException as the constructor does
         */
        public Row build() {
            return new Row(
                    device,
                    kernel,
                    image,
                    problem,
                    mode,
                    invocation,
                    status,
                    reason,
                    metrics,
                    work,
                    check,
                    denominators,
                    flags,
                    samples,
                    run);
        }
    }

    private static void requireText(String field, String text) {
        if (text.isBlank()) {
            throw new IllegalArgumentException(field + " is blank");
        }
    }
}
