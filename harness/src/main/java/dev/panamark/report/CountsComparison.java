package dev.panamark.report;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What two kernels did, side by side, on a terminal. */
public final class CountsComparison {
    private static final String GAP = "  ";
    private static final String NONE = "-";

    /** Columns of {@code A: }. */
    private static final int LETTER = 3;

    private CountsComparison() {}

    /**
     * A figure of one kernel.
     *
     * @param value that ratios are made of; NaN where there is none
     * @param shown the same with its unit, or why there is none
     */
    public record Figure(String name, double value, String shown) {
        /** A count. */
        public static Figure of(String name, long count) {
            return new Figure(name, (double) count, Numbers.grouped(count));
        }
    }

    private record Line(String name, String a, String b, String ratio) {}

    /**
     * Renders it.
     *
     * @param a figures of the first kernel; those that it lacks and {@code b} has are shown as 0
     * @param nameA of the first kernel, in the head of its column
     * @param width columns of the terminal; taken as {@link ConsoleTable#NARROWEST} at least
     * @param color whether to use ANSI colours
     * @return lines that end with a line feed each
     */
    public static String render(List<Figure> a, List<Figure> b, String nameA, String nameB, int width, boolean color) {
        List<Line> lines = new ArrayList<>();
        lines.add(new Line("", "A: " + nameA, "B: " + nameB, "B / A"));
        Set<String> names = new LinkedHashSet<>();
        a.forEach(figure -> names.add(figure.name()));
        b.forEach(figure -> names.add(figure.name()));
        for (String name : names) {
            Figure first = named(name, a);
            Figure second = named(name, b);
            lines.add(new Line(name, first.shown(), second.shown(), ratio(first.value(), second.value())));
        }
        int columns = Math.max(width, ConsoleTable.NARROWEST);
        int first = lines.stream().mapToInt(l -> Text.width(l.name())).max().orElse(0);
        int ratio = lines.stream().mapToInt(l -> Text.width(l.ratio())).max().orElse(0);
        int room = Math.max(8, (columns - first - ratio - 3 * GAP.length()) / 2);
        int second = column(lines.stream().map(Line::a).toList(), room);
        int third = column(lines.stream().map(Line::b).toList(), room);
        StringBuilder out = new StringBuilder();
        for (Line line : lines) {
            String text = Text.left(line.name(), first)
                    + GAP
                    + Text.right(fitted(line.a(), second), second)
                    + GAP
                    + Text.right(fitted(line.b(), third), third)
                    + GAP
                    + Text.right(line.ratio(), ratio);
            out.append(line.name().isEmpty() ? Ansi.BOLD.paint(text, color) : text)
                    .append('\n');
        }
        return out.toString();
    }

    private static int column(List<String> cells, int room) {
        return Math.min(room, cells.stream().mapToInt(Text::width).max().orElse(0));
    }

    /** Names are told apart by their ends; which of the two it is stays in front. */
    private static String fitted(String text, int room) {
        return Text.width(text) <= room
                ? text
                : text.substring(0, LETTER) + Text.tail(text.substring(LETTER), room - LETTER);
    }

    private static Figure named(String name, List<Figure> all) {
        return all.stream()
                .filter(figure -> figure.name().equals(name))
                .findFirst()
                .orElseGet(() -> Figure.of(name, 0));
    }

    private static String ratio(double a, double b) {
        double ratio = b / a;
        return a == b && a > 0
                ? "1"
                : ratio == 0 ? "0" : Double.isFinite(ratio) ? String.format(Locale.ROOT, "%.3g", ratio) : NONE;
    }
}
