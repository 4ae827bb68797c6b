package dev.panamark.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Lines of a program with what they did, those that cost most first, on a terminal. */
public final class LinesTable {
    private static final String GAP = "  ";

    /** Columns of code that make it worth standing beside the figures; where they have less, it stands below. */
    private static final int LEAST_CODE = 40;

    /** Columns that a place may take in any case, and a third of the terminal otherwise. */
    private static final int LEAST_PLACE = 24;

    private static final String INDENT = "    ";

    private static final List<String> HEADS =
            List.of("% instr", "conflicts", "% wavefr", "wavefronts", "sectors/req", "% sectors", "% diverge");

    private LinesTable() {}

    /**
     * Renders them.
     *
     * @param lines of the program that did anything
     * @param total of all of them
     * @param most how many to show; 0 for all
     * @param width columns of the terminal; taken as {@link ConsoleTable#NARROWEST} at least
     * @param color whether to use ANSI colours
     * @return lines that end with a line feed each
     */
    public static String render(
            List<LineView> lines, LineView total, LineView.Order order, int most, int width, boolean color) {
        List<LineView> chosen = lines.stream().sorted(comparator(order)).toList();
        List<LineView> shown = most > 0 && most < chosen.size() ? chosen.subList(0, most) : chosen;
        List<List<String>> cells = new ArrayList<>();
        shown.forEach(line -> cells.add(cells(line, total)));
        List<Integer> columns = new ArrayList<>();
        for (int c = 0; c < HEADS.size(); c++) {
            int column = c;
            if (cells.stream().anyMatch(row -> !row.get(column).equals("-"))) {
                columns.add(c);
            }
        }
        int longest = Math.max(LEAST_PLACE, width / 3);
        List<String> places = shown.stream()
                .map(l -> Text.tail(Text.line(l.place()), longest))
                .toList();
        int place = Math.max(
                "line".length(), places.stream().mapToInt(Text::width).max().orElse(0));
        int room = Math.max(width, ConsoleTable.NARROWEST) - place - GAP.length();
        List<Integer> fitting = new ArrayList<>();
        List<Integer> widths = new ArrayList<>();
        boolean anyCode = shown.stream().anyMatch(l -> l.code() != null);
        for (int c : columns) {
            int column = c;
            int need = Math.max(
                    HEADS.get(c).length(),
                    cells.stream()
                            .mapToInt(row -> row.get(column).length())
                            .max()
                            .orElse(0));
            if (need + GAP.length() <= room) {
                fitting.add(c);
                widths.add(need);
                room -= need + GAP.length();
            }
        }
        StringBuilder out = new StringBuilder();
        StringBuilder head = new StringBuilder(Text.left("line", place));
        for (int i = 0; i < fitting.size(); i++) {
            head.append(GAP).append(Text.right(HEADS.get(fitting.get(i)), widths.get(i)));
        }
        room -= GAP.length();
        boolean beside = anyCode && room >= LEAST_CODE;
        if (beside) {
            head.append(GAP).append("code");
        }
        out.append(Ansi.BOLD.paint(head.toString(), color)).append('\n');
        for (int r = 0; r < shown.size(); r++) {
            LineView line = shown.get(r);
            StringBuilder text = new StringBuilder(Text.left(places.get(r), place));
            for (int i = 0; i < fitting.size(); i++) {
                text.append(GAP).append(Text.right(cells.get(r).get(fitting.get(i)), widths.get(i)));
            }
            String code = line.code();
            if (code != null && beside) {
                text.append(GAP).append(Ansi.DIM.paint(Text.cut(Text.line(code), room), color));
            } else if (code != null) {
                int below = Math.max(width, ConsoleTable.NARROWEST) - INDENT.length();
                text.append('\n').append(INDENT).append(Ansi.DIM.paint(Text.cut(Text.line(code), below), color));
            }
            out.append(text.toString().stripTrailing()).append('\n');
        }
        int others = chosen.size() - shown.size();
        if (others > 0) {
            out.append("and " + others + (others == 1 ? " line more" : " lines more") + " (--lines)\n");
        }
        return out.toString();
    }

    private static Comparator<LineView> comparator(LineView.Order order) {
        Comparator<LineView> memory = Comparator.comparingLong(LineView::conflicts)
                .thenComparingLong(LineView::wavefronts)
                .thenComparingLong(LineView::sectors)
                .thenComparingLong(LineView::instructions);
        return switch (order) {
            case CONFLICTS -> memory.reversed();
            case SECTORS ->
                Comparator.comparingLong(LineView::sectors)
                        .thenComparing(memory)
                        .reversed();
            case INSTRUCTIONS ->
                Comparator.comparingLong(LineView::instructions)
                        .thenComparing(memory)
                        .reversed();
            case DIVERGENCE ->
                Comparator.comparingLong(LineView::divergent)
                        .thenComparing(memory)
                        .reversed();
        };
    }

    private static List<String> cells(LineView line, LineView total) {
        return List.of(
                share(line.instructions(), total.instructions()),
                line.wavefronts() == 0 ? "-" : Numbers.grouped(line.conflicts()),
                line.wavefronts() == 0 ? "-" : share(line.wavefronts(), total.wavefronts()),
                line.wavefronts() == 0 ? "-" : Numbers.grouped(line.wavefronts()),
                line.requests() == 0 ? "-" : Numbers.significant((double) line.sectors() / line.requests(), 3),
                line.requests() == 0 ? "-" : share(line.sectors(), total.sectors()),
                line.branches() == 0 ? "-" : share(line.divergent(), line.branches()));
    }

    private static String share(long part, long all) {
        return all == 0 ? "-" : Numbers.percentDigits((double) part / all, 3);
    }
}
