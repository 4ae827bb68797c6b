package dev.panamark.stats;

import java.util.Arrays;

/**
 * By how much one group of values lies above another, as a 95 % interval that takes no distribution: the Mann-Whitney
 * test turned round (Hodges and Lehmann, "Estimates of Location Based on Rank Tests", 1963). Of all differences between a
 * value of one group and a value of the other, it runs from the c-th smallest to the c-th largest. For groups that
 * differ in nothing but their level it holds the truth in at least 95 % of cases; with five values a side in 96.8 %. The
 * difference of the medians always lies in it.
 */
final class RankShift {
    /** Up to so many values together the number of arrangements is counted without rounding. */
    private static final int COUNTED = 50;

    private static final double Z = 1.959964;

    private RankShift() {}

    /**
     * The interval of {@code next - base}.
     *
     * @param base at least 4 values
     * @param next at least 4 values
     */
    static MedianInterval.Bounds of(double[] base, double[] next) {
        int c = rank(base.length, next.length);
        if (c == 0) {
            throw new IllegalArgumentException(
                    base.length + " and " + next.length + " values are too few for a 95 % interval");
        }
        double[] differences = new double[base.length * next.length];
        int at = 0;
        for (double b : base) {
            for (double v : next) {
                differences[at++] = v - b;
            }
        }
        Arrays.sort(differences);
        return new MedianInterval.Bounds(differences[c - 1], differences[differences.length - c]);
    }

    /**
     * The largest c for which no more than 2.5 % of all arrangements of n and m values have a Mann-Whitney U below c; 0
     * if there is none. Above {@value #COUNTED} values U is taken as normal.
     */
    static int rank(int n, int m) {
        if (n + m > COUNTED) {
            double mean = (double) n * m / 2;
            return (int) Math.floor(mean + 0.5 - Z * Math.sqrt(mean * (n + m + 1) / 6));
        }
        long[] arrangements = arrangements(n, m);
        double allowed = 0.025 * Arrays.stream(arrangements).sum();
        int c = 0;
        for (long below = arrangements[0]; below <= allowed; below += arrangements[c]) {
            c++;
        }
        return c;
    }

    /**
     * How many of the arrangements of n and m values have which U, from 0 to n m: the coefficients of the Gaussian binomial
     * {@code prod (1 - q^(m+i)) / (1 - q^i)} for i from 1 to n (Mann and Whitney 1947 give the same by recursion).
     */
    private static long[] arrangements(int n, int m) {
        long[] counts = new long[n * m + 1];
        counts[0] = 1;
        for (int i = 1; i <= n; i++) {
            for (int u = counts.length - 1; u >= m + i; u--) {
                counts[u] -= counts[u - m - i];
            }
            for (int u = i; u < counts.length; u++) {
                counts[u] += counts[u - i];
            }
        }
        return counts;
    }
}
