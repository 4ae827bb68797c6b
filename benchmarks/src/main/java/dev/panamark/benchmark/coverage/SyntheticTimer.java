package dev.panamark.benchmark.coverage;

import java.util.Arrays;
import java.util.Locale;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * A process that launch times may follow. Unless said otherwise, the logarithm of a time scatters normally by 2 %.
 *
 * @param name for a table
 * @param start begins a run of it
 */
record SyntheticTimer(String name, Function<RandomGenerator, Course> start) {
    /** Standard deviation of the logarithm. */
    static final double SIGMA = 0.02;

    /** Launches over which a drifting level moves by about 2 %. */
    static final int DRIFT_LENGTH = 500;

    static final double DRIFT = 0.02;

    /** The slower of two clocks takes this many times as long, for this share of launches. */
    static final double SLOWER = 1.15;

    static final double SLOWER_SHARE = 0.3;

    static final double RARE = 0.01;
    static final double PARETO_SHAPE = 1.5;

    /**
     * First-order autoregressive logarithms, stationary from the start: median 1, mean {@code exp(sigma^2 / 2)}.
     *
     * @param rho autocorrelation at lag 1; with 0 launches are independent
     */
    static SyntheticTimer autoregressive(double rho) {
        return new SyntheticTimer(rho == 0 ? "independent" : "AR(1), " + rho, random -> autoregressive(random, rho));
    }

    /** The level rises by 2 % in 500 launches. */
    static SyntheticTimer linearDrift() {
        return new SyntheticTimer(
                "level rises",
                random -> new Drift(random, new DoubleSupplier() {
                    private int launch;

                    @Override
                    public double getAsDouble() {
                        return DRIFT * launch++ / DRIFT_LENGTH;
                    }
                }));
    }

    /** The level walks at random, by 2 % (one sigma) in 500 launches. */
    static SyntheticTimer randomWalk() {
        return new SyntheticTimer(
                "level walks",
                random -> new Drift(random, new DoubleSupplier() {
                    private double level;

                    @Override
                    public double getAsDouble() {
                        level += DRIFT / Math.sqrt(DRIFT_LENGTH) * random.nextGaussian();
                        return level;
                    }
                }));
    }

    /** Each launch by itself takes the slower clock in 30 % of cases. */
    static SyntheticTimer twoClocks() {
        LogNormalMixture times = twoLevels();
        return new SyntheticTimer(
                "two clocks, mixed",
                random -> fixed(
                        times,
                        () -> Math.exp((random.nextDouble() < SLOWER_SHARE ? Math.log(SLOWER) : 0)
                                + SIGMA * random.nextGaussian())));
    }

    /**
     * The clock stays for a while: a Markov chain in its steady state.
     *
     * @param stretch launches that the faster and the slower stretch together take on average
     */
    static SyntheticTimer twoClocksInStretches(double stretch) {
        LogNormalMixture times = twoLevels();
        double leaveSlow = 1 / (SLOWER_SHARE * stretch);
        double leaveFast = 1 / ((1 - SLOWER_SHARE) * stretch);
        return new SyntheticTimer(
                String.format(Locale.ROOT, "two clocks, %.0f and %.0f launches", 1 / leaveFast, 1 / leaveSlow),
                random -> fixed(times, new DoubleSupplier() {
                    private boolean slow = random.nextDouble() < SLOWER_SHARE;

                    @Override
                    public double getAsDouble() {
                        double level = slow ? Math.log(SLOWER) : 0;
                        if (random.nextDouble() < (slow ? leaveSlow : leaveFast)) {
                            slow = !slow;
                        }
                        return Math.exp(level + SIGMA * random.nextGaussian());
                    }
                }));
    }

    /** One launch in a hundred takes ten times as long. */
    static SyntheticTimer rareLong() {
        LogNormalMixture times =
                new LogNormalMixture(new double[] {1 - RARE, RARE}, new double[] {0, Math.log(10)}, SIGMA);
        return new SyntheticTimer(
                "1 in 100 takes 10 times as long",
                random -> fixed(
                        times,
                        () -> Math.exp(
                                (random.nextDouble() < RARE ? Math.log(10) : 0) + SIGMA * random.nextGaussian())));
    }

    /** {@code 1 + 0.02 (P - 1)} with P of a Pareto distribution of shape 1.5, whose variance is infinite. */
    static SyntheticTimer pareto() {
        double median = 1 + SIGMA * (Math.pow(2, 1 / PARETO_SHAPE) - 1);
        double mean = 1 + SIGMA * (PARETO_SHAPE / (PARETO_SHAPE - 1) - 1);
        return new SyntheticTimer(
                "Pareto tail",
                random -> new Fixed(
                        median, mean, () -> 1 + SIGMA * (Math.pow(1 - random.nextDouble(), -1 / PARETO_SHAPE) - 1)));
    }

    private static LogNormalMixture twoLevels() {
        return new LogNormalMixture(
                new double[] {1 - SLOWER_SHARE, SLOWER_SHARE}, new double[] {0, Math.log(SLOWER)}, SIGMA);
    }

    private static Course autoregressive(RandomGenerator random, double rho) {
        return fixed(new LogNormalMixture(new double[] {1}, new double[] {0}, SIGMA), new DoubleSupplier() {
            private double at = random.nextGaussian();

            @Override
            public double getAsDouble() {
                double time = Math.exp(SIGMA * at);
                at = rho * at + Math.sqrt(1 - rho * rho) * random.nextGaussian();
                return time;
            }
        });
    }

    private static Course fixed(LogNormalMixture times, DoubleSupplier next) {
        return new Fixed(times.median(), times.mean(), next);
    }

    /** A process that has a median and a mean. */
    private record Fixed(double median, double mean, DoubleSupplier source) implements Course {
        @Override
        public double next() {
            return source.getAsDouble();
        }
    }

    /** A level that drifts: what its launches had for truth depends on how many there were. */
    private static final class Drift implements Course {
        private final RandomGenerator random;
        private final DoubleSupplier source;
        private double[] levels = new double[1024];
        private int n;

        Drift(RandomGenerator random, DoubleSupplier source) {
            this.random = random;
            this.source = source;
        }

        @Override
        public double next() {
            if (n == levels.length) {
                levels = Arrays.copyOf(levels, 2 * n);
            }
            double level = source.getAsDouble();
            levels[n++] = level;
            return Math.exp(level + SIGMA * random.nextGaussian());
        }

        @Override
        public double median() {
            return soFar().median();
        }

        @Override
        public double mean() {
            return soFar().mean();
        }

        private LogNormalMixture soFar() {
            return LogNormalMixture.even(Arrays.copyOf(levels, n), SIGMA);
        }
    }
}
