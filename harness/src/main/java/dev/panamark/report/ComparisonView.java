package dev.panamark.report;

import dev.panamark.compare.Comparison;
import dev.panamark.compare.Comparison.Apart;
import dev.panamark.compare.Comparison.Overall;
import dev.panamark.compare.Comparison.Pair;
import dev.panamark.compare.Comparison.State;
import dev.panamark.compare.Subject;
import dev.panamark.compare.Verdict;
import dev.panamark.result.Interval;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A comparison in words and cells, ready for a table for people.
 *
 * @param files a line each for BASE and NEW
 * @param question what was compared, one line
 * @param sections one for each pair of devices
 * @param fixed axes that the lines leave out because they have one value, and the kernels whose lines do
 * @param notes what holds for every pair
 * @param apart rows that were not compared, with their reason
 * @param environment what else differs
 * @param remarks what holds for the whole comparison
 * @param summary the last line
 */
record ComparisonView(
        List<String> files,
        String question,
        SequencedMap<String, List<Line>> sections,
        SequencedMap<String, List<String>> fixed,
        List<String> notes,
        List<ApartLine> apart,
        List<String> environment,
        List<String> remarks,
        String summary) {

    /** Rows that were not compared for one reason are told one by one, unless there are more. */
    private static final int MOST_ALIKE = 4;

    /** Problems whose axes together are not longer show all of them. */
    private static final int SHORT = 24;

    static final List<String> HEADER =
            List.of("kernel", "problem", "base", "new", "new/base", "95 % interval", "verdict");

    /** One pair: cells in the order of {@link #HEADER}, the verdict, and notes that not all pairs share. */
    record Line(List<String> cells, Verdict verdict, List<String> notes) {}

    /** A row that was not compared: what it is, and why. */
    record ApartLine(String row, String reason) {}

    static ComparisonView of(Comparison c) {
        SequencedMap<String, List<String>> fixed = new LinkedHashMap<>();
        SequencedSet<Subject> subjects = new LinkedHashSet<>();
        c.pairs().forEach(p -> subjects.add(p.subject()));
        c.apart().forEach(a -> subjects.add(a.subject()));
        Map<Subject, String> problems = problems(subjects, fixed);
        Set<String> common = common(c.pairs());
        SequencedMap<String, List<Line>> sections = new LinkedHashMap<>();
        for (Pair pair : c.pairs()) {
            String devices = devices(pair.base().device(), pair.next().device());
            sections.computeIfAbsent(devices, d -> new ArrayList<>())
                    .add(line(pair, Objects.requireNonNull(problems.get(pair.subject())), c, common));
        }
        return new ComparisonView(
                List.of(file("BASE", c.base()), file("NEW", c.next())),
                question(c),
                sections,
                fixed,
                common.stream().map(ComparisonView::sentence).toList(),
                apartLines(c.apart(), problems),
                c.environment().stream()
                        .map(d -> Text.line(d.field() + ": " + d.base() + " \u2192 " + d.next()))
                        .toList(),
                c.remarks().stream().map(ComparisonView::sentence).toList(),
                summary(c));
    }

    private static String file(String side, Comparison.Run run) {
        return side + ": " + Text.line(run.file() + " \u00b7 started " + run.started() + " \u00b7 " + rows(run.rows()));
    }

    private static String rows(int n) {
        return n + (n == 1 ? " row" : " rows");
    }

    private static String question(Comparison c) {
        return Text.line(c.question().metric()) + " (" + Text.line(c.unit()) + "), "
                + c.better().tag() + " is better; a change of "
                + Numbers.percent(c.question().threshold()) + " or less does not matter";
    }

    private static String devices(String base, String next) {
        return Text.line(base.equals(next) ? base : base + " \u2192 " + next);
    }

    private static Set<String> common(List<Pair> pairs) {
        Set<String> all = new LinkedHashSet<>(
                pairs.isEmpty() ? List.of() : pairs.getFirst().notes());
        pairs.forEach(p -> all.retainAll(p.notes()));
        return all;
    }

    private static Line line(Pair pair, String problem, Comparison c, Set<String> common) {
        Double ratio = pair.ratio();
        Interval ci95 = pair.ci95();
        return new Line(
                List.of(
                        Text.line(pair.subject().kernel()),
                        problem,
                        value(pair.base().value(), c.unit()),
                        value(pair.next().value(), c.unit()),
                        ratio == null ? "\u2013" : ratio(ratio),
                        ci95 == null ? "\u2013" : interval(ci95),
                        pair.verdict().word(c.question().metric())),
                pair.verdict(),
                pair.notes().stream().filter(n -> !common.contains(n)).toList());
    }

    private static String value(double value, String unit) {
        return switch (unit) {
            case "s" -> Numbers.seconds(value);
            case "ratio" -> Numbers.percent(value);
            case "B" -> Numbers.bytes(value);
            default -> Numbers.si(value, Text.line(unit), 4);
        };
    }

    static String ratio(double ratio) {
        return ratio >= 0.01 && ratio < 100 ? String.format(Locale.ROOT, "%.4f", ratio) : Numbers.significant(ratio, 4);
    }

    static String interval(Interval ci95) {
        return ratio(ci95.lo()) + " \u2013 " + ratio(ci95.hi());
    }

    /** One by one, but for many of the same end, device and reason. */
    private static List<ApartLine> apartLines(List<Apart> apart, Map<Subject, String> problems) {
        SequencedMap<ApartLine, List<Apart>> alike = new LinkedHashMap<>();
        apart.forEach(a -> alike.computeIfAbsent(
                        new ApartLine(where(a), Text.line(a.reason())), line -> new ArrayList<>())
                .add(a));
        List<ApartLine> out = new ArrayList<>();
        alike.forEach((line, rows) -> {
            if (rows.size() > MOST_ALIKE) {
                out.add(new ApartLine(rows.size() + " rows " + line.row(), line.reason()));
                return;
            }
            for (Apart a : rows) {
                String problem = Objects.requireNonNull(problems.get(a.subject()));
                String name = a.subject().kernel() + (problem.isEmpty() ? "" : " " + problem);
                out.add(new ApartLine(Text.line(name + " " + line.row()), line.reason()));
            }
        });
        return out;
    }

    private static String where(Apart a) {
        State base = a.base();
        State next = a.next();
        String devices = base == null
                ? next == null ? "" : next.device()
                : next == null ? base.device() : devices(base.device(), next.device());
        return Text.line("on " + devices + ": " + state(base) + " \u2192 " + state(next));
    }

    private static String state(@Nullable State state) {
        return state == null ? "no row" : state.status().tag();
    }

    /** "9 pairs: 1 slower, 8 same; geometric mean ...". */
    private static String summary(Comparison c) {
        String metric = c.question().metric();
        Map<Verdict, Long> counts = new TreeMap<>();
        c.pairs().forEach(p -> counts.merge(p.verdict(), 1L, Long::sum));
        int n = c.pairs().size();
        StringBuilder out = new StringBuilder(n == 0 ? "No pairs" : n + (n == 1 ? " pair: " : " pairs: "));
        out.append(counts.entrySet().stream()
                .map(e -> e.getValue() + " " + e.getKey().word(metric))
                .collect(Collectors.joining(", ")));
        Overall overall = c.overall();
        if (overall != null && overall.pairs() > 1) {
            out.append("; geometric mean of new/base ").append(ratio(overall.ratio()));
            Interval ci95 = overall.ci95();
            out.append(ci95 == null ? " (no interval)" : " (" + interval(ci95) + ")");
        }
        if (!c.apart().isEmpty()) {
            out.append("; ").append(rows(c.apart().size())).append(" not compared");
        }
        return out.append('.').toString();
    }

    private static String sentence(String text) {
        String line = Text.line(text);
        String upper = line.isEmpty() ? line : line.substring(0, 1).toUpperCase(Locale.ROOT) + line.substring(1);
        return upper.endsWith(".") ? upper : upper + ".";
    }

    // ---- the axes that tell rows apart

    private static Map<Subject, String> problems(
            Collection<Subject> subjects, SequencedMap<String, List<String>> fixed) {
        SequencedMap<String, List<Subject>> byKernel = new LinkedHashMap<>();
        subjects.forEach(s ->
                byKernel.computeIfAbsent(s.kernel(), k -> new ArrayList<>()).add(s));
        boolean modes = subjects.stream().map(Subject::mode).distinct().count() > 1;
        Map<Subject, String> out = new LinkedHashMap<>();
        byKernel.forEach((kernel, mine) -> {
            SequencedSet<String> names = new LinkedHashSet<>();
            mine.forEach(s -> names.addAll(s.problem().keySet()));
            boolean brief = mine.stream().allMatch(s -> Text.width(axes(s, names)) <= SHORT);
            Set<String> shown = names.stream()
                    .filter(axis -> brief
                            || mine.stream()
                                            .map(s -> String.valueOf(s.problem().get(axis)))
                                            .distinct()
                                            .count()
                                    > 1)
                    .collect(Collectors.toCollection(LinkedHashSet::new));
            for (Subject s : mine) {
                String text = axes(s, shown);
                out.put(s, Text.line(modes ? (text + " " + s.mode()).strip() : text));
            }
            names.removeAll(shown);
            String rest = axes(mine.getFirst(), names);
            if (!rest.isEmpty()) {
                fixed.computeIfAbsent(Text.line(rest), r -> new ArrayList<>()).add(Text.line(kernel));
            }
        });
        return out;
    }

    private static String axes(Subject subject, Set<String> which) {
        return subject.problem().entrySet().stream()
                .filter(e -> which.contains(e.getKey()))
                .map(e -> e.getKey() + "=" + e.getValue())
                .collect(Collectors.joining(" "));
    }
}
