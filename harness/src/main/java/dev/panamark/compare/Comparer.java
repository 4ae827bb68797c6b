package dev.panamark.compare;

import dev.panamark.compare.Comparison.Apart;
import dev.panamark.compare.Comparison.Overall;
import dev.panamark.compare.Comparison.Pair;
import dev.panamark.compare.Comparison.Question;
import dev.panamark.compare.Comparison.Side;
import dev.panamark.compare.Comparison.State;
import dev.panamark.compare.Comparison.Why;
import dev.panamark.result.Interval;
import dev.panamark.result.Row;
import dev.panamark.result.RunResult;
import dev.panamark.result.Status;
import dev.panamark.stats.Draws;
import dev.panamark.stats.LogRatio;
import dev.panamark.stats.MedianInterval;
import dev.panamark.stats.MedianSpread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Pairs the rows of two results and judges each pair, many at a time. Used once, by one thread. */
public final class Comparer {
    private final ComparedRun base;
    private final ComparedRun next;
    private final Question question;
    private final Better better;
    private final List<Pair> pairs = new ArrayList<>();
    private final LogRatio.GeometricMean ratios = new LogRatio.GeometricMean();
    private final Draws baseDraws;
    private final Draws nextDraws;
    private final List<Apart> apart = new ArrayList<>();
    private final List<Supplier<Judged>> waiting = new ArrayList<>();
    private long rows;

    /** So many are judged at the same time: each takes the memory of its resamples until it is added to the mean. */
    private static final int AT_ONCE = 512;

    /** Fewer are not worth a second thread. */
    private static final int FEW = 32;

    /** What became of rows: a pair, perhaps with a ratio, or rows that stay apart. */
    private record Judged(
            @Nullable Pair pair,
            @Nullable LogRatio ratio,
            @Nullable Apart apart) {
        static Judged apart(Apart apart) {
            return new Judged(null, null, apart);
        }
    }

    private Comparer(ComparedRun base, ComparedRun next, Question question, Better better) {
        this.base = base;
        this.next = next;
        this.question = question;
        this.better = better;
        this.baseDraws = new Draws(mixed(file(false), -1));
        this.nextDraws = new Draws(mixed(file(true), -1));
    }

    /**
     * Compares.
     *
     * @throws IncomparableException when no row of either result has the metric, its unit differs, or nobody knows
     *     which of its directions is the good one
     */
    public static Comparison compare(ComparedRun base, ComparedRun next, Question question) {
        String unit = unit(base, next, question.metric());
        Better better = Optional.ofNullable(question.better())
                .or(() -> Better.of(question.metric()))
                .orElseThrow(() -> new IncomparableException("which direction of " + question.metric()
                        + " is the good one? Say so: --better lower or --better higher"));
        return new Comparer(base, next, question, better).compare(unit);
    }

    private static String unit(ComparedRun base, ComparedRun next, String metric) {
        Set<String> units = new LinkedHashSet<>();
        Set<String> there = new LinkedHashSet<>();
        Stream.of(base, next)
                .flatMap(r -> r.run().rows().stream())
                .forEach(row -> row.metrics().forEach((path, m) -> {
                    there.add(path);
                    if (path.equals(metric)) {
                        units.add(m.unit());
                    }
                }));
        if (units.size() > 1) {
            throw new IncomparableException(
                    metric + " is given in " + String.join(" and in ", units) + "; these cannot be compared");
        }
        // Without any metric there is nothing to choose from, and another message says that there are no rows.
        if (units.isEmpty() && !there.isEmpty()) {
            throw new IncomparableException("no row of " + base.name() + " or " + next.name() + " has the metric "
                    + metric + "; they have " + String.join(", ", new java.util.TreeSet<>(there)));
        }
        return units.isEmpty() ? "none" : units.iterator().next();
    }

    /** Where a row was measured and what. */
    private record Place(String device, Subject subject) {}

    private Comparison compare(String unit) {
        SequencedMap<Place, List<Row>> old = grouped(base.run());
        SequencedMap<Place, List<Row>> now = grouped(next.run());
        if (question.acrossDevices()) {
            across(old, now);
        } else {
            now.forEach((place, theirs) -> {
                List<Row> ours = old.remove(place);
                if (ours == null) {
                    alone(place, theirs, false, "BASE has no such row on " + place.device());
                } else {
                    pair(place.subject(), ours, theirs);
                }
            });
            old.forEach((place, ours) -> alone(place, ours, true, "NEW has no such row on " + place.device()));
        }
        judgeWaiting();
        return new Comparison(
                described(base),
                described(next),
                question,
                unit,
                better,
                pairs,
                apart,
                Environment.differences(base.run(), next.run(), question.acrossDevices(), pairs),
                overall(),
                remarks());
    }

    private static Comparison.Run described(ComparedRun run) {
        return new Comparison.Run(
                run.name(), run.run().started(), run.run().rows().size());
    }

