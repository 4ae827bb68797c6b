package dev.panamark.result;

import java.util.Objects;

/** What tests ask of rows. */
public final class Rows {
    private Rows() {}

    /** A metric that must be there. */
    public static Metric metric(Row row, Tag tag) {
        return Objects.requireNonNull(row.metric(tag), () -> row.kernel() + " lacks " + tag.path());
    }

    /** The value of a metric that must have one. */
    public static double value(Row row, Tag tag) {
        Metric m = metric(row, tag);
        return Objects.requireNonNull(m.value(), () -> row.kernel() + " " + tag.path() + ": " + m.reason());
    }

    /** Why a metric has no value. */
    public static String reason(Row row, Tag tag) {
        return String.valueOf(metric(row, tag).reason());
    }
}
