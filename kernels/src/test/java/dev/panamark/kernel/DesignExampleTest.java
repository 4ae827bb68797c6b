package dev.panamark.kernel;

import static dev.panamark.kernel.KernelFiles.CPU;
import static dev.panamark.kernel.KernelFiles.DESIGN;
import static dev.panamark.kernel.KernelFiles.H100;
import static dev.panamark.kernel.KernelFiles.assertHas;
import static dev.panamark.kernel.KernelFiles.problem;
import static dev.panamark.kernel.KernelFiles.read;
import static dev.panamark.kernel.KernelFiles.ready;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.kernel.format.DataType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The example of the design document; all numbers were calculated by hand. */
class DesignExampleTest {

    @Test
    void identity(@TempDir Path dir) {
        Kernel kernel = read(dir, DESIGN);
        assertEquals("attention.decode.split_kv", kernel.name());
        assertEquals("attention.decode", kernel.family());
        assertEquals("paged decode, split over KV, two kernels", kernel.purpose());
        assertEquals(Set.of("cuda", "hip", "cpu"), kernel.backends());
        assertFalse(kernel.ceiling());
        assertEquals(
                List.of("batch", "heads", "kv_heads", "head_dim", "kv_len", "page", "dtype", "kv_dtype"),
                kernel.axes().stream().map(Axis::name).toList());
        assertTrue(kernel.sourceSha256().matches("[0-9a-f]{64}"));
    }

    @Test
    void problemsPerBackend(@TempDir Path dir) {
        Kernel kernel = read(dir, DESIGN);
        List<Problem> cuda = kernel.problems("cuda", List.of(), Optional.empty());
        assertEquals(16, cuda.size());
        assertEquals(
                "batch=8 heads=32 kv_heads=8 head_dim=128 kv_len=1024 page=16 dtype=f16 kv_dtype=f16",
                cuda.getFirst().toString());
        assertEquals(
                "batch=8 heads=32 kv_heads=8 head_dim=128 kv_len=8192 page=64 dtype=bf16 kv_dtype=e4m3",
                cuda.getLast().toString());
        assertEquals(8, kernel.problems("cpu", List.of(), Optional.empty()).size());
        assertHas(kernel.problems("emu", List.of(), Optional.empty()).getFirst().toString(), "kv_len=256");
    }

    @Test
    void everythingForOneProblemOnAnH100(@TempDir Path dir) {
        Instance it = ready(read(dir, DESIGN), H100);
        assertEquals(new Value.Int(8192), it.values().get("smem")); // 2*16*128*2
        assertEquals(new Value.Int(64), it.values().get("pages")); // 1024/16
        assertEquals(new Value.Int(512), it.values().get("num_pages")); // 8*64
        assertEquals(new Value.Int(5), it.values().get("splits")); // ceil(264/64) = ceil(4.125)
        assertEquals("cuda", it.image().backend());
        assertEquals(dir.resolve("split_kv.cu"), it.image().file());
        assertEquals(List.of("-DHEAD_DIM=128"), it.image().options());
        assertEquals(Optional.empty(), it.ceiling());

        Step.Launch split = assertInstanceOf(Step.Launch.class, it.steps().get(0));
        assertEquals("decode_split", split.entry());
        assertEquals(new Dim3(5, 8, 8), split.grid());
        assertEquals(new Dim3(128, 1, 1), split.block());
        assertEquals(8192, split.shared());
        assertEquals(new Argument.BufferAddress("q"), split.args().getFirst());
        assertEquals(new Argument.Scalar("i32", 5, 4), split.args().get(6));
        // 1/sqrt(128) = 0.088388348 in single precision is 0x3DB504F3: sqrt(2) is 0x3FB504F3, divided by 16.
        assertEquals(new Argument.Scalar("f32", 0x3DB504F3L, 4), split.args().get(7));
        Step.Launch merge = assertInstanceOf(Step.Launch.class, it.steps().get(1));
        assertEquals(new Dim3(32, 8, 1), merge.grid());
        assertEquals(0, merge.shared());
    }

