package dev.panamark.compare;

import dev.panamark.result.Interval;
import dev.panamark.result.Status;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything that comparing two results found.
 *
 * @param base the older result
 * @param next the newer result
 * @param question what was asked
 * @param unit of the metric
 * @param better the good direction of the metric
 * @param pairs rows that have a partner and a value on both sides, in the order of the new result
 * @param apart all other rows
 * @param environment what else differs between the two runs
 * @param overall the geometric mean of the ratios; null without a ratio
 * @param remarks what holds for the whole comparison, one sentence each
 */
public record Comparison(
        Run base,
        Run next,
        Question question,
        String unit,
        Better better,
        List<Pair> pairs,
        List<Apart> apart,
        List<Difference> environment,
        @Nullable Overall overall,
        List<String> remarks) {

    /** The only schema that this version writes. */
    public static final String SCHEMA = "panamark.compare/1";

    /** Where the JSON Schema lies: a resource beside this class. */
    public static final String SCHEMA_RESOURCE = "panamark.compare-1.schema.json";

    /** Copies. */
    public Comparison {
        pairs = List.copyOf(pairs);
        apart = List.copyOf(apart);
        environment = List.copyOf(environment);
        remarks = List.copyOf(remarks);
    }

    /**
     * One of the two results.
     *
     * @param file as the user named it
     * @param started when it began
     * @param rows how many it has
     */
    public record Run(String file, Instant started, int rows) {}

    /**
     * What was asked.
     *
     * @param metric its tag
     * @param better the good direction; null where it follows from the metric
     * @param threshold relative change that does not matter, such as 0.005
     * @param acrossDevices whether rows of different devices are pairs
     * @param seed of the resampling
     */
    public record Question(
            String metric, @Nullable Better better, double threshold, boolean acrossDevices, long seed) {}

    /**
     * One side of a pair.
     *
     * @param device id
     * @param image hash of the code that ran; may be empty
     * @param value in the unit of the metric
     * @param samples that it stands on; 0 when not known
     * @param invocations that it stands on
     * @param single whether it was measured by one invocation, so that its spread lacks what differs from run to run
     * @param basis what its spread stands on: {@code samples}, {@code drifted_samples}, {@code invocations}, {@code
     *     interval}, {@code exact} or {@code none}
     */
    public record Side(
            String device, String image, double value, long samples, int invocations, boolean single, String basis) {}

    /**
     * Two rows that belong together.
     *
     * @param subject what was measured
     * @param base its side
     * @param next its side
     * @param ratio new over base; null where one of them is 0
     * @param ci95 interval of the ratio; null where nothing is known about the spread
     * @param verdict what that says
     * @param notes what to read beside it
     */
    public record Pair(
            Subject subject,
            Side base,
            Side next,
            @Nullable Double ratio,
            @Nullable Interval ci95,
            Verdict verdict,
            List<String> notes) {
        /** Copies. */
        public Pair {
            notes = List.copyOf(notes);
        }

        /** How many of the two sides were measured by one invocation. */
        public int singleInvocations() {
            return singleInvocations(base, next);
        }

        static int singleInvocations(Side base, Side next) {
            return (base.single() ? 1 : 0) + (next.single() ? 1 : 0);
        }
    }

    /** Why a row was not compared. */
    public enum Why {
        /** The other result has no such row. */
        NO_PARTNER,
        /** At least one side is not {@code ok}. */
        NOT_OK,
        /** Both sides are right, but at least one has no value. */
        NO_VALUE,
        /** A result has several rows that could be the partner. */
        AMBIGUOUS
    }

    /**
     * A row that was not compared.
     *
     * @param why the kind of reason
     * @param subject what was measured
     * @param base status on this side; null where it has no row
     * @param next status on this side; null where it has no row
     * @param reason as a person should read it
     */
    public record Apart(
            Why why,
            Subject subject,
            @Nullable State base,
            @Nullable State next,
            String reason) {
        /** Whether it was right in BASE and is no longer. */
        public boolean broken() {
            return why == Why.NOT_OK
                    && base != null
                    && base.status() == Status.OK
                    && next != null
                    && next.status() != Status.OK
                    && next.status() != Status.SKIPPED;
        }

        /** Whether it was right in BASE and NEW has no row or did not try it. */
        public boolean missing() {
            return base != null && base.status() == Status.OK && (next == null || next.status() == Status.SKIPPED);
        }
    }

    /**
     * How a row that was not compared ended.
     *
     * @param device id
     * @param status its status
     */
    public record State(String device, Status status) {}

    /**
     * A fact that differs.
     *
     * @param field where it stands: {@code host.java}
     * @param base its value, or "not given"
     * @param next its value, or "not given"
     */
    public record Difference(String field, String base, String next) {}

    /**
     * All pairs together.
     *
     * @param pairs how many have a ratio
     * @param ratio geometric mean of the ratios
     * @param ci95 its interval; null where a ratio has none
     */
    public record Overall(int pairs, double ratio, @Nullable Interval ci95) {}
}
