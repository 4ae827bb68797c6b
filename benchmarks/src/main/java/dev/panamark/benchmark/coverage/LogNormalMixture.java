package dev.panamark.benchmark.coverage;

import java.util.Arrays;
import org.hipparchus.analysis.solvers.BrentSolver;
import org.hipparchus.distribution.continuous.NormalDistribution;

/**
 * A mixture of log-normal distributions of one sigma.
 *
 * @param weights of the parts, with a sum of 1
 * @param levels natural logarithms of the parts' medians
 * @param sigma standard deviation of the logarithm around its level
 */
@SuppressWarnings("ArrayRecordComponent") // numbers of a computation, compared by nobody
record LogNormalMixture(double[] weights, double[] levels, double sigma) {
    private static final NormalDistribution NORMAL = new NormalDistribution();

    /** All parts alike. */
    static LogNormalMixture even(double[] levels, double sigma) {
        double[] weights = new double[levels.length];
        Arrays.fill(weights, 1.0 / levels.length);
        return new LogNormalMixture(weights, levels, sigma);
    }

    /** Where {@code sum weight Phi((log median - level) / sigma)} is a half. */
    double median() {
        double lo = Arrays.stream(levels).min().orElseThrow();
        double hi = Arrays.stream(levels).max().orElseThrow();
        return Math.exp(lo == hi ? lo : new BrentSolver(1e-9).solve(200, at -> below(at) - 0.5, lo, hi));
    }

    private double below(double log) {
        double sum = 0;
        for (int i = 0; i < levels.length; i++) {
            sum += weights[i] * NORMAL.cumulativeProbability((log - levels[i]) / sigma);
        }
        return sum;
    }

    /** {@code sum weight exp(level + sigma^2 / 2)}. */
    double mean() {
        double sum = 0;
        for (int i = 0; i < levels.length; i++) {
            sum += weights[i] * Math.exp(levels[i]);
        }
        return sum * Math.exp(sigma * sigma / 2);
    }
}
