package dev.panamark.report;

import dev.panamark.compare.Comparison;
import dev.panamark.compare.Verdict;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;

/** A comparison as a table on a terminal, never wider than asked for. */
public final class ComparisonTable {
    private static final String GAP = "  ";
    private static final String INDENT = "  ";
    private static final String MARGIN = "    ";
    /** Columns of {@link ComparisonView#HEADER} that name the row. */
    private static final int NAMES = 2;

    private static final int LEAST_NAME = 16;

    private final int width;
    private final boolean color;
    private final Footnotes notes = new Footnotes();
    private final SequencedSet<String> left = new LinkedHashSet<>();
    private final StringBuilder out = new StringBuilder();

    private ComparisonTable(int width, boolean color) {
        this.width = Math.clamp(width, ConsoleTable.NARROWEST, ConsoleTable.WIDEST);
        this.color = color;
    }

    /**
     * Renders a comparison.
     *
     * @param comparison what to show
     * @param width columns of the terminal; taken as {@link ConsoleTable#NARROWEST} to {@link ConsoleTable#WIDEST}
     * @param color whether to use ANSI colours
     * @return lines that end with a line feed each
     */
    public static String render(Comparison comparison, int width, boolean color) {
        ComparisonTable table = new ComparisonTable(width, color);
        table.all(ComparisonView.of(comparison));
        return table.out.toString();
    }

    private void all(ComparisonView view) {
        view.files().forEach(f -> paragraph("", f, null));
        paragraph("", view.question(), Ansi.DIM);
        out.append('\n');
        view.sections().forEach(this::section);
        view.fixed()
                .forEach((axes, kernels) ->
                        paragraph(INDENT, "All rows of " + String.join(", ", kernels) + ": " + axes, Ansi.DIM));
        view.notes().forEach(n -> paragraph(INDENT, "All pairs: " + n, Ansi.DIM));
        notes.all().forEach((mark, text) -> paragraph(INDENT, mark + " " + text, Ansi.DIM));
        view.remarks().forEach(r -> paragraph(INDENT, r, Ansi.DIM));
        if (!left.isEmpty()) {
            paragraph(
                    INDENT,
                    "Left out for width: " + String.join(", ", left) + "; --json and --csv have them.",
                    Ansi.DIM);
        }
        gap();
        if (!view.apart().isEmpty()) {
            paragraph("", "Not compared:", Ansi.BOLD);
            for (ComparisonView.ApartLine a : view.apart()) {
                paragraph(INDENT, a.row(), Ansi.YELLOW);
                paragraph(MARGIN, a.reason(), null);
            }
            gap();
        }
        if (!view.environment().isEmpty()) {
            paragraph("", "What else differs, BASE \u2192 NEW:", Ansi.BOLD);
            view.environment().forEach(e -> paragraph(INDENT, e, null));
            gap();
        }
        paragraph("", view.summary(), Ansi.BOLD);
    }

    private void section(String devices, List<ComparisonView.Line> lines) {
        paragraph("", devices, Ansi.BOLD);
        List<String> header = ComparisonView.HEADER;
        List<List<String>> cells = new ArrayList<>();
        for (ComparisonView.Line line : lines) {
            List<String> row = new ArrayList<>(line.cells());
            String mark = line.notes().isEmpty() ? "" : notes.mark(String.join("; ", line.notes()));
            row.set(row.size() - 1, row.getLast() + mark);
            cells.add(row);
        }
        int[] widths = new int[header.size()];
        for (int i = 0; i < widths.length; i++) {
            widths[i] = Text.width(header.get(i));
            for (List<String> row : cells) {
                widths[i] = Math.max(widths[i], Text.width(row.get(i)));
            }
        }
        // Of the figures the values themselves go first: their ratio says more.
        List<Integer> shown = new ArrayList<>();
        for (int i = NAMES; i < widths.length; i++) {
            shown.add(i);
        }
        for (int value = NAMES; figures(widths, shown) + MARGIN.length() > width && value < NAMES + 2; value++) {
            shown.removeFirst();
            left.add(header.get(value));
        }
        int figures = figures(widths, shown);
        boolean problems = lines.stream().anyMatch(l -> !l.cells().get(1).isEmpty());
        int names = widths[0] + (problems ? GAP.length() + widths[1] : 0);
        boolean oneLine = names + figures <= width;
        int room = oneLine ? names : Math.max(0, Math.min(names, width - figures));
        // Too narrow even for names alone: they stand on lines of their own, figures below.
        boolean split = !oneLine && room < LEAST_NAME;
        int lead = split ? MARGIN.length() - GAP.length() : room;

        String name = split
                ? ""
                : oneLine && problems ? Text.left(header.get(0), widths[0]) + GAP + header.get(1) : header.get(0);
        StringBuilder first = new StringBuilder(Text.left(name, lead));
        figures(first, header, widths, shown);
        line(first.toString(), Ansi.DIM);
        line("\u2500".repeat(Math.min(width, lead + figures)), Ansi.DIM);
        for (int i = 0; i < cells.size(); i++) {
            List<String> row = cells.get(i);
            String label = oneLine && problems
                    ? Text.left(row.get(0), widths[0]) + GAP + row.get(1)
                    : (row.get(0) + " " + row.get(1)).strip();
            if (Text.width(label) > lead) {
                paragraph("", label, null);
                label = "";
            }
            StringBuilder text = new StringBuilder(Text.left(label, lead));
            figures(text, row, widths, shown);
            String all = text.toString().stripTrailing();
            String verdict = row.getLast();
            int at = all.lastIndexOf(verdict);
            out.append(all, 0, at)
                    .append(paint(lines.get(i).verdict()).paint(verdict, color))
                    .append('\n');
        }
        out.append('\n');
    }

    private static Ansi paint(Verdict verdict) {
        return switch (verdict) {
            case SAME -> Ansi.DIM;
            case BETTER -> Ansi.GREEN;
            case WORSE -> Ansi.RED;
            case UNDECIDED -> Ansi.YELLOW;
        };
    }

    private static int figures(int[] widths, List<Integer> shown) {
        return shown.stream().mapToInt(i -> widths[i] + GAP.length()).sum();
    }

    private static void figures(StringBuilder text, List<String> row, int[] widths, List<Integer> shown) {
        for (int i : shown) {
            text.append(GAP).append(i == widths.length - 1 ? row.get(i) : Text.right(row.get(i), widths[i]));
        }
    }

    private void gap() {
        if (!out.toString().endsWith("\n\n")) {
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
