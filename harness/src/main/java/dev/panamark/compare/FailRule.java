package dev.panamark.compare;

import dev.panamark.compare.Comparison.Apart;
import dev.panamark.compare.Comparison.Pair;
import dev.panamark.result.Interval;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * When a comparison counts as failed: {@code slower:3%}, {@code faster:3%}, {@code undecided}, {@code broken}, {@code
 * missing}. With {@code worse} and {@code better} for the first two, whatever the metric.
 *
 * @param kind what is looked for
 * @param share relative change beyond which it fails; null where the comparison's own threshold counts, or none
 */
public record FailRule(Kind kind, @Nullable Double share) {
    /** What a rule looks for. */
    public enum Kind {
        /** A pair that is worse by more than the share. */
        SLOWER,
        /** A pair that is better by more than the share: a result too good to be true, or a reference out of date. */
        FASTER,
        /** A pair of which the interval does not tell. */
        UNDECIDED,
        /** A row that was right in BASE and is no longer. */
        BROKEN,
        /** A row that was right in BASE and that NEW does not have. */
        MISSING
    }

    private static final Pattern FORM = Pattern.compile("([a-z]+)(?::([0-9]+(?:\\.[0-9]+)?)\\s*(%)?)?");
    private static final String FORMS = "slower, slower:3%, faster, faster:3%, undecided, broken and missing are known";

    /**
     * Reads one rule.
     *
     * @throws IllegalArgumentException when it is none; the message says what there is
     */
    public static FailRule parse(String text) {
        Matcher m = FORM.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (!m.matches()) {
            throw new IllegalArgumentException("'" + text + "' is no rule; " + FORMS);
        }
        Kind kind = switch (m.group(1)) {
            case "slower", "worse" -> Kind.SLOWER;
            case "faster", "better" -> Kind.FASTER;
            case "undecided" -> Kind.UNDECIDED;
            case "broken" -> Kind.BROKEN;
            case "missing" -> Kind.MISSING;
            default -> throw new IllegalArgumentException("'" + text + "' is no rule; " + FORMS);
        };
        String number = m.group(2);
        if (number == null) {
            return new FailRule(kind, null);
        }
        if (kind != Kind.SLOWER && kind != Kind.FASTER) {
            throw new IllegalArgumentException("'" + text + "': only slower and faster take a share");
        }
        double share = Double.parseDouble(number) / (m.group(3) == null ? 1 : 100);
        if (!(share > 0) || Double.isInfinite(share)) {
            throw new IllegalArgumentException("'" + text + "': the share must be more than 0");
        }
        return new FailRule(kind, share);
    }

    /** The rule as on the command line. */
    public String text() {
        String name = kind.name().toLowerCase(Locale.ROOT);
        return share == null
                ? name
                : name + ":"
                        + new java.math.BigDecimal(Double.toString(share))
                                .movePointRight(2)
                                .stripTrailingZeros()
                                .toPlainString()
                        + "%";
    }

    /**
     * A row that a rule objects to.
     *
     * @param rule as on the command line
     * @param subject what was measured
     * @param device id in NEW, or in BASE where NEW has none
     * @param reason in words
     */
    public record Failure(String rule, Subject subject, String device, String reason) {}

    /**
     * All that the rules object to. Any rule objects to a row that was right in BASE and is no longer, as no number can
     * be good when the output is wrong.
     */
    public static List<Failure> failures(List<FailRule> rules, Comparison comparison) {
        List<Failure> out = new ArrayList<>();
        List<FailRule> all = new ArrayList<>(rules);
        if (!rules.isEmpty() && rules.stream().noneMatch(r -> r.kind() == Kind.BROKEN)) {
            all.add(new FailRule(Kind.BROKEN, null));
        }
        for (FailRule rule : all) {
            comparison
                    .pairs()
                    .forEach(p -> rule.objection(p, comparison)
                            .ifPresent(why -> out.add(new Failure(
                                    rule.text(), p.subject(), p.next().device(), why))));
            comparison.apart().forEach(a -> rule.objection(a).ifPresent(out::add));
        }
        return List.copyOf(out);
    }

    private Optional<String> objection(Pair pair, Comparison comparison) {
        Verdict verdict = pair.verdict();
        Double ratio = pair.ratio();
        Interval ci95 = pair.ci95();
        // From or to 0 there is no ratio, and a count that changed so has changed beyond any share.
        if (ratio != null && share != null) {
            verdict = Verdict.of(ratio, ci95, comparison.better(), share, pair.singleInvocations());
        }
        boolean objects = switch (kind) {
            case SLOWER -> verdict == Verdict.WORSE;
            case FASTER -> verdict == Verdict.BETTER;
            case UNDECIDED -> verdict == Verdict.UNDECIDED;
            case BROKEN, MISSING -> false;
        };
        if (!objects) {
            return Optional.empty();
        }
        String word = verdict.word(comparison.question().metric());
        if (ratio == null) {
            return Optional.of(
                    word + ": " + pair.base().value() + " \u2192 " + pair.next().value());
        }
        return Optional.of(word + ": new/base " + digits(ratio)
                + (ci95 == null ? ", no interval" : " [" + digits(ci95.lo()) + ", " + digits(ci95.hi()) + "]"));
    }

    private Optional<Failure> objection(Apart apart) {
        boolean objects = switch (kind) {
            case BROKEN -> apart.broken();
            case MISSING -> apart.missing();
            case SLOWER, FASTER, UNDECIDED -> false;
        };
        Comparison.State state = apart.next() != null ? apart.next() : apart.base();
        return objects && state != null
                ? Optional.of(new Failure(text(), apart.subject(), state.device(), apart.reason()))
                : Optional.empty();
    }

    private static String digits(double v) {
        return String.format(Locale.ROOT, "%.4f", v);
    }
}
