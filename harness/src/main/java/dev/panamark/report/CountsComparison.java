package dev.panamark.report;

import dev.panamark.device.Counted;
import dev.panamark.ffi.Availability;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/** What two kernels did, side by side, on a terminal. */
public final class CountsComparison {
    private static final String GAP = "  ";
    private static final String NONE = "-";

    private CountsComparison() {}

    private record Line(String name, String a, String b, String ratio) {}

    /**
     * Renders it.
     *
     * @param nameA of the first kernel, in the head of its column
     * @param width columns of the terminal; taken as {@link ConsoleTable#NARROWEST} at least
     * @param color whether to use ANSI colours
     * @return lines that end with a line feed each
     */
    public static String render(Counted a, Counted b, String nameA, String nameB, int width, boolean color) {
        List<Line> lines = new ArrayList<>();
        lines.add(new Line("", nameA, nameB, "B / A"));
        lines.add(number("instructions of threads", a.instructions(), b.instructions()));
        Set<String> types = new TreeSet<>(a.flops().keySet());
        types.addAll(b.flops().keySet());
        for (String type : types) {
            lines.add(number(
                    "flops, " + type,
                    a.flops().getOrDefault(type, 0L),
                    b.flops().getOrDefault(type, 0L)));
        }
        lines.add(number("shared: requests", a.shared().requests(), b.shared().requests()));
        lines.add(
                number("shared: wavefronts", a.shared().wavefronts(), b.shared().wavefronts()));
        lines.add(
                number("shared: bank conflicts", a.shared().excess(), b.shared().excess()));
        lines.add(number("global: requests", a.global().requests(), b.global().requests()));
        lines.add(number("global: sectors", a.global().sectors(), b.global().sectors()));
        lines.add(new Line(
                "global: sectors a request",
                perRequest(a.global()),
                perRequest(b.global()),
                ratio(
                        (double) a.global().sectors() / a.global().requests(),
                        (double) b.global().sectors() / b.global().requests())));
        lines.add(number(
                "global: distinct sectors", a.global().distinct(), b.global().distinct()));
        lines.add(number("branches of warps", branches(a, false), branches(b, false)));
        lines.add(number("divergent branches", branches(a, true), branches(b, true)));
        lines.add(new Line("occupancy", occupancy(a), occupancy(b), ratio(share(a), share(b))));
        lines.add(new Line("bound on time", bound(a), bound(b), ratio(seconds(a), seconds(b))));
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
                    + Text.right(tail(line.a(), second), second)
                    + GAP
                    + Text.right(tail(line.b(), third), third)
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

    /** Names are told apart by their ends. */
    private static String tail(String text, int room) {
        int from = 0;
        while (Text.width(text.substring(from)) > (from == 0 ? room : room - 1)) {
            from = text.offsetByCodePoints(from, 1);
        }
        return from == 0 ? text : "\u2026" + text.substring(from);
    }

    private static Line number(String name, long a, long b) {
        return new Line(name, Numbers.grouped(a), Numbers.grouped(b), ratio((double) a, (double) b));
    }

    private static String ratio(double a, double b) {
        double ratio = b / a;
        return a == b && a > 0
                ? "1"
                : ratio == 0 ? "0" : Double.isFinite(ratio) ? String.format(Locale.ROOT, "%.3g", ratio) : NONE;
    }

    private static String perRequest(Counted.Global global) {
        return global.requests() == 0 ? NONE : Numbers.significant((double) global.sectors() / global.requests(), 3);
    }

    private static long branches(Counted counted, boolean divergent) {
        return counted.lines().stream()
                .mapToLong(line -> divergent
                        ? line.branches().divergent()
                        : line.branches().all())
                .sum();
    }

    private static String occupancy(Counted counted) {
        return counted.occupancy() instanceof Availability.Available<Counted.Occupancy>(Counted.Occupancy o)
                ? Numbers.percent(o.share())
                : NONE;
    }

    private static double share(Counted counted) {
        return counted.occupancy() instanceof Availability.Available<Counted.Occupancy>(Counted.Occupancy o)
                ? o.share()
                : Double.NaN;
    }

    private static String bound(Counted counted) {
        return counted.bound() instanceof Availability.Available<Counted.Bound>(Counted.Bound b)
                ? Numbers.seconds(b.seconds())
                : NONE;
    }

    private static double seconds(Counted counted) {
        return counted.bound() instanceof Availability.Available<Counted.Bound>(Counted.Bound b)
                ? b.seconds()
                : Double.NaN;
    }
}