    private static SequencedMap<Place, List<Row>> grouped(RunResult run) {
        SequencedMap<Place, List<Row>> out = new LinkedHashMap<>();
        for (Row row : run.rows()) {
            Subject subject = new Subject(row.kernel(), row.problem(), row.mode());
            out.computeIfAbsent(new Place(row.device(), subject), p -> new ArrayList<>())
                    .add(row);
        }
        return out;
    }

    // ---- pairing

    private record Meeting(Subject subject, Set<String> hardware) {}

    /** Every row of BASE with every row of NEW that measures the same on another piece of hardware. */
    private void across(SequencedMap<Place, List<Row>> old, SequencedMap<Place, List<Row>> now) {
        Set<Place> met = new LinkedHashSet<>();
        Set<Meeting> done = new LinkedHashSet<>();
        now.forEach((there, theirs) -> old.forEach((here, ours) -> {
            String hardware = identity(base.run(), here.device());
            String other = identity(next.run(), there.device());
            if (!here.subject().equals(there.subject()) || hardware.equals(other)) {
                return;
            }
            met.add(here);
            met.add(there);
            // Where both results have both devices, A against B says what B against A would.
            if (done.add(new Meeting(there.subject(), Set.of(hardware, other)))) {
                pair(there.subject(), ours, theirs);
            }
        }));
        now.forEach((place, rows) -> {
            if (!met.contains(place)) {
                alone(place, rows, false, "BASE has no such row on another device than " + place.device());
            }
        });
        old.forEach((place, rows) -> {
            if (!met.contains(place)) {
                alone(place, rows, true, "NEW has no such row on another device than " + place.device());
            }
        });
    }

    /** What tells hardware apart: its uuid, or its id where it has none. */
    private static String identity(RunResult run, String device) {
        return run.devices().stream()
                .filter(d -> device.equals(d.get("id")))
                .map(d -> d.get("uuid"))
                .filter(Objects::nonNull)
                .map(String::valueOf)
                .filter(uuid -> !uuid.isBlank())
                .findFirst()
                .orElse(device);
    }

    private void alone(Place place, List<Row> rows, boolean inBase, String reason) {
        Status status = rows.stream()
                .map(Row::status)
                .filter(s -> s != Status.OK)
                .findFirst()
                .orElse(Status.OK);
        State state = new State(place.device(), status);
        Apart row = new Apart(Why.NO_PARTNER, place.subject(), inBase ? state : null, inBase ? null : state, reason);
        judgeLater(() -> Judged.apart(row));
    }

    private void pair(Subject subject, List<Row> ours, List<Row> theirs) {
        // Several builds in one file are told apart by their images, where the other file has the same ones.
        Set<String> here = images(ours);
        Set<String> there = images(theirs);
        if (here.size() > 1 && here.equals(there)) {
            here.forEach(image -> pairOfImages(subject, of(image, ours), of(image, theirs)));
        } else {
            pairOfImages(subject, ours, theirs);
        }
    }

