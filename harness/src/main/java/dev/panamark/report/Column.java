package dev.panamark.report;

import dev.panamark.result.Interval;
import dev.panamark.result.Metric;
import dev.panamark.result.Row;
import dev.panamark.result.Tag;
import dev.panamark.result.Tags;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A column of figures in the tables for people, in the order of display.
 *
 * @param tag the metric
 * @param kind how its cells are written
 * @param label header, after the prefix where there is one
 * @param rank 1 is the last to be left out of a narrow table
 */
record Column(Tag tag, Kind kind, String label, int rank) {

    /** How cells are written. */
    enum Kind {
        /** With unit and prefix in each cell. */
        SECONDS,
        /** Half the 95 % interval over the value, in per cent. */
        SPREAD,
        /** With one prefix in the header, or in the cells where they lie far apart. */
        RATE,
        /** In per cent. */
        SHARE
    }

    static final List<Column> ALL = List.of(
            new Column(Tags.TIME_MEDIAN, Kind.SECONDS, "time", 1),
            new Column(Tags.TIME_MEDIAN, Kind.SPREAD, "\u00b1 %", 2),
            new Column(Tags.TIME_BOUND, Kind.SECONDS, "bound", 9),
            new Column(Tags.SHARED_CONFLICTS, Kind.RATE, "conflicts", 3),
            new Column(Tags.SHARED_WAVEFRONTS, Kind.RATE, "wavefronts", 5),
            new Column(Tags.GLOBAL_SECTORS_PER_REQUEST, Kind.RATE, "sectors/req", 4),
            new Column(Tags.OCCUPANCY_THEORETICAL, Kind.SHARE, "% occ", 6),
            new Column(Tags.OCCUPANCY_ACHIEVED, Kind.SHARE, "% achieved", 5),
            new Column(Tags.TENSOR_ACTIVE, Kind.SHARE, "% tensor", 9),
            new Column(Tags.RATE_FLOPS, Kind.RATE, "FLOP/s", 3),
            new Column(Tags.UTIL_PEAK, Kind.SHARE, "% peak", 7),
            new Column(Tags.RATE_BYTES, Kind.RATE, "B/s", 4),
            new Column(Tags.UTIL_BANDWIDTH, Kind.SHARE, "% BW", 8),
            new Column(Tags.L2_HIT_RATE, Kind.SHARE, "% L2", 10),
            new Column(Tags.UTIL_CEILING, Kind.SHARE, "% ceil", 5),
            new Column(Tags.RATE_LAYER_TOKENS, Kind.RATE, "tokens/s", 6),
            new Column(Tags.RATE_TOKENS, Kind.RATE, "model tokens/s", 10),
            new Column(Tags.TOKENS_PER_JOULE_GROSS, Kind.RATE, "tokens/J", 11),
            new Column(Tags.POWER_AVERAGE, Kind.RATE, "W", 12));

    /** What a row has to show here: a number, or the reason why there is none. */
    record Content(@Nullable Double value, String reason) {}

    /** The content of a row; empty where the row does not know the metric. */
    Optional<Content> content(Row row) {
        Metric m = row.metric(tag);
        if (m == null) {
            return Optional.empty();
        }
        Double value = m.value();
        if (value == null) {
            return Optional.of(new Content(null, String.valueOf(m.reason())));
        }
        if (kind != Kind.SPREAD) {
            return Optional.of(new Content(value, ""));
        }
        Interval ci = m.ci95();
        if (ci == null || value == 0) {
            String why = m.note() == null ? "the result holds no interval" : m.note();
            return Optional.of(new Content(null, why));
        }
        return Optional.of(new Content(ci.half() / Math.abs(value), ""));
    }

    /** Header and cells for these values, scaled together. */
    Scale scale(double[] values) {
        if (kind != Kind.RATE) {
            return new Scale(this, label, 0, false);
        }
        double max = 0;
        double min = Double.MAX_VALUE;
        for (double v : values) {
            max = Math.max(max, Math.abs(v));
            min = v == 0 ? min : Math.min(min, Math.abs(v));
        }
        if (max / min > 1e4) {
            return new Scale(this, label, 0, true);
        }
        int thousands = Numbers.thousands(max, 3);
        int space = label.lastIndexOf(' ') + 1; // "model Mtokens/s"
        return new Scale(
                this, label.substring(0, space) + Numbers.prefix(thousands) + label.substring(space), thousands, false);
    }

    /**
     * How a column is written in one table.
     *
     * @param column which
     * @param header with its prefix
     * @param thousands power of 1000 that cells are divided by
     * @param perCell whether each cell has its own prefix
     */
    record Scale(Column column, String header, int thousands, boolean perCell) {
        /** One cell. */
        String cell(double value) {
            return switch (column.kind) {
                case SECONDS -> Numbers.seconds(value);
                case SPREAD -> value > 1 ? ">100" : Numbers.percentDigits(value, 2);
                case SHARE -> Numbers.percentDigits(value, 3);
                case RATE -> perCell ? Numbers.si(value, "", 3).strip() : Numbers.scaled(value, thousands, 3);
            };
        }
    }
}
