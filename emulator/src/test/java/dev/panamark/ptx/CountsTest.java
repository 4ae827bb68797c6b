package dev.panamark.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Counts of the matrix product, by hand from its source. */
class CountsTest {
    @ParameterizedTest
    @EnumSource
    void ofTheMatrixProduct(LaunchOptions.Engine engine) {
        int n = 32;
        try (Run run = new Run("benchmark.ptx", Texts.resource("benchmark.ptx"))) {
            byte[] parameters = Parameters.of(run.module.kernel("matmul"))
                    .add(run.buffer(new float[n * n]))
                    .add(run.buffer(new float[n * n]))
                    .add(run.buffer(4L * n * n))
                    .add(n)
                    .bytes();
            Counts counts = run.linked.launch(
                    "matmul",
                    Extent.of(2, 2),
                    Extent.of(16, 16),
                    0,
                    parameters,
                    LaunchOptions.plain().engine(engine).counting(true));
            // 4 blocks of 8 warps, 2 tiles: 2 loads and 2 stores, 2 barriers, 32 shared loads, 16 fma a thread.
            long warpTiles = 4 * 8 * 2;
            assertEquals(Map.of("f32", 2L * n * n * n), counts.flops());
            assertEquals(warpTiles * 34, counts.total().sharedRequests());
            // A warp is two rows of 16: stores and the rows of B are 32 or 16 words, A's two words lie 16 banks apart.
            assertEquals(warpTiles * 34, counts.total().sharedIdeal());
            assertEquals(0, counts.total().sharedConflicts());
            assertEquals(warpTiles * 2 + 4 * 8, counts.total().globalRequests());
            // Two rows of 64 bytes are 4 sectors.
            assertEquals((warpTiles * 2 + 4 * 8) * 4, counts.total().globalSectors());
            assertEquals(2L * n * n * 4, counts.bytesRead());
            assertEquals(counts.bytesRead(), counts.bytesReadOnly(), "the product is not read");
            assertEquals(1L * n * n * 4, counts.bytesWritten());
            assertEquals(warpTiles * 2, counts.total().barriers());
            assertEquals(0, counts.total().divergentBranches());
            assertEquals(32 * counts.total().instructions(), counts.total().threadInstructions());
            Counts.Line product = counts.lines().stream()
                    .filter(line -> line.place().endsWith("benchmark.cu:18"))
                    .findFirst()
                    .orElseThrow();
            assertEquals(2L * n * n * n, product.flops());
            assertEquals(warpTiles * 32, product.sharedRequests());
        }
    }
}
