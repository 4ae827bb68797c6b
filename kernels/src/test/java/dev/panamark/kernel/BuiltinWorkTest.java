package dev.panamark.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the built-in kernel files count, against counting one by one. */
class BuiltinWorkTest {

    @ParameterizedTest
    @CsvSource({
        "5, 0, none, -1",
        "5, 0, bottom-right, -1",
        "5, 9, bottom-right, -1",
        "9, 5, bottom-right, -1",
        "9, 5, none, -1",
        "7, 20, bottom-right, 0",
        "7, 20, bottom-right, 4",
        "7, 20, none, 4",
        "7, 20, bottom-right, 30",
        "12, 7, bottom-right, 2",
        "12, 7, none, 2",
    })
    void prefillCountsThePairsThatAMaskLeaves(int seq, int kvLen, String causal, int window, @TempDir Path cache) {
        int keys = kvLen == 0 ? seq : kvLen;
        long pairs = 0;
        boolean[] seen = new boolean[keys];
        boolean[] asking = new boolean[seq];
        for (int i = 0; i < seq; i++) {
            for (int j = 0; j < keys; j++) {
                int diagonal = i + keys - seq;
                if ((causal.equals("none") || j <= diagonal) && (window < 0 || j >= diagonal - window)) {
                    pairs++;
                    seen[j] = true;
                    asking[i] = true;
                }
            }
        }
        for (Kernel kernel : Catalogue.builtin(cache).all()) {
            if (!kernel.name().startsWith("attention.prefill.")) {
                continue;
            }
            Instance it = KernelFiles.ready(
                    kernel,
                    kernel.hasImage("cpu") ? KernelFiles.CPU : KernelFiles.H100,
                    "batch=2",
                    "heads=4",
                    "kv_heads=2",
                    "head_dim=64",
                    "seq=" + seq,
                    "kv_len=" + kvLen,
                    "causal=" + causal,
                    "window=" + window);
            Work work = it.work().of(new Inputs(Map.of(), 1));
            String units = kernel.name().startsWith("attention.prefill.mma") ? "tensor_f16" : "fma_f32";
            assertEquals(4.0 * 2 * 4 * 64 * pairs, work.flops().get(units), kernel.name());
            double bytes = kernel.hasImage("cpu") ? 4 : 2; // f32 there, f16 on GPUs
            double queries = bytes * 2 * 4 * 64 * count(asking);
            double keysAndValues = 2 * bytes * 2 * 2 * 64 * count(seen);
            assertEquals(queries + keysAndValues, work.reads(), kernel.name());
        }
    }

    private static int count(boolean[] flags) {
        int n = 0;
        for (boolean flag : flags) {
            n += flag ? 1 : 0;
        }
        return n;
    }
}
