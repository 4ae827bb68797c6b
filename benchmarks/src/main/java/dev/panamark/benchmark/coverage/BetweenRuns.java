package dev.panamark.benchmark.coverage;

import java.util.random.RandomGenerator;

/** What an invocation does to all its launches: a factor with a median of 1. */
enum BetweenRuns {
    /** None. */
    NONE("none") {
        @Override
        double factor(RandomGenerator random) {
            return 1;
        }
    },
    /** A normal logarithm. */
    NORMAL("normal 0.3 %") {
        @Override
        double factor(RandomGenerator random) {
            return Math.exp(SIGMA * random.nextGaussian());
        }
    },
    /** Exponential: seldom much slower, never much faster. */
    SKEWED("exponential 0.3 %") {
        @Override
        double factor(RandomGenerator random) {
            return 1 + SIGMA * (random.nextExponential() - Math.log(2));
        }
    };

    /** Standard deviation. */
    static final double SIGMA = 0.003;

    private final String label;

    BetweenRuns(String label) {
        this.label = label;
    }

    abstract double factor(RandomGenerator random);

    String label() {
        return label;
    }
}
