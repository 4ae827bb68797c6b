package dev.panamark.report;

import dev.panamark.report.ProfileView.FigureView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Device profiles on a terminal, never wider than asked for. */
public final class ProfilesTable {
    private static final String GAP = "  ";
    private static final String NONE = "\u2013";

    /** A column of the overview: the label of its figure, its header, and what its values are divided by. */
    private record Column(String label, String header, double scale, int digits) {}

    private static final List<Column> COLUMNS = List.of(
            new Column("units", "SM/CU", 1, 4),
            new Column("clock tensor", "tensor MHz", 1e6, 4),
            new Column("clock max", "max MHz", 1e6, 4),
            new Column("peak fma_f32", "f32 TF/s", 1e12, 4),
            new Column("peak tensor_bf16", "bf16 TF/s", 1e12, 5),
            new Column("peak tensor_f8", "f8 TF/s", 1e12, 5),
            new Column("bandwidth", "GB/s", 1e9, 4),
            new Column("l2", "L2 MiB", 1 << 20, 3),
            new Column("llc", "LLC MiB", 1 << 20, 3),
            new Column("power", "W", 1, 4));

    private ProfilesTable() {}

    /**
     * One line a profile.
     *
     * @param profiles in the order to show
     * @param width columns of the terminal; taken as {@link ConsoleTable#NARROWEST} to {@link ConsoleTable#WIDEST}
     * @param color whether to use ANSI colours
     * @return lines that end with a line feed each
     */
    public static String overview(List<ProfileView> profiles, int width, boolean color) {
        int columns = Math.clamp(width, ConsoleTable.NARROWEST, ConsoleTable.WIDEST);
        List<List<String>> lines = new ArrayList<>();
        List<String> header = new ArrayList<>(List.of("profile"));
        COLUMNS.forEach(c -> header.add(c.header()));
        lines.add(header);
        for (ProfileView p : profiles) {
            List<String> line = new ArrayList<>(List.of(Text.line(p.name())));
            COLUMNS.forEach(c -> line.add(cell(p.figures().get(c.label()), c)));
            lines.add(line);
        }
        StringBuilder out = new StringBuilder();
        int shown = 0;
        int used = 0;
        int[] widths = new int[header.size()];
        for (int i = 0; i < widths.length; i++) {
            for (List<String> line : lines) {
                widths[i] = Math.max(widths[i], Text.width(line.get(i)));
            }
            used += widths[i] + (i == 0 ? 0 : GAP.length());
            shown = used <= columns ? i + 1 : shown;
        }
        for (int l = 0; l < lines.size(); l++) {
            StringBuilder text = new StringBuilder(Text.left(lines.get(l).getFirst(), widths[0]));
            for (int i = 1; i < shown; i++) {
                text.append(GAP).append(Text.right(lines.get(l).get(i), widths[i]));
            }
            out.append(l == 0 ? Ansi.DIM.paint(text.toString(), color) : text.toString())
                    .append('\n');
        }
        out.append('\n');
        String more = shown < header.size()
                ? " Left out for width: " + String.join(", ", header.subList(shown, header.size())) + "."
                : "";
        String legend =
                "Dense peaks as published, at the tensor clock for tensor operations. * computed from other figures;"
                        + " " + NONE + " not known: 'panamark devices --profiles NAME' says why, and every source."
                        + more;
        Text.paragraph(out, "", legend, columns, Ansi.DIM, color);
        return out.toString();
    }

    private static String cell(@Nullable FigureView f, Column c) {
        if (f == null || f.value() == null) {
            return NONE;
        }
        return trimmed(f.value() / c.scale(), c.digits()) + (f.computed() ? "*" : "");
    }

    /**
     * Everything about one profile: a line a figure, then where each comes from.
     *
     * @param profile what to show
     * @param width columns of the terminal, as above
     * @param color whether to use ANSI colours
     * @return lines that end with a line feed each
     */
    public static String detail(ProfileView profile, int width, boolean color) {
        int columns = Math.clamp(width, ConsoleTable.NARROWEST, ConsoleTable.WIDEST);
        StringBuilder out = new StringBuilder();
        for (String part : Text.wrap(profile.name() + "  " + profile.heading(), columns)) {
            out.append(Ansi.BOLD.paint(part, color)).append('\n');
        }
        int labels =
                profile.figures().keySet().stream().mapToInt(Text::width).max().orElse(0);
        Footnotes notes = new Footnotes();
        for (Map.Entry<String, FigureView> e : profile.figures().entrySet()) {
            FigureView f = e.getValue();
            String start = GAP + Text.left(Text.line(e.getKey()), labels) + GAP;
            String text = f.value() == null ? NONE + " " + f.from() : value(f.value(), f.unit()) + " " + mark(f, notes);
            String margin = start;
            for (String part : Text.wrap(text, columns - Text.width(start))) {
                out.append(margin)
                        .append(f.value() == null ? Ansi.DIM.paint(part, color) : part)
                        .append('\n');
                margin = " ".repeat(Text.width(start));
            }
        }
        out.append('\n');
        notes.all().forEach((mark, text) -> Text.paragraph(out, GAP, mark + " " + text, columns, Ansi.DIM, color));
        return out.toString();
    }

    private static String mark(FigureView f, Footnotes notes) {
        return notes.mark(f.computed() ? "computed: " + f.from() : f.from());
    }

    private static String value(double value, String unit) {
        return switch (unit) {
            case "Hz" -> trimmed(value / 1e6, 5) + " MHz";
            case "FLOP/s" -> trimmed(value / 1e12, 5) + " TFLOP/s";
            case "B/s" -> trimmed(value / 1e9, 5) + " GB/s";
            case "B" -> Numbers.bytes(value);
            case "count" -> trimmed(value, 5);
            default -> trimmed(value, 5) + " " + unit;
        };
    }

    private static String trimmed(double value, int digits) {
        String text = Numbers.significant(value, digits);
        return text.contains(".") ? text.replaceFirst("\\.?0+$", "") : text;
    }
}
