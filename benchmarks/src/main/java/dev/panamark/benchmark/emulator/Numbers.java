package dev.panamark.benchmark.emulator;

import java.util.Random;

/** Inputs, and results to compare with. */
final class Numbers {
    private Numbers() {}

    /** Uniform in [-0.5, 0.5). */
    static float[] random(int count, long seed) {
        Random random = new Random(seed);
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = random.nextFloat() - 0.5f;
        }
        return values;
    }

    /** In double precision. */
    static double[] product(float[] a, float[] b, int n) {
        double[] product = new double[n * n];
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < n; k++) {
                for (int j = 0; j < n; j++) {
                    product[i * n + j] += (double) a[i * n + k] * b[k * n + j];
                }
            }
        }
        return product;
    }

    /** In double precision: softmax over the scores of each row, times the values. */
    static double[] attention(float[] q, float[] k, float[] v, int heads, int length, int width, double scale) {
        double[] out = new double[q.length];
        for (int row = 0; row < heads * length; row++) {
            int head = row / length * length * width;
            double[] weights = new double[length];
            double sum = 0;
            for (int j = 0; j < length; j++) {
                double score = 0;
                for (int d = 0; d < width; d++) {
                    score += (double) q[row * width + d] * k[head + j * width + d];
                }
                weights[j] = Math.exp(score * scale);
                sum += weights[j];
            }
            for (int j = 0; j < length; j++) {
                for (int d = 0; d < width; d++) {
                    out[row * width + d] += weights[j] / sum * v[head + j * width + d];
                }
            }
        }
        return out;
    }

    /**
     * Compares what a side made.
     *
     * @throws IllegalStateException where any value is further off
     */
    static void check(Side side, double[] expected, double tolerance) {
        float[] got = side.output();
        for (int i = 0; i < expected.length; i++) {
            // Not the other way round, so that NaN is refused.
            if (!(Math.abs(got[i] - expected[i]) <= tolerance)) {
                throw new IllegalStateException(side.name() + ": value " + i + " is " + got[i] + "; expected "
                        + expected[i] + " within " + tolerance);
            }
        }
    }
}
