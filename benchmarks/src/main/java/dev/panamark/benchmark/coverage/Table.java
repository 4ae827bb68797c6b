package dev.panamark.benchmark.coverage;

import java.util.ArrayList;
import java.util.List;

/** Lines under headings, printed once the widths of all are known; what was judged stands behind. */
final class Table {
    private final List<List<String>> lines = new ArrayList<>();
    private boolean missed;

    Table(String... headings) {
        List<String> first = new ArrayList<>(List.of(headings));
        first.add("target");
        lines.add(first);
    }

    /** Adds a line; the judgement comes last. */
    void add(Claim.Judgement judgement, String... cells) {
        List<String> line = new ArrayList<>(List.of(cells));
        line.add(judgement.words());
        lines.add(line);
        missed |= judgement.missed();
    }

    /** Whether a claim was missed. */
    boolean missed() {
        return missed;
    }

    String text() {
        int columns = lines.getFirst().size();
        int[] widths = new int[columns];
        for (List<String> line : lines) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], line.get(i).length());
            }
        }
        StringBuilder all = new StringBuilder();
        for (List<String> line : lines) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < columns; i++) {
                String padding = " ".repeat(widths[i] - line.get(i).length());
                boolean words = i == 0 || i == columns - 1;
                text.append(words ? line.get(i) + padding : padding + line.get(i))
                        .append("  ");
            }
            all.append(text.toString().stripTrailing()).append('\n');
        }
        return all.toString();
    }
}
