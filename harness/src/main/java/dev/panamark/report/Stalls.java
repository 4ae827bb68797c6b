package dev.panamark.report;

import dev.panamark.result.Metric;
import dev.panamark.result.Tags;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What keeps the warps of each row from issuing, where counters told: the largest shares, in a sentence a row. */
final class Stalls {
    private static final int REASONS = 3;

    /** More sentences than this would hide the rest of the page. */
    private static final int ROWS = 8;

    private Stalls() {}

    static List<String> remarks(List<Section.Line> lines) {
        List<String> out = new ArrayList<>();
        int left = 0;
        for (Section.Line line : lines) {
            String reasons = reasons(line);
            if (reasons.isEmpty()) {
                continue;
            }
            if (out.size() == ROWS) {
                left++;
            } else {
                out.add(line.kernel() + (line.problem().isEmpty() ? "" : " " + line.problem())
                        + ": warps do not issue because of " + reasons + ".");
            }
        }
        if (left > 0) {
            out.add("Stalls of " + left + " more rows are in the result file (stall/…).");
        }
        return out;
    }

    private static String reasons(Section.Line line) {
        record Stall(String reason, double share) {}
        List<Stall> all = new ArrayList<>();
        for (Map.Entry<String, Metric> e : line.row().metrics().entrySet()) {
            Double share = e.getValue().value();
            if (e.getKey().startsWith(Tags.STALL_PREFIX) && share != null && share > 0) {
                all.add(new Stall(e.getKey().substring(Tags.STALL_PREFIX.length()), share));
            }
        }
        return all.stream()
                .sorted(Comparator.comparingDouble(Stall::share).reversed())
                .limit(REASONS)
                .map(s -> Text.line(s.reason()) + " (" + Numbers.percentDigits(s.share(), 2) + " %)")
                .collect(Collectors.joining(", "));
    }
}
