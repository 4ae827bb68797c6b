package dev.panamark.report;

import dev.panamark.compare.Comparison;
import dev.panamark.compare.Verdict;
import java.util.ArrayList;
import java.util.List;

/** A comparison as GitHub-flavoured Markdown, for a merge request or a lab book. */
public final class ComparisonMarkdown {
    private ComparisonMarkdown() {}

    /** Renders a comparison; lines end with a line feed. */
    public static String render(Comparison comparison) {
        ComparisonView view = ComparisonView.of(comparison);
        StringBuilder out = new StringBuilder();
        Footnotes notes = new Footnotes();
        view.files()
                .forEach(f -> out.append("- ").append(MarkdownTable.escaped(f)).append('\n'));
        out.append("- ").append(MarkdownTable.escaped(view.question())).append("\n\n");
        view.sections().forEach((devices, lines) -> {
            out.append("### ").append(MarkdownTable.escaped(devices)).append("\n\n");
            MarkdownTable.record(
                    out,
                    ComparisonView.HEADER.stream().map(MarkdownTable::escaped).toList());
            MarkdownTable.record(out, List.of(":---", ":---", "---:", "---:", "---:", "---:", ":---"));
            for (ComparisonView.Line line : lines) {
                List<String> cells = new ArrayList<>(
                        line.cells().stream().map(MarkdownTable::escaped).toList());
                boolean loud = line.verdict() == Verdict.BETTER || line.verdict() == Verdict.WORSE;
                String mark = line.notes().isEmpty() ? "" : " " + notes.mark(String.join("; ", line.notes()));
                cells.set(cells.size() - 1, (loud ? "**" + cells.getLast() + "**" : cells.getLast()) + mark);
                MarkdownTable.record(out, cells);
            }
            out.append('\n');
        });
        List<String> remarks = new ArrayList<>();
        view.fixed().forEach((axes, kernels) -> remarks.add("All rows of " + String.join(", ", kernels) + ": " + axes));
        view.notes().forEach(n -> remarks.add("All pairs: " + n));
        notes.all().forEach((mark, text) -> remarks.add(mark + " " + text));
        remarks.addAll(view.remarks());
        list(out, "", remarks);
        list(
                out,
                "Not compared:",
                view.apart().stream()
                        .map(a -> a.row() + " (" + a.reason() + ")")
                        .toList());
        list(out, "What else differs, BASE \u2192 NEW:", view.environment());
        return out.append(MarkdownTable.escaped(view.summary())).append('\n').toString();
    }

    private static void list(StringBuilder out, String title, List<String> items) {
        if (items.isEmpty()) {
            return;
        }
        if (!title.isEmpty()) {
            out.append(title).append("\n\n");
        }
        items.forEach(i -> out.append("- ").append(MarkdownTable.escaped(i)).append('\n'));
        out.append('\n');
    }
}