    private static Set<String> images(List<Row> rows) {
        return rows.stream()
                .filter(r -> r.status() == Status.OK)
                .map(Row::image)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private static List<Row> of(String image, List<Row> rows) {
        return rows.stream().filter(r -> r.image().equals(image)).toList();
    }

    private void pairOfImages(Subject subject, List<Row> ours, List<Row> theirs) {
        long number = rows++;
        judgeLater(() -> judged(subject, ours, theirs, number));
    }

    private void judgeLater(Supplier<Judged> judgement) {
        waiting.add(judgement);
        if (waiting.size() == AT_ONCE) {
            judgeWaiting();
        }
    }

    /** Adds them in their order, whichever is done first. */
    private void judgeWaiting() {
        Stream<Supplier<Judged>> all = waiting.size() < FEW ? waiting.stream() : waiting.parallelStream();
        for (Judged judged : all.map(Supplier::get).toList()) {
            if (judged.pair() != null) {
                pairs.add(judged.pair());
            }
            if (judged.ratio() != null) {
                ratios.add(judged.ratio());
            }
            if (judged.apart() != null) {
                apart.add(judged.apart());
            }
        }
        waiting.clear();
    }

    private Judged judged(Subject subject, List<Row> ours, List<Row> theirs, long number) {
        Reading a = reading(ours, false, number);
        Reading b = reading(theirs, true, number);
        State before = new State(a.device(), a.status());
        State after = new State(b.device(), b.status());
        Optional<String> several = several(ours, "BASE").or(() -> several(theirs, "NEW"));
        if (several.isPresent()) {
            return Judged.apart(new Apart(Why.AMBIGUOUS, subject, before, after, several.get()));
        }
        if (a.status() != Status.OK || b.status() != Status.OK) {
            return Judged.apart(new Apart(Why.NOT_OK, subject, before, after, reasons(a, b)));
        }
        if (a.value() == null || b.value() == null) {
            return Judged.apart(new Apart(Why.NO_VALUE, subject, before, after, reasons(a, b)));
        }
        return judged(subject, a, a.value(), b, b.value());
    }

    private Reading reading(List<Row> of, boolean isNext, long number) {
        Draws draws = isNext ? nextDraws : baseDraws;
        return Reading.of(of, question.metric(), new Reading.Chance(mixed(file(isNext), number), draws));
    }

    private long file(boolean isNext) {
        return question.seed() * 2 + (isNext ? 1 : 0);
    }

    /** Seeds that have nothing to do with each other (the finaliser of SplitMix64, Steele et al. 2014). */
    private static long mixed(long a, long b) {
        long z = a * 0x9e3779b97f4a7c15L + b;
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }

    private static Optional<String> several(List<Row> rows, String side) {
        long invocations = rows.stream().map(Row::invocation).distinct().count();
        if (invocations == rows.size()) {
            return Optional.empty();
        }
        return Optional.of(side + " has " + rows.size() + " rows of it, of "
                + rows.stream().map(Row::image).distinct().count()
                + " images; keep one of them, or give the kernels names of their own");
    }

    private static String reasons(Reading a, Reading b) {
        if (a.value() == null
                && b.value() == null
                && a.status() == b.status()
                && Objects.equals(a.reason(), b.reason())) {
            return (a.status() == Status.OK ? "" : "both " + a.status().tag() + ": ") + a.reason();
        }
        return Stream.of(Map.entry("BASE", a), Map.entry("NEW", b))
                .filter(e -> e.getValue().value() == null)
                .map(e -> e.getKey()
                        + (e.getValue().status() == Status.OK
                                ? ""
                                : " " + e.getValue().status().tag()) + ": "
                        + e.getValue().reason())
                .collect(Collectors.joining("; "));
    }

    // ---- judging

    private Judged judged(Subject subject, Reading a, double before, Reading b, double after) {
        List<String> notes = new ArrayList<>(Reading.notes(a, b));
        MedianSpread spreadA = a.spread();
        MedianSpread spreadB = b.spread();
        if (spreadA == null || spreadB == null) {
            boolean exact = a.isExact() && b.isExact();
            boolean rose = after > before;
            Verdict verdict;
            if (exact && before == after) {
                verdict = Verdict.SAME;
            } else if (exact) {
                verdict = rose == (better == Better.HIGHER) ? Verdict.BETTER : Verdict.WORSE;
            } else {
                verdict = Verdict.UNDECIDED;
            }
            notes.add("no ratio: a value is not positive");
            return new Judged(
                    new Pair(subject, side(a, before), side(b, after), null, null, verdict, notes), null, null);
        }
        LogRatio ratio = LogRatio.of(spreadA, spreadB);
        Interval interval = interval(ratio);
        if (ratio.reason() != null) {
            notes.add("no interval: " + ratio.reason());
        }
        Side sideA = side(a, before);
        Side sideB = side(b, after);
        Verdict verdict =
                Verdict.of(ratio.value(), interval, better, question.threshold(), Pair.singleInvocations(sideA, sideB));
        return new Judged(new Pair(subject, sideA, sideB, ratio.value(), interval, verdict, notes), ratio, null);
    }

    private static Side side(Reading r, double value) {
        String basis = r.spread() == null
                ? (r.isExact() ? "exact" : "none")
                : r.spread().basis().name().toLowerCase(Locale.ROOT);
        return new Side(r.device(), r.image(), value, r.samples(), r.invocations(), r.single(), basis);
    }

    private static @Nullable Interval interval(LogRatio ratio) {
        MedianInterval.Bounds bounds = ratio.ci95();
        return bounds == null || !Double.isFinite(bounds.hi()) ? null : new Interval(bounds.lo(), bounds.hi());
    }

    private @Nullable Overall overall() {
        if (ratios.count() == 0) {
            return null;
        }
        LogRatio mean = ratios.value();
        return new Overall(ratios.count(), mean.value(), interval(mean));
    }

    // ---- remarks

    private List<String> remarks() {
        List<String> out = new ArrayList<>();
        base.remarks().forEach(r -> out.add("BASE " + r));
        next.remarks().forEach(r -> out.add("NEW " + r));
        if (base.name().equals(next.name()) && !question.acrossDevices()) {
            out.add("BASE and NEW are the same file");
        }
        long judged = pairs.stream().filter(p -> p.ci95() != null && !exact(p)).count();
        if (judged > 1) {
            double chance = 0.05 * judged;
            out.add(judged + " pairs were judged, each by a 95 % interval: if nothing had changed, up to "
                    + (chance < 1.5 ? "one" : "about " + Math.round(chance))
                    + " of them could still exclude 1 by chance");
        }
        boolean few = pairs.stream().anyMatch(p -> isFew(p.base()) || isFew(p.next()));
        if (few) {
            out.add("with two or three invocations the interval takes their logarithms as normal; measure five"
                    + " (--invocations 5) for one that does not");
        }
        return out;
    }

    private static boolean exact(Pair p) {
        return p.base().basis().equals("exact") && p.next().basis().equals("exact");
    }

    private static boolean isFew(Side side) {
        return side.basis().equals("invocations") && side.invocations() < MedianSpread.ENOUGH_INVOCATIONS;
    }
}
