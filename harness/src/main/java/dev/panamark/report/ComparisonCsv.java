package dev.panamark.report;

import dev.panamark.compare.Comparison;
import dev.panamark.compare.Comparison.Apart;
import dev.panamark.compare.Comparison.Pair;
import dev.panamark.compare.Comparison.State;
import dev.panamark.compare.Subject;
import dev.panamark.result.Status;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;

/**
 * A comparison as comma-separated values (RFC 4180): a header, then one record for each pair and for each row that was
 * not compared. Columns: kernel, mode, {@code axis:NAME} for every axis in the order of first use, metric, unit, base
 * device, new device, base status, new status, base, new, ratio, ratio.lo, ratio.hi, verdict (for a row that was not
 * compared: {@code no_partner}, {@code not_ok}, {@code no_value} or {@code ambiguous}), notes. Numbers are written to
 * the last bit; what is not known is empty.
 */
public final class ComparisonCsv {
    private ComparisonCsv() {}

    /** Renders a comparison; records end with CR LF. */
    public static String render(Comparison c) {
        SequencedSet<String> axes = new LinkedHashSet<>();
        c.pairs().forEach(p -> axes.addAll(p.subject().problem().keySet()));
        c.apart().forEach(a -> axes.addAll(a.subject().problem().keySet()));
        StringBuilder out = new StringBuilder();
        List<String> header = new ArrayList<>(List.of("kernel", "mode"));
        axes.forEach(a -> header.add("axis:" + a));
        header.addAll(List.of(
                "metric",
                "unit",
                "base_device",
                "new_device",
                "base_status",
                "new_status",
                "base",
                "new",
                "ratio",
                "ratio.lo",
                "ratio.hi",
                "verdict",
                "notes"));
        CsvTable.record(out, header);
        String metric = c.question().metric();
        for (Pair p : c.pairs()) {
            List<String> record = start(p.subject(), axes, c);
            record.add(p.base().device());
            record.add(p.next().device());
            record.add(Status.OK.tag());
            record.add(Status.OK.tag());
            record.add(Double.toString(p.base().value()));
            record.add(Double.toString(p.next().value()));
            record.add(number(p.ratio()));
            record.add(number(p.ci95() == null ? null : p.ci95().lo()));
            record.add(number(p.ci95() == null ? null : p.ci95().hi()));
            record.add(p.verdict().word(metric));
            record.add(String.join("; ", p.notes()));
            CsvTable.record(out, record);
        }
        for (Apart a : c.apart()) {
            List<String> record = start(a.subject(), axes, c);
            State base = a.base();
            State next = a.next();
            record.add(base == null ? "" : base.device());
            record.add(next == null ? "" : next.device());
            record.add(base == null ? "" : base.status().tag());
            record.add(next == null ? "" : next.status().tag());
            record.addAll(List.of("", "", "", "", ""));
            record.add(a.why().name().toLowerCase(Locale.ROOT));
            record.add(a.reason());
            CsvTable.record(out, record);
        }
        return out.toString();
    }

    private static List<String> start(Subject s, SequencedSet<String> axes, Comparison c) {
        List<String> record = new ArrayList<>(List.of(s.kernel(), s.mode()));
        for (String axis : axes) {
            Object value = s.problem().get(axis);
            record.add(value == null ? "" : value.toString());
        }
        record.add(c.question().metric());
        record.add(c.unit());
        return record;
    }

    private static String number(@Nullable Double value) {
        return value == null ? "" : value.toString();
    }
}
