package dev.panamark.report;

import static java.util.Objects.requireNonNull;

import dev.panamark.result.Row;
import dev.panamark.result.RunResult;
import dev.panamark.result.Status;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A run as a table on a terminal: one line a row, never wider than asked for. */
public final class ConsoleTable {
    /** Narrower terminals get lines of this width. */
    public static final int NARROWEST = 60;

    /** Wider terminals get lines of this width. */
    public static final int WIDEST = 120;

    private static final String GAP = "  ";
    private static final String INDENT = "  ";
    private static final int MARGIN = 4;
    /** Most columns for kernel names, in the narrowest table and in any. */
    private static final int NARROW_NAME = 16;

    private static final int WIDE_NAME = 42;

    private final int width;
    private final boolean color;
    private final Footnotes notes = new Footnotes();
    private final StringBuilder out = new StringBuilder();

    private ConsoleTable(int width, boolean color) {
        this.width = Math.clamp(width, NARROWEST, WIDEST);
        this.color = color;
    }

    /** Renders without saying where the result lies. */
    public static String render(RunResult run, int width, boolean color) {
        return render(run, width, color, null);
    }

    /**
     * Renders a run.
     *
     * @param run what to show
     * @param width columns of the terminal; taken as {@link #NARROWEST} to {@link #WIDEST}
     * @param color whether to use ANSI colours
     * @param file where the result was written, for the last line; null where it was not
     * @return lines that end with a line feed each
     */
    public static String render(RunResult run, int width, boolean color, @Nullable String file) {
        ConsoleTable table = new ConsoleTable(width, color);
        for (Section section : Section.of(run)) {
            table.section(section);
        }
        table.footnotes();
        table.paragraph("", Section.summary(run) + (file == null ? "." : "; results in " + file), null);
        return table.out.toString();
    }

    private void section(Section s) {
        paragraph("", String.join(" \u00b7 ", join(s.device(), s.facts())), Ansi.BOLD);
        Layout layout = layout(s);
        StringBuilder header = new StringBuilder(Text.left("kernel", layout.kernel));
        if (layout.problem > 0) {
            header.append(GAP).append(Text.left("problem", layout.problem));
        }
        header.append(GAP).append(Text.left("status", layout.status));
        for (int i = 0; i < layout.columns.size(); i++) {
            header.append(GAP).append(Text.right(layout.columns.get(i).header(), layout.widths[i]));
        }
        line(header.toString(), Ansi.DIM);
        line("\u2500".repeat(Math.min(width, Text.width(header.toString()))), Ansi.DIM);
        for (int i = 0; i < s.lines().size(); i++) {
            row(s.lines().get(i), layout, i);
            reason(s, i);
        }
        out.append('\n');
        s.fixed()
                .forEach((axes, kernels) ->
                        paragraph(INDENT, "All rows of " + String.join(", ", kernels) + ": " + axes, Ansi.DIM));
        s.remarks().forEach(remark -> paragraph(INDENT, remark, Ansi.DIM));
        if (!layout.left.isEmpty()) {
            paragraph(
                    INDENT,
                    "Left out for width: " + String.join(", ", layout.left) + "; they are in the result file.",
                    Ansi.DIM);
        }
        if (!s.fixed().isEmpty() || !s.remarks().isEmpty() || !layout.left.isEmpty()) {
            out.append('\n');
        }
    }

    private static List<String> join(String first, List<String> rest) {
        List<String> all = new ArrayList<>();
        all.add(Text.line(first));
        all.addAll(rest);
        return all;
    }

    /** Widths of one table. Cells are made first, as their marks take room. */
    private static final class Layout {
        List<Column.Scale> columns = List.of();
        List<String> left = List.of();
        List<List<String>> cells = List.of();
        List<String> statuses = List.of();
        int[] widths = {};
        int kernel;
        int problem;
        int status;
    }

