package dev.panamark.kernel.check;

import java.util.Optional;

/** What was found while elements were compared one by one; tallies of two stretches add up. */
final class Tally {
    /** An element that differs. */
    record Element(long position, double got, double want, double allowed) {}

    private long checked;
    private long off;
    private long broken;
    private double worstRatio = -1;
    private double maxAbs;
    private double gotWant;
    private double gotGot;
    private double wantWant;
    private Optional<Element> first = Optional.empty();
    private Optional<Element> worst = Optional.empty();

    /** Takes in elements that are equal to the reference, bit for bit. */
    void addEqual(double[] values, int count) {
        checked += count;
        double squares = 0;
        for (int i = 0; i < count; i++) {
            squares += Double.isFinite(values[i]) ? values[i] * values[i] : 0;
        }
        gotWant += squares;
        gotGot += squares;
        wantWant += squares;
    }

    /**
     * Takes in an element.
     *
     * @param difference between got and want, infinite where one is not finite and they do not agree
     * @param allowed largest difference that is right
     * @param wrong whether the rule refuses the element
     */
    void add(long position, double got, double want, double difference, double allowed, boolean wrong) {
        checked++;
        if (Double.isFinite(got) && Double.isFinite(want)) {
            maxAbs = Math.max(maxAbs, Math.abs(got - want));
            gotWant += got * want;
            gotGot += got * got;
            wantWant += want * want;
        }
        if (difference == 0 && !wrong) {
            return;
        }
        if (difference == Double.POSITIVE_INFINITY) {
            broken++;
        }
        if (wrong) {
            off++;
            if (first.isEmpty() || position < first.get().position()) {
                first = Optional.of(new Element(position, got, want, allowed));
            }
        }
        double ratio = allowed > 0 ? difference / allowed : difference;
        if (ratio > worstRatio) {
            worstRatio = ratio;
            worst = Optional.of(new Element(position, got, want, allowed));
        }
    }

    /** The tally of this stretch and a later one. */
    Tally plus(Tally later) {
        Tally sum = new Tally();
        sum.checked = checked + later.checked;
        sum.off = off + later.off;
        sum.broken = broken + later.broken;
        sum.maxAbs = Math.max(maxAbs, later.maxAbs);
        sum.gotWant = gotWant + later.gotWant;
        sum.gotGot = gotGot + later.gotGot;
        sum.wantWant = wantWant + later.wantWant;
        boolean laterFirst = first.isEmpty()
                || (later.first.isPresent()
                        && later.first.get().position() < first.get().position());
        sum.first = laterFirst ? later.first : first;
        sum.worst = later.worstRatio > worstRatio ? later.worst : worst;
        sum.worstRatio = Math.max(worstRatio, later.worstRatio);
        return sum;
    }

    long checked() {
        return checked;
    }

    /** Elements that are not right. */
    long off() {
        return off;
    }

    /** Elements that are not finite where the reference is, or the other way round. */
    long broken() {
        return broken;
    }

    /** The wrong element with the lowest position. */
    Optional<Element> first() {
        return first;
    }

    /** The element farthest off, right or wrong; empty where all are equal. */
    Optional<Element> worst() {
        return worst;
    }

    /** Its difference as a multiple of what is allowed. */
    double worstRatio() {
        return worstRatio;
    }

    /** Largest difference of finite elements. */
    double maxAbs() {
        return maxAbs;
    }

    /** Cosine of the outputs with the reference, over finite elements; NaN where both are zero. */
    double cosine() {
        if (gotGot == 0 && wantWant == 0) {
            return Double.NaN;
        }
        return gotGot == 0 || wantWant == 0 ? 0 : gotWant / Math.sqrt(gotGot) / Math.sqrt(wantWant);
    }

    /**
     * {@code 1 - 2 got.want / (got.got + want.want)}, as DeepSeek's tests compare: never below {@code 1 - cosine}, and
     * unlike it above 0 for outputs that are right but for a factor.
     */
    double dissimilarity() {
        return gotGot == 0 && wantWant == 0 ? 0 : 1 - 2 * gotWant / (gotGot + wantWant);
    }
}