    @Test
    void buffers(@TempDir Path dir) {
        Instance it = ready(read(dir, DESIGN), H100, "kv_dtype=e4m3");
        assertEquals(
                List.of("q", "lens", "table", "kv", "ks", "part", "out", "lse"),
                it.buffers().stream().map(Buffer::name).toList());
        Buffer kv = it.buffer("kv");
        assertEquals(DataType.E4M3, kv.type());
        assertEquals(Shape.of(512, 2, 16, 8, 128), kv.shape());
        assertEquals(16_777_216, kv.bytes()); // 512*2*16*8*128
        assertEquals(Optional.of(new Buffer.Paging("table", 0, 2)), kv.paging());
        assertEquals(Optional.of("ks"), kv.scale());
        assertTrue(Double.isNaN(kv.unused().orElseThrow()));
        assertEquals(
                Optional.of(new Fill.AmaxOf("kv", 448, List.of(3))),
                it.buffer("ks").fill());
        assertEquals(
                Optional.of(new Fill.Lengths(true, 1, 1024)), it.buffer("lens").fill());
        assertEquals(
                Optional.of(new Fill.PageTable("lens", 16, true)),
                it.buffer("table").fill());
        assertEquals(OptionalDouble.of(2_147_480_000.0), it.buffer("table").unused());
        assertEquals(Optional.empty(), it.buffer("table").paging());
        assertEquals(Optional.of(new Fill.Normal(0, 1)), it.buffer("q").fill());
        assertEquals(Buffer.Role.INPUT, it.buffer("q").role());
        assertEquals(Shape.of(5, 8, 32, 130), it.buffer("part").shape());
        assertEquals(Buffer.Role.SCRATCH, it.buffer("part").role());
        assertEquals(Optional.empty(), it.buffer("part").check());
        assertEquals(
                Optional.of(new OutputCheck(OutputCheck.Rule.TWICE_NATIVE, 1e-5, 0, "e", OptionalDouble.empty())),
                it.buffer("out").check());
        assertEquals(
                Optional.of(new OutputCheck(
                        OutputCheck.Rule.CLOSE, 1e-3, 0, "e", OptionalDouble.of(Double.NEGATIVE_INFINITY))),
                it.buffer("lse").check());
    }

    @Test
    void check(@TempDir Path dir) {
        Check check = ready(read(dir, DESIGN), H100).check();
        assertEquals(Optional.of("attention"), check.reference());
        assertEquals(
                Map.of("scale", new Value.Real(0.08838834764831845), "causal", new Value.Text("bottom-right")),
                check.conventions());
    }

    @Test
    void workCountsWhatIsUsed(@TempDir Path dir) {
        Instance it = ready(read(dir, DESIGN), H100);
        // Eight sequences of 1, 2, 3, 4, 5, 6, 7 and 40 tokens: seven on one page, the last on three.
        int[] lens = {1, 2, 3, 4, 5, 6, 7, 40};
        int[] table = new int[8 * 64];
        java.util.Arrays.fill(table, 2_147_480_000);
        for (int s = 0; s < 8; s++) {
            for (int p = 0; p < Math.ceilDiv(lens[s], 16); p++) {
                table[s * 64 + p] = 100 + 4 * s + p;
            }
        }
        Map<String, Tensor> tensors = new HashMap<>();
        tensors.put("lens", tensor(Shape.of(8), lens));
        tensors.put("table", tensor(Shape.of(8, 64), table));
        Work work = it.work().of(new Inputs(tensors, 1));
        assertEquals(Map.of("tensor_f16", 4.0 * 32 * 128 * 68), work.flops());
        // 68 tokens of 2 (K and V) * 8 heads * 128 * 2 bytes, and q of 8*32*128*2 bytes.
        assertEquals(68 * 4096 + 65_536, work.reads());
        assertEquals(65_536, work.writes());
        assertEquals(Optional.of(new Work.Tokens(8, "decode")), work.tokens());

        // Two sequences that share a page read it once, as far as the longer one reaches.
        table[1 * 64] = table[0];
        tensors.put("table", tensor(Shape.of(8, 64), table));
        assertEquals(67 * 4096 + 65_536, it.work().of(new Inputs(tensors, 1)).reads());
    }

    @Test
    void whereExcludesWithItsValues(@TempDir Path dir) {
        Kernel kernel = read(dir, DESIGN);
        Resolution heads = kernel.instance(problem(kernel, H100, "kv_heads=3"), H100);
        assertHas(
                assertInstanceOf(Resolution.Excluded.class, heads).reason(),
                "heads % kv_heads == 0",
                "heads=32 kv_heads=3");
        // 2*1024*128*2 = 524288 bytes of shared memory.
        Resolution page = kernel.instance(problem(kernel, H100, "page=1024"), H100);
        assertHas(
                assertInstanceOf(Resolution.Excluded.class, page).reason(),
                "smem <= device.shared_block",
                "smem=524288");
    }