    private Layout layout(Section s) {
        Layout layout = new Layout();
        Set<String> common =
                Section.common(s.lines().stream().map(Section.Line::row).toList());
        int longestName =
                s.lines().stream().mapToInt(l -> Text.width(l.kernel())).max().orElse(0);
        int longestProblem =
                s.lines().stream().mapToInt(l -> Text.width(l.problem())).max().orElse(0);
        int most = Math.min(WIDE_NAME, NARROW_NAME + (width - NARROWEST) * 3 / 5);
        int name = Math.max(Text.width("kernel"), Math.min(longestName, most));
        int status = Math.max(
                Text.width("status"),
                s.lines().stream().mapToInt(l -> Text.width(l.status())).max().orElse(0));

        // Figures come in by rank as long as the names and a little of the problem still fit.
        int marks = Integer.toString(possibleMarks(s)).length();
        int flags = s.lines().stream()
                .mapToInt(l -> flags(l.row(), common).size() * (marks + 1))
                .max()
                .orElse(0);
        int room = width - name - Math.min(longestProblem, width / 6) - 2 * GAP.length() - status - flags;
        // Every figure is written out once: tables may have a hundred thousand lines.
        Map<Column.Scale, List<@Nullable String>> figures = new HashMap<>();
        s.columns().forEach(scale -> figures.put(scale, figures(s, scale)));
        List<Column.Scale> ranked = new ArrayList<>(s.columns());
        ranked.sort(Comparator.comparingInt(c -> c.column().rank()));
        List<Column.Scale> chosen = new ArrayList<>();
        for (Column.Scale scale : ranked) {
            int need = GAP.length() + columnWidth(scale, requireNonNull(figures.get(scale)), marks);
            if (need <= room) {
                room -= need;
                chosen.add(scale);
            } else {
                room = 0; // nothing of lower rank slips in
            }
        }
        layout.columns = s.columns().stream().filter(chosen::contains).toList();
        layout.left = s.columns().stream()
                .filter(c -> !chosen.contains(c))
                .map(Column.Scale::header)
                .toList();

        layout.cells = new ArrayList<>();
        layout.statuses = new ArrayList<>();
        for (int i = 0; i < s.lines().size(); i++) {
            Section.Line line = s.lines().get(i);
            layout.statuses.add(line.status() + notes.marks(flags(line.row(), common)));
            List<String> cells = new ArrayList<>();
            for (Column.Scale scale : layout.columns) {
                String figure = requireNonNull(figures.get(scale)).get(i);
                cells.add(figure != null ? figure : gap(line.row(), scale));
            }
            layout.cells.add(cells);
        }
        layout.status = Math.max(
                Text.width("status"),
                layout.statuses.stream().mapToInt(Text::width).max().orElse(0));
        layout.widths = new int[layout.columns.size()];
        int used = layout.status + GAP.length();
        for (int i = 0; i < layout.widths.length; i++) {
            int at = i;
            layout.widths[i] = Math.max(
                    Text.width(layout.columns.get(i).header()),
                    layout.cells.stream()
                            .mapToInt(c -> Text.width(c.get(at)))
                            .max()
                            .orElse(0));
            used += layout.widths[i] + GAP.length();
        }
        layout.kernel = Math.min(name, width - used);
        int free = width - used - layout.kernel - GAP.length();
        layout.problem = longestProblem == 0 || free < Text.width("problem")
                ? 0
                : Math.min(Math.max(longestProblem, Text.width("problem")), free);
        return layout;
    }

    private int possibleMarks(Section s) {
        Set<String> texts = new LinkedHashSet<>(notes.all().values());
        for (Section.Line line : s.lines()) {
            line.row().flags().forEach(flag -> texts.add(Footnotes.pattern(flag)));
            s.columns().forEach(c -> c.column().content(line.row()).ifPresent(v -> texts.add(v.reason())));
        }
        return texts.size() + 1;
    }

    /** What stands in a column, line by line; null where there is no figure. */
    private static List<@Nullable String> figures(Section s, Column.Scale scale) {
        List<@Nullable String> out = new ArrayList<>(s.lines().size());
        for (Section.Line line : s.lines()) {
            Optional<Column.Content> content = scale.column().content(line.row());
            Double value = content.isEmpty() ? null : content.get().value();
            out.add(value == null ? null : scale.cell(value));
        }
        return out;
    }

    private static int columnWidth(Column.Scale scale, List<@Nullable String> figures, int marks) {
        int widest = Text.width(scale.header());
        for (String figure : figures) {
            widest = Math.max(widest, figure == null ? 1 + marks : Text.width(figure));
        }
        return widest;
    }

    private static List<String> flags(Row row, Set<String> common) {
        return row.flags().stream().filter(flag -> !common.contains(flag)).toList();
    }

    /** Instead of a figure. */
    private String gap(Row row, Column.Scale scale) {
        // What went wrong with the row stands below it and explains every gap in it.
        if (row.status() != Status.OK) {
            return "\u2013";
        }
        Optional<Column.Content> content = scale.column().content(row);
        return "\u2013"
                + notes.mark(
                        content.isEmpty()
                                ? "the row does not hold it"
                                : content.get().reason());
    }

    private void row(Section.Line line, Layout layout, int at) {
        boolean nameFits = Text.width(line.kernel()) <= layout.kernel;
        if (!nameFits) {
            paragraph("", line.kernel(), null);
        }
        boolean problemFits = Text.width(line.problem()) <= layout.problem;
        StringBuilder text = new StringBuilder(Text.left(nameFits ? line.kernel() : "", layout.kernel));
        if (layout.problem > 0) {
            text.append(GAP).append(Text.left(problemFits ? line.problem() : "", layout.problem));
        }
        Ansi paint = Ansi.of(line.row().status());
        text.append(GAP)
                .append(paint.paint(line.status(), color))
                .append(Text.left(
                        layout.statuses.get(at).substring(line.status().length()),
                        layout.status - Text.width(line.status())));
        List<String> cells = layout.cells.get(at);
        for (int i = 0; i < cells.size(); i++) {
            text.append(GAP).append(Text.right(cells.get(i), layout.widths[i]));
        }
        out.append(text.toString().stripTrailing()).append('\n');
        if (!problemFits) {
            paragraph(" ".repeat(MARGIN), line.problem(), null);
        }
    }

    /** What went wrong with a row, said once below those that share it. */
    private void reason(Section s, int at) {
        Row row = s.lines().get(at).row();
        String next = at + 1 < s.lines().size() ? s.lines().get(at + 1).row().reason() : null;
        if (row.reason() != null && !row.reason().equals(next)) {
            paragraph(" ".repeat(MARGIN), row.reason(), Ansi.of(row.status()));
        }
    }

    private void footnotes() {
        notes.all().forEach((mark, text) -> paragraph(INDENT, mark + " " + text, Ansi.DIM));
        if (!notes.all().isEmpty()) {
            out.append('\n');
        }
    }

    private void paragraph(String indent, String text, @Nullable Ansi paint) {
        Text.paragraph(out, indent, text, width, paint, color);
    }

    private void line(String text, Ansi paint) {
        out.append(paint.paint(text.stripTrailing(), color)).append('\n');
    }
}
