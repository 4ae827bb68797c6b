package dev.panamark.report;

import dev.panamark.result.Row;
import dev.panamark.result.RunResult;
import dev.panamark.result.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A run as GitHub-flavoured Markdown: a heading and a table a device, then the notes. */
public final class MarkdownTable {
    private MarkdownTable() {}

    /** Renders a run; lines end with a line feed. */
    public static String render(RunResult run) {
        StringBuilder out = new StringBuilder();
        Footnotes notes = new Footnotes();
        for (Section s : Section.of(run)) {
            section(out, notes, s);
        }
        notes.all()
                .forEach((mark, text) -> out.append("- ")
                        .append(mark)
                        .append(' ')
                        .append(escaped(text))
                        .append('\n'));
        if (!notes.all().isEmpty()) {
            out.append('\n');
        }
        return out.append(escaped(Section.summary(run))).append(".\n").toString();
    }

    private static void section(StringBuilder out, Footnotes notes, Section s) {
        out.append("### ").append(escaped(s.device())).append("\n\n");
        out.append(escaped(String.join(" \u00b7 ", s.facts()))).append("\n\n");
        List<String> header = new ArrayList<>(List.of("kernel", "problem", "status"));
        s.columns().forEach(c -> header.add(c.header()));
        record(out, header.stream().map(MarkdownTable::escaped).toList());
        List<String> rule = new ArrayList<>(List.of(":---", ":---", ":---"));
        s.columns().forEach(c -> rule.add("---:"));
        record(out, rule);
        var common = Section.common(s.lines().stream().map(Section.Line::row).toList());
        for (Section.Line line : s.lines()) {
            Row row = line.row();
            String marks = notes.marks(
                    row.flags().stream().filter(f -> !common.contains(f)).toList());
            String mark = marks.isEmpty() ? "" : " " + marks;
            String status = row.status() == Status.OK ? line.status() : "**" + line.status() + "**";
            String reason = row.reason() == null ? "" : ": " + escaped(Text.line(row.reason()));
            List<String> cells = new ArrayList<>();
            cells.add(escaped(line.kernel()));
            cells.add(escaped(line.problem()));
            cells.add(status + reason + mark);
            for (Column.Scale scale : s.columns()) {
                cells.add(escaped(cell(row, scale, notes)));
            }
            record(out, cells);
        }
        out.append('\n');
        s.fixed()
                .forEach((axes, kernels) -> out.append("- All rows of ")
                        .append(escaped(String.join(", ", kernels) + ": " + axes))
                        .append('\n'));
        s.remarks().forEach(r -> out.append("- ").append(escaped(r)).append('\n'));
        if (!s.fixed().isEmpty() || !s.remarks().isEmpty()) {
            out.append('\n');
        }
    }

    private static String cell(Row row, Column.Scale scale, Footnotes notes) {
        Optional<Column.Content> content = scale.column().content(row);
        Double value = content.isEmpty() ? null : content.get().value();
        if (value != null) {
            return scale.cell(value);
        }
        if (row.status() != Status.OK) {
            return "\u2013";
        }
        return "\u2013"
                + notes.mark(
                        content.isEmpty()
                                ? "the row does not hold it"
                                : content.get().reason());
    }

    static void record(StringBuilder out, List<String> cells) {
        out.append("| ").append(String.join(" | ", cells)).append(" |\n");
    }

    /** Text that Markdown leaves as it is. */
    static String escaped(String text) {
        StringBuilder out = new StringBuilder();
        Text.line(text).codePoints().forEach(c -> {
            if (c == '<') {
                out.append("&lt;");
            } else if (c == '&') {
                out.append("&amp;");
            } else {
                if ("\\`*_[]|~#".indexOf(c) >= 0) {
                    out.append('\\');
                }
                out.appendCodePoint(c);
            }
        });
        return out.toString();
    }
}
