package dev.panamark.report;

import dev.panamark.result.Interval;
import dev.panamark.result.Metric;
import dev.panamark.telemetry.EnergyRun;
import dev.panamark.telemetry.MeterEnergy;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Energy as a table on a terminal: one line a meter, the total below those that make it up. */
public final class EnergyTable {
    private static final String GAP = "  ";
    private static final String INDENT = "  ";
    private static final String NONE = "\u2013";

    /** Columns from here on are numbers. */
    private static final int FIGURES = 2;

    private static final List<String> HEADER = List.of("meter", "scope", "J", "\u00b1 %", "W", "updates each");

    private final int width;
    private final boolean color;
    private final Footnotes notes = new Footnotes();
    private final StringBuilder out = new StringBuilder();

    private EnergyTable(int width, boolean color) {
        this.width = Math.clamp(width, ConsoleTable.NARROWEST, ConsoleTable.WIDEST);
        this.color = color;
    }

    /**
     * Renders it.
     *
     * @param width columns of the terminal; taken as {@link ConsoleTable#NARROWEST} to {@link ConsoleTable#WIDEST}
     * @param color whether to use ANSI colours
     * @return lines that end with a line feed each
     */
    public static String render(EnergyRun run, int width, boolean color) {
        EnergyTable table = new EnergyTable(width, color);
        table.all(run);
        return table.out.toString();
    }

    private void all(EnergyRun run) {
        List<String> head = new ArrayList<>();
        List<String> command = run.command();
        if (command != null) {
            head.add(Text.line(String.join(" ", command)));
        }
        if (run.exit() != null) {
            head.add("exit " + run.exit());
        }
        head.add(Numbers.duration(run.seconds()));
        paragraph("", String.join(" \u00b7 ", head), Ansi.BOLD);
        if (!run.meters().isEmpty()) {
            table(run);
        }
        for (EnergyRun.Absent absent : run.absent()) {
            paragraph(INDENT, (run.meters().isEmpty() ? "No energy: " : "Not metered: ") + absent.text(), Ansi.YELLOW);
        }
    }

    private void table(EnergyRun run) {
        List<List<String>> lines = new ArrayList<>();
        lines.add(HEADER);
        run.counted().forEach(m -> lines.add(line(m)));
        if (run.counted().size() > 1) {
            lines.add(line("total", "", run.joules(), run.power(), ""));
        }
        run.meters().stream().filter(m -> !m.isCounted()).forEach(m -> lines.add(line(m)));
        int[] widths = new int[HEADER.size()];
        for (List<String> line : lines) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], Text.width(line.get(i)));
            }
        }
        List<Integer> shown = shown(widths);
        for (int l = 0; l < lines.size(); l++) {
            StringBuilder text = new StringBuilder();
            for (int i : shown) {
                String cell = lines.get(l).get(i);
                text.append(text.isEmpty() ? "" : GAP)
                        .append(i < FIGURES ? Text.left(cell, widths[i]) : Text.right(cell, widths[i]));
            }
            put(text.toString(), l == 0 ? Ansi.DIM : null);
            if (l == 0) {
                put("\u2500".repeat(Math.min(width, Text.width(text.toString()))), Ansi.DIM);
            }
        }
        out.append('\n');
        notes.all().forEach((mark, text) -> paragraph(INDENT, mark + " " + text, Ansi.DIM));
        paragraph(
                INDENT,
                "\u00b1 is half of the 95 % interval of what is random. The sensors' own error is apart: "
                        + run.meters().stream()
                                .map(MeterEnergy::systematic)
                                .distinct()
                                .collect(Collectors.joining("; "))
                        + ".",
                Ansi.DIM);
    }

    /** The columns that fit: a narrow table goes without update periods, then without scopes. */
    private List<Integer> shown(int[] widths) {
        List<Integer> shown = new ArrayList<>(List.of(0, 1, 2, 3, 4, 5));
        for (int least : List.of(5, 1)) {
            int used = shown.stream().mapToInt(i -> widths[i] + GAP.length()).sum() - GAP.length();
            if (used > width) {
                shown.remove(Integer.valueOf(least));
            }
        }
        return shown;
    }

    private List<String> line(MeterEnergy m) {
        String overlap = m.overlap();
        String name = Text.line(m.meter()) + (overlap == null ? "" : notes.mark(overlap + ", so in no total"));
        Double period = m.updatePeriod();
        return line(name, m.scope(), m.joules(), m.power(), period == null ? NONE : Numbers.seconds(period));
    }

    private List<String> line(String name, String scope, Metric joules, Metric power, String period) {
        Double j = joules.value();
        Double w = power.value();
        Interval ci = joules.ci95();
        String reason = joules.reason();
        String note = joules.note();
        return List.of(
                name,
                scope,
                j == null
                        ? NONE + notes.mark(String.valueOf(reason))
                        : Numbers.significant(j, 5) + (note == null ? "" : notes.mark(note)),
                j == null || ci == null || j == 0 ? NONE : Numbers.percentDigits(ci.half() / Math.abs(j), 2),
                w == null ? NONE : Numbers.significant(w, 4),
                period);
    }

    private void paragraph(String indent, String text, Ansi paint) {
        for (String part : Text.wrap(text, width - indent.length())) {
            put(indent + part, paint);
        }
    }

    private void put(String text, @Nullable Ansi paint) {
        String line = text.stripTrailing();
        out.append(paint == null ? line : paint.paint(line, color)).append('\n');
    }
}