    @Test
    void whatADeviceLacksIsUnsupported(@TempDir Path dir) {
        Kernel kernel = read(dir, DESIGN);
        Resolution cpu = kernel.instance(problem(kernel, CPU), CPU);
        assertHas(assertInstanceOf(Resolution.Unsupported.class, cpu).reason(), "device.shared_block", "cpu");
        DeviceValues old = new DeviceValues("cuda", Map.of("units", 80, "cc", 70, "shared_block", 98_304));
        assertHas(
                assertInstanceOf(Resolution.Unsupported.class, kernel.instance(problem(kernel, old), old))
                        .reason(),
                "no image for cuda whose when holds");
        DeviceValues vulkan = new DeviceValues("vulkan", Map.of());
        assertHas(
                assertInstanceOf(Resolution.Unsupported.class, kernel.instance(problem(kernel, vulkan), vulkan))
                        .reason(),
                "no image for vulkan; it has one for cuda, hip, cpu");
    }

    /** PTX ISA, ".target": sm_90a runs on nothing else, sm_100f within its family, a plain one on all later ones. */
    @ParameterizedTest
    @CsvSource({
        "sm_89, 80, sm_89 or newer",
        "sm_89, 89,",
        "sm_89, 120,",
        "sm_90a, 90,",
        "sm_90a, 100, sm_90a",
        "sm_100f, 103,",
        "sm_100f, 120, sm_100f",
        "sm_100f, 90, sm_100f"
    })
    void anImageCanNeedAnArchitecture(String arch, int device, @Nullable String runners, @TempDir Path dir) {
        Kernel kernel = read(dir, DESIGN.replace("file: split_kv.cu,", "file: split_kv.cu, arch: " + arch + ","));
        DeviceValues values = new DeviceValues(
                "cuda", Map.of("units", 132, "warp", 32, "cc", device, "shared_block", 232_448, "memory", 80L << 30));
        Resolution resolution = kernel.instance(problem(kernel, values), values);
        if (runners == null) {
            Instance it = assertInstanceOf(Resolution.Ready.class, resolution).instance();
            assertEquals(arch, it.image().arch().map(CudaArch::toString).orElse(""));
        } else {
            assertHas(
                    assertInstanceOf(Resolution.Unsupported.class, resolution).reason(),
                    "is for " + runners,
                    "the device is sm_" + device);
        }
        assertHas(kernel.describe(), "split_kv.cu when device.cc >= 80 for sm_");
    }

    @Test
    void anEmulatedGpuRunsTheImagesOfCuda(@TempDir Path dir) {
        DeviceValues emu = new DeviceValues("emu", H100.values());
        Instance it = ready(read(dir, DESIGN), emu);
        assertEquals("cuda", it.image().backend());
        assertEquals(new Dim3(128, 1, 1), ((Step.Launch) it.steps().getFirst()).block());
    }

    @Test
    void buffersBeyondTheDevicesMemoryAreUnsupported(@TempDir Path dir) {
        Kernel kernel = read(dir, DESIGN);
        DeviceValues small =
                new DeviceValues("cuda", Map.of("units", 132, "cc", 90, "shared_block", 232_448, "memory", 1_000_000));
        // q, out 65,536 each; lens 32; table 2,048; kv 33,554,432; ks 32; part 5*8*32*130*4 = 665,600; lse 1,024.
        assertHas(
                assertInstanceOf(Resolution.Unsupported.class, kernel.instance(problem(kernel, small), small))
                        .reason(),
                "34,354,240 bytes",
                "1,000,000");
    }

    @Test
    void description(@TempDir Path dir) {
        String text = read(dir, DESIGN).describe();
        assertHas(
                text,
                "attention.decode.split_kv: paged decode, split over KV, two kernels",
                "axis kv_len         1024, 8192; on cpu 512; on emu 256",
                "buffer kv           input $kv_dtype [num_pages, 2, page, kv_heads, head_dim], normal(0, 1), scaled by ks",
                "check twice-native atol 1e-5",
                "close atol 1e-3 empty -inf",
                "flops tensor_$dtype",
                "reference           attention",
                "convention causal   bottom-right",
                "step                decode_split(q, kv, ks, table, lens, part, i32 splits, f32 1/sqrt(head_dim)), grid");
        text.lines().forEach(line -> assertTrue(line.length() <= 110, line));
    }

    private static Tensor tensor(Shape shape, int[] values) {
        MemorySegment data = MemorySegment.ofArray(new byte[4 * values.length]);
        for (int i = 0; i < values.length; i++) {
            data.set(ValueLayout.JAVA_INT_UNALIGNED, 4L * i, values[i]);
        }
        return new Tensor(DataType.I32, shape, data);
    }
}
