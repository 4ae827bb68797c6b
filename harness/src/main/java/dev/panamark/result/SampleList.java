package dev.panamark.result;

import java.util.AbstractList;
import java.util.Arrays;
import java.util.Collection;
import java.util.RandomAccess;

/** Samples that never change, eight bytes each: boxed ones take three times as much. */
final class SampleList extends AbstractList<Double> implements RandomAccess {
    private static final SampleList EMPTY = new SampleList(new double[0]);

    private final double[] seconds;

    private SampleList(double[] seconds) {
        this.seconds = seconds;
    }

    /** The first so many of these values, copied. */
    static SampleList of(double[] seconds, int count) {
        return count == 0 ? EMPTY : new SampleList(Arrays.copyOf(seconds, count));
    }

    /** A copy; the collection itself where it is such a list already. */
    static SampleList copyOf(Collection<Double> seconds) {
        if (seconds instanceof SampleList list) {
            return list;
        }
        double[] all = seconds.stream().mapToDouble(Double::doubleValue).toArray();
        return all.length == 0 ? EMPTY : new SampleList(all);
    }

    double[] toDoubles() {
        return seconds.clone();
    }

    /** Refuses what is no time. */
    void requireTimes() {
        for (double sample : seconds) {
            if (!Double.isFinite(sample) || sample < 0) {
                throw new IllegalArgumentException("samples are seconds, finite and not negative, not " + sample);
            }
        }
    }

    @Override
    public Double get(int index) {
        return seconds[index];
    }

    @Override
    public int size() {
        return seconds.length;
    }
}
