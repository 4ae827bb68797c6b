package dev.panamark.ptx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Three kernels of nvcc from text to result; expected values are computed here in the order of the kernels. */
class BenchmarkKernelsTest {
    private static float[] random(int count, long seed) {
        Random random = new Random(seed);
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = random.nextFloat() - 0.5f;
        }
        return values;
    }

    private static Run run() {
        return new Run("benchmark.ptx", Texts.resource("benchmark.ptx"));
    }

    @ParameterizedTest
    @EnumSource
    void vectorsAreAdded(LaunchOptions.Engine engine) {
        int n = 1000;
        float[] a = random(n, 1);
        float[] b = random(n, 2);
        try (Run run = run()) {
            long c = run.buffer(4L * n);
            byte[] parameters = Parameters.of(run.module.kernel("vecadd"))
                    .add(run.buffer(a))
                    .add(run.buffer(b))
                    .add(c)
                    .add(n)
                    .bytes();
            run.linked.launch(
                    "vecadd",
                    Extent.of(4),
                    Extent.of(256),
                    0,
                    parameters,
                    LaunchOptions.plain().engine(engine));
            float[] expected = new float[n];
            for (int i = 0; i < n; i++) {
                expected[i] = a[i] + b[i];
            }
            assertArrayEquals(expected, run.floats(c, n));
        }
    }

    @ParameterizedTest
    @EnumSource
    void matricesAreMultipliedInTilesOfSharedMemory(LaunchOptions.Engine engine) {
        int n = 48;
        float[] a = random(n * n, 3);
        float[] b = random(n * n, 4);
        try (Run run = run()) {
            long c = run.buffer(4L * n * n);
            byte[] parameters = Parameters.of(run.module.kernel("matmul"))
                    .add(run.buffer(a))
                    .add(run.buffer(b))
                    .add(c)
                    .add(n)
                    .bytes();
            run.linked.launch(
                    "matmul",
                    Extent.of(n / 16, n / 16),
                    Extent.of(16, 16),
                    0,
                    parameters,
                    LaunchOptions.plain().engine(engine).threads(2));
            float[] expected = new float[n * n];
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < n; j++) {
                    float sum = 0;
                    for (int k = 0; k < n; k++) {
                        sum = Math.fma(a[i * n + k], b[k * n + j], sum);
                    }
                    expected[i * n + j] = sum;
                }
            }
            assertArrayEquals(expected, run.floats(c, n * n));
        }
    }

    @ParameterizedTest
    @EnumSource
    void attentionIsTheSoftmaxOfScores(LaunchOptions.Engine engine) {
        int s = 40;
        int d = 64;
        float[] q = random(s * d, 5);
        float[] k = random(s * d, 6);
        float[] v = random(s * d, 7);
        try (Run run = run()) {
            long o = run.buffer(4L * s * d);
            byte[] parameters = Parameters.of(run.module.kernel("attn"))
                    .add(run.buffer(q))
                    .add(run.buffer(k))
                    .add(run.buffer(v))
                    .add(o)
                    .add(s)
                    .add(d)
                    .add(0.125f)
                    .bytes();
            run.linked.launch(
                    "attn",
                    Extent.of(s, 1),
                    Extent.of(128),
                    0,
                    parameters,
                    LaunchOptions.plain().engine(engine));
            float[] out = run.floats(o, s * d);
            for (int row = 0; row < s; row++) {
                double[] weights = new double[s];
                double sum = 0;
                for (int j = 0; j < s; j++) {
                    double score = 0;
                    for (int i = 0; i < d; i++) {
                        score += (double) q[row * d + i] * k[j * d + i];
                    }
                    weights[j] = Math.exp(score * 0.125);
                    sum += weights[j];
                }
                for (int i = 0; i < d; i++) {
                    double expected = 0;
                    for (int j = 0; j < s; j++) {
                        expected += weights[j] / sum * v[j * d + i];
                    }
                    assertEquals(expected, out[row * d + i], 1e-6, "row " + row + ", column " + i);
                }
            }
        }
    }
}
