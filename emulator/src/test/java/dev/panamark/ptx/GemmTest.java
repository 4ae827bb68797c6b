package dev.panamark.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Products of matrices that nvcc compiled for tensor cores, against products in double precision. */
class GemmTest {
    private static final int N = 64;

    /** Of a sum of 64 products below 0.25, f32 additions in any order are off by at most 65 * 2^-24 * 16. */
    private static final double TOLERANCE = 65 * 0x1p-20;

    private static float[] random(int seed) {
        Random random = new Random(seed);
        float[] values = new float[N * N];
        for (int i = 0; i < values.length; i++) {
            values[i] = Float.float16ToFloat(Float.floatToFloat16(random.nextFloat() - 0.5f));
        }
        return values;
    }

    private static int[] halves(float[] values) {
        int[] words = new int[values.length / 2];
        for (int i = 0; i < values.length; i++) {
            words[i / 2] |= (Float.floatToFloat16(values[i]) & 0xffff) << (16 * (i % 2));
        }
        return words;
    }

    private static Counts check(String kernel, Extent grid, Extent block, LaunchOptions.Engine engine, int scale) {
        float[] a = random(1);
        float[] b = random(2);
        try (Run run = new Run("gemm.ptx", Texts.resource("gemm.ptx"))) {
            long d = run.buffer(4L * N * N);
            byte[] parameters = Parameters.of(run.module.kernel(kernel))
                    .add(run.buffer(halves(a)))
                    .add(run.buffer(halves(b)))
                    .add(d)
                    .add(N)
                    .bytes();
            LaunchOptions options = LaunchOptions.plain().engine(engine).counting(true);
            Counts counts = run.linked.launch(kernel, grid, block, 0, parameters, options);
            float[] got = run.floats(d, N * N);
            for (int i = 0; i < N; i++) {
                for (int j = 0; j < N; j++) {
                    double sum = 0;
                    for (int k = 0; k < N; k++) {
                        sum += (double) a[i * N + k] * b[k * N + j];
                    }
                    assertEquals(scale * sum, got[i * N + j], scale * TOLERANCE, "row " + i + ", column " + j);
                }
            }
            return counts;
        }
    }

    @ParameterizedTest
    @EnumSource
    void byMma(LaunchOptions.Engine engine) {
        Counts counts = check("by_mma", Extent.of(N / 16, N / 32), Extent.of(32, 2), engine, 1);
        assertEquals(Map.of("tensor_f16", 2L * N * N * N), counts.flops());
        // Rows of 48 bytes: 8 of them begin in 8 different groups of 4 banks, so that ldmatrix has no conflicts.
        long loads = counts.lines().stream()
                .filter(line -> line.place().matches("gemm\\.cu:2[58]"))
                .mapToLong(Counts.Line::sharedRequests)
                .sum();
        long wavefronts = counts.lines().stream()
                .filter(line -> line.place().matches("gemm\\.cu:2[58]"))
                .mapToLong(Counts.Line::sharedWavefronts)
                .sum();
        // 8 blocks of 2 warps, 4 steps of 2.
        assertEquals(8 * 2 * 4 * 2, loads);
        assertEquals(4 * loads, wavefronts);
    }

    @ParameterizedTest
    @EnumSource
    void byWmma(LaunchOptions.Engine engine) {
        Counts counts = check("by_wmma", Extent.of(N / 16, N / 16), Extent.of(32), engine, 2);
        // The fragment of a sum is doubled, 8 multiplications a thread.
        assertEquals(Map.of("tensor_f16", 2L * N * N * N, "f32", 1L * N * N), counts.flops());
    }
}
