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

    /** Half of a warp stores and loads in order: each is one instruction of 16 lanes, whatever fences it has. */
    @ParameterizedTest
    @EnumSource
    void orderedAccessesUnderAGuardCountOnce(LaunchOptions.Engine engine) {
        String body = """
                mov.u32 %r1, %laneid;
                setp.lt.u32 %p1, %r1, 16;
                mul.wide.u32 %rd1, %r1, 4;
                add.s64 %rd2, %rd0, %rd1;
                @%p1 st.release.gpu.global.u32 [%rd2], %r1;
                @%p1 ld.acquire.gpu.global.u32 %r2, [%rd2];
                """;
        try (Run run = new Run("k.ptx", Texts.kernel(1, body))) {
            long out = run.buffer(128);
            LaunchOptions options = LaunchOptions.plain().engine(engine).counting(true);
            Counts counts = run.launch("k", Extent.of(1), Extent.of(32), options, out);
            // ld.param, mov, setp, mul, add and ret.
            assertEquals(6 + 2, counts.total().instructions());
            assertEquals(6 * 32 + 2 * 16, counts.total().threadInstructions());
            assertEquals(2, counts.total().globalRequests());
            assertEquals(2 * 2, counts.total().globalSectors());
        }
    }

    /** Half of a warp goes to shared memory and half to global memory, each time elsewhere. */
    @ParameterizedTest
    @EnumSource
    void genericAccessesAreCountedWhereTheyGo(LaunchOptions.Engine engine) {
        String body = """
                .shared .align 4 .b8 s[8192];
                mov.u32 %r1, %laneid;
                setp.lt.u32 %p1, %r1, 16;
                mov.u64 %rd1, s;
                cvta.shared.u64 %rd2, %rd1;
                selp.b64 %rd3, %rd2, %rd0, %p1;
                mov.u32 %r2, 0;
                L:
                add.u32 %r3, %r2, 1;
                mul.lo.u32 %r4, %r1, %r3;
                mul.wide.u32 %rd4, %r4, 4;
                add.s64 %rd5, %rd3, %rd4;
                st.u32 [%rd5], %r1;
                add.u32 %r2, %r2, 1;
                setp.lt.u32 %p2, %r2, 4;
                @%p2 bra L;
                """;
        try (Run run = new Run("k.ptx", Texts.kernel(1, body))) {
            long out = run.buffer(1024);
            LaunchOptions options = LaunchOptions.plain().engine(engine).counting(true);
            Counts counts = run.launch("k", Extent.of(1), Extent.of(32), options, out);
            assertEquals(4, counts.total().sharedRequests());
            // Of 16 words 1, 2, 3 and 4 apart only the last share banks, two and two.
            assertEquals(
                    1 + 1 + 1 + 2,
                    counts.total().sharedRequests() + counts.total().sharedConflicts());
            assertEquals(4, counts.total().globalRequests());
            // Bytes 64 to 127, 128 to 251, 192 to 375 and 256 to 499.
            assertEquals(2 + 4 + 6 + 8, counts.total().globalSectors());
        }
    }
}
