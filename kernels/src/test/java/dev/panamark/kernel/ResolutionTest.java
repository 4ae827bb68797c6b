package dev.panamark.kernel;

import static dev.panamark.kernel.KernelFiles.CPU;
import static dev.panamark.kernel.KernelFiles.DESIGN;
import static dev.panamark.kernel.KernelFiles.H100;
import static dev.panamark.kernel.KernelFiles.assertHas;
import static dev.panamark.kernel.KernelFiles.fault;
import static dev.panamark.kernel.KernelFiles.read;
import static dev.panamark.kernel.KernelFiles.ready;
import static dev.panamark.kernel.KernelFiles.saxpy;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.kernel.format.DataType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values are hand calculations. */
class ResolutionTest {

    private static String withBuffers(String... more) {
        return saxpy("  y: {", "  " + String.join("\n  ", more) + "\n  y: {");
    }

    private static Step.Launch launch(Instance it) {
        return assertInstanceOf(Step.Launch.class, it.steps().getLast());
    }

    @Test
    void aCpuHasBlocksOnly(@TempDir Path dir) {
        Kernel kernel = read(dir, saxpy("block: [tile],", "block: [tile], smem: device.shared_block,"));
        Step.Launch cpu = launch(ready(kernel, CPU));
        assertEquals(new Dim3(8, 1, 1), cpu.grid()); // ceil(1000/128)
        assertEquals(new Dim3(1, 1, 1), cpu.block());
        assertEquals(0, cpu.shared());
        Step.Launch cuda = launch(ready(kernel, H100));
        assertEquals(new Dim3(16, 1, 1), cuda.grid()); // ceil(1000/64)
        assertEquals(new Dim3(64, 1, 1), cuda.block());
        assertEquals(232_448, cuda.shared());
        assertEquals(
                List.of("-DTILE=128"),
                ready(read(dir, KernelFiles.SAXPY), CPU).image().options());
    }

    @Test
    void parametersOfEveryKind(@TempDir Path dir) {
        String yaml = saxpy(
                        "args: [x, y, {i64: n}, {f32: 2.5}]",
                        "args: [x, {struct: [y, {i8: 0-1}, {u16: 65535}, {f64: 0.1}]}, {ptr: {f32: 1}}, {ptr: y},"
                                + " {i32: 0-n}, {u64: n}, {i32: n > 5}, {tensor_map: tx}]")
                .replace(
                        "steps:\n",
                        "tensor_maps: {tx: {of: x, dims: [n], strides: [], box: [tile], swizzle: 128B}}\nsteps:\n");
        assertEquals(
                List.of(
                        new Argument.BufferAddress("x"),
                        new Argument.Struct(List.of(
                                new Argument.BufferAddress("y"),
                                new Argument.Scalar("i8", 0xff, 1),
                                new Argument.Scalar("u16", 0xffff, 2),
                                new Argument.Scalar("f64", 0x3fb999999999999aL, 8))),
                        new Argument.PointerTo(new Argument.Scalar("f32", 0x3f800000, 4)),
                        new Argument.PointerTo(new Argument.BufferAddress("y")),
                        new Argument.Scalar("i32", 0xfffffc18L, 4), // -1000
                        new Argument.Scalar("u64", 1000, 8),
                        new Argument.Scalar("i32", 1, 4),
                        new Argument.TensorMapValue("tx")),
                launch(ready(read(dir, yaml), H100)).args());
        assertHas(
                fault(() -> ready(read(dir, yaml.replace("box: [tile]", "box: [n/64]")), H100)),
                "tensor_maps.tx.box[0]: \"n/64\" is 15.625, expected a whole number (n=1000)");
    }

    @Test
    void severalSteps(@TempDir Path dir) {
        Instance it = ready(
                read(
                        dir,
                        saxpy("steps:\n", "steps:\n  - {memset: y, value: 255}\n  - {memset: y}\n")
                                .replace("block: [tile],", "block: [8, 4], cluster: [2, 1, 1], cooperative: true,")),
                H100);
        assertEquals(
                List.of(new Step.Memset("y", 255), new Step.Memset("y", 0)),
                it.steps().subList(0, 2));
        assertEquals(new Dim3(8, 4, 1), launch(it).block());
        assertEquals(Optional.of(new Dim3(2, 1, 1)), launch(it).cluster());
        assertTrue(launch(it).cooperative());
        assertFalse(launch(ready(read(dir, KernelFiles.SAXPY), H100)).cooperative());
    }

    @Test
    void theFirstImageWhoseConditionHolds(@TempDir Path dir) {
        Kernel kernel = read(
                dir,
                saxpy(
                        "cuda: {file: saxpy.cu}",
                        "cuda: [{when: \"device.cc >= 100\", file: saxpy.c}, {when: \"n > 1000\", file: split_kv.cu},"
                                + " {file: saxpy.cu, options: [\"-arch=sm_90\", \"-DT=${dtype}x$tile\"]}]"));
        Image image = ready(kernel, H100).image();
        assertEquals(dir.resolve("saxpy.cu"), image.file());
        assertEquals(List.of("-arch=sm_90", "-DT=f32x64"), image.options());
        assertEquals(
                dir.resolve("split_kv.cu"),
                ready(kernel, H100, "n=2000").image().file());
    }

    @Test
    void aHostLauncherStandsInForAMissingImage(@TempDir Path dir) {
        Kernel kernel = read(dir, saxpy("cuda: {file: saxpy.cu}", "host: {cuda: saxpy.c}"));
        assertTrue(kernel.backends().contains("cuda"));
        Image image = ready(kernel, H100).image();
        assertEquals("host", image.backend());
        assertEquals(dir.resolve("saxpy.c"), image.file());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "f64; restore: copy; CLOSE; 1e-12; 1e-12",
                "f32; restore: copy; CLOSE; 1e-5; 1e-5",
                "f16; restore: copy; CLOSE; 1e-3; 1e-3",
                "bf16; restore: copy; CLOSE; 1e-2; 1e-2",
                "e4m3; restore: copy; EXACT; 0; 0",
                "e5m2fnuz; restore: copy; EXACT; 0; 0",
                "e4m3; check: {atol: 0.5}; CLOSE; 0.5; 0",
                "i32; restore: copy; EXACT; 0; 0",
                "f32; check: {atol: 1e-3}; CLOSE; 1e-3; 0",
                "f32; check: {rtol: 1/8}; CLOSE; 0; 0.125",
                "f16; check: {rule: close}; CLOSE; 1e-3; 1e-3",
                "f16; check: {rule: exact}; EXACT; 0; 0",
                "f16; check: {rule: twice-native}; TWICE_NATIVE; 0; 0",
                "f16; check: {rule: cosine, rtol: 1e-5}; COSINE; 0; 1e-5",
            })
    void whatACheckLeavesOut(
            String type, String check, OutputCheck.Rule rule, double atol, double rtol, @TempDir Path dir) {
        String yaml = saxpy("y: {type: f32", "y: {type: " + type).replace("restore: copy", check);
        Instance it = ready(read(dir, yaml), H100);
        assertEquals(
                Optional.of(new OutputCheck(rule, atol, rtol, "e", OptionalDouble.empty())),
                it.buffer("y").check());
        assertEquals(Optional.empty(), it.buffer("x").check());
    }

    @ParameterizedTest
    @CsvSource({
        "u8, 2, 255, CLOSE",
        "i8, 1, 127, CLOSE",
        "e4m3, 1, NaN, TWICE_NATIVE",
    })
    void typePackingSentinelAndRuleMayDependOnAnAxis(
            String type, int packed, double unused, OutputCheck.Rule rule, @TempDir Path dir) {
        String yaml = KernelFiles.DESIGN
                .replace("kv_dtype: [f16, e4m3]", "kv_dtype: [" + type + "]")
                .replace(
                        "let: ",
                        "let:\n  rule: if(kv_dtype == 'e4m3', 'twice-native', 'close')\n  codes: if(kv_dtype == 'u8', 2, 1)")
                .replace("unused: nan, fill", "packed: codes, unused: nan-or-max, fill")
                .replace("rule: twice-native", "rule: $rule");
        Instance it = ready(read(dir, yaml), H100);
        assertEquals(packed, it.buffer("kv").packed());
        assertEquals(OptionalDouble.of(unused), it.buffer("kv").unused());
        assertEquals(rule, it.buffer("out").check().orElseThrow().rule());
    }

    @Test
    void fills(@TempDir Path dir) {
        String yaml = withBuffers(
                "a: {type: f32, shape: [], fill: {normal: {mean: 1, stdev: 1/4}}}",
                "b: {type: i64, shape: [n, 2], fill: {iota: {start: 5, step: 0-1}}}",
                "c: {type: u8, shape: [n], fill: bits}",
                "d: {type: i32, shape: [n], fill: {uniform: {min: 0, max: n-1}}, range: [0, n]}",
                "e: {type: f16, shape: [n], fill: zeros}",
                "f: {type: i32, shape: [4], fill: {lengths: fixed, max: n}}",
                "g: {type: f32, shape: [n], fill: uniform}");
        Instance it = ready(read(dir, yaml), H100);
        assertEquals(Optional.of(new Fill.Normal(1, 0.25)), it.buffer("a").fill());
        assertEquals(1, it.buffer("a").shape().elements());
        assertEquals(Optional.of(new Fill.Iota(5, -1)), it.buffer("b").fill());
        assertEquals(Optional.of(new Fill.Bits()), it.buffer("c").fill());
        assertEquals(Optional.of(new Fill.Uniform(0, 999)), it.buffer("d").fill());
        assertEquals(Optional.of(new Fill.Constant(0)), it.buffer("e").fill());
        assertEquals(
                Optional.of(new Fill.Lengths(false, 1000, 1000)), it.buffer("f").fill());
        assertEquals(Optional.of(new Fill.Uniform(0, 1)), it.buffer("g").fill());
        assertEquals(Optional.of(new Fill.Uniform(-1, 1)), it.buffer("y").fill());
    }

    @Test
    void whatTheTextsOfShapesDoNotSayIsSaid(@TempDir Path dir) {
        String yaml = DESIGN.replace(
                        "shape: [num_pages, 2, page, kv_heads, head_dim], unused: nan",
                        "shape: [num_pages, kv_heads, 16, kv_heads, head_dim], unused: nan,"
                                + " paging: {table: table, page_dim: 0, slot_dim: 2}")
                .replace("amax_of: kv, max: 448}", "amax_of: kv, max: 448, dims: [1]}");
        Instance it = ready(read(dir, yaml), H100);
        assertEquals(
                Optional.of(new Buffer.Paging("table", 0, 2)), it.buffer("kv").paging());
        assertEquals(
                Optional.of(new Fill.AmaxOf("kv", 448, List.of(1))),
                it.buffer("ks").fill());
        assertHas(
                fault(() -> ready(read(dir, yaml), H100, "page=64")),
                "buffers.table.fill: a page of 64 tokens does not fit dimension 2 of kv [128x8x16x8x128]");
    }

    /** A layout [pages, 2, heads, page, dim] or [pages, 2, page, heads, dim], and pages in order or not, as axes say. */
    @Test
    void layoutsAndOrdersMayBeAxes(@TempDir Path dir) {
        String yaml = DESIGN.replace("dtype: [f16, bf16]\n", "dtype: [f16, bf16]\n  layout: [hnd]\n  order: [random]\n")
                .replace("pages: ceil(kv_len/page)", "pages: ceil(kv_len/page)\n  hnd: 'layout == \"hnd\"'")
                .replace("order: random}", "order: $order}")
                .replace(
                        "[num_pages, 2, page, kv_heads, head_dim], unused: nan",
                        "[num_pages, 2, 'if(hnd, kv_heads, page)', 'if(hnd, page, kv_heads)', head_dim],"
                                + " unused: nan, paging: {table: table, slot_dim: 'if(hnd, 3, 2)'}")
                .replace("[kv_heads], fill: {amax_of: kv, max: 448}", "[2], fill: {amax_of: kv, max: 448}");
        Instance hnd = ready(read(dir, yaml), H100);
        assertEquals(
                Optional.of(new Buffer.Paging("table", 0, 3)), hnd.buffer("kv").paging());
        assertEquals(
                Optional.of(new Fill.PageTable("lens", 16, true)),
                hnd.buffer("table").fill());
        Instance nhd = ready(read(dir, yaml), H100, "layout=nhd", "order=sequential");
        assertEquals(
                Optional.of(new Buffer.Paging("table", 0, 2)), nhd.buffer("kv").paging());
        assertEquals(
                Optional.of(new Fill.PageTable("lens", 16, false)),
                nhd.buffer("table").fill());
    }

    @Test
    void conventionsAreWordsOrExpressions(@TempDir Path dir) {
        String yaml = saxpy(
                "conventions: {a: 2.5, order: n-major}",
                "conventions: {a: 2.5, order: n-major, b: n-tile, c: tile, d: \"tile\", e: true, f: $dtype, g: 128,"
                        + " h: none, i: n == 1000, j: \"n*2\", k: dtype}, buffers: {left: x}");
        Check check = ready(read(dir, yaml), H100).check();
        assertEquals(
                Map.ofEntries(
                        Map.entry("a", new Value.Real(2.5)),
                        Map.entry("order", new Value.Text("n-major")),
                        Map.entry("b", new Value.Int(936)),
                        Map.entry("c", new Value.Int(64)),
                        Map.entry("d", new Value.Text("tile")),
                        Map.entry("e", new Value.Bool(true)),
                        Map.entry("f", new Value.Text("f32")),
                        Map.entry("g", new Value.Int(128)),
                        Map.entry("h", new Value.Text("none")),
                        Map.entry("i", new Value.Bool(true)),
                        Map.entry("j", new Value.Int(2000)),
                        Map.entry("k", new Value.Text("f32"))),
                check.conventions());
        assertEquals(Map.of("left", "x"), check.buffers());
    }

    @Test
    void aLetThatNothingUsesMayNeedWhatADeviceLacks(@TempDir Path dir) {
        Kernel kernel = read(dir, saxpy("let:\n", "let:\n  smem: device.shared_block/2\n"));
        Instance cpu = ready(kernel, CPU);
        assertFalse(cpu.values().containsKey("smem"));
        assertEquals(new Value.Int(8), cpu.values().get("blocks"));
        assertEquals(new Value.Int(116_224), ready(kernel, H100).values().get("smem"));
        Kernel used = read(dir, saxpy("ceil(n/tile)", "ceil(n/device.unitz)"));
        assertEquals(
                "demo.saxpy.plain needs device.unitz, which this cpu device does not have; did you mean 'units'?",
                assertInstanceOf(Resolution.Unsupported.class, used.instance(KernelFiles.problem(used, CPU), CPU))
                        .reason());
    }

    @Test
    void workThatNeedsWhatADeviceLacks(@TempDir Path dir) {
        String lens = withBuffers("l: {type: i32, shape: [2], fill: {lengths: fixed, max: 9}}");
        for (String reads : List.of("bytes(x)*device.lanes", "sum(l)*device.lanes")) {
            Kernel kernel = read(dir, lens.replace("bytes(x) + bytes(y)", reads));
            assertHas(
                    assertInstanceOf(
                                    Resolution.Unsupported.class,
                                    kernel.instance(KernelFiles.problem(kernel, CPU), CPU))
                            .reason(),
                    "needs device.lanes");
        }
    }

    @Test
    void workOfFixedShapes(@TempDir Path dir) {
        Work work = ready(read(dir, KernelFiles.SAXPY), H100).work().of(new Inputs(Map.of(), 1));
        assertEquals(Map.of("fma_f32", 2000.0), work.flops());
        assertEquals(8000, work.reads());
        assertEquals(4000, work.writes());
        assertEquals(Optional.empty(), work.tokens());
        assertEquals(
                Optional.of("flops"),
                ready(read(dir, KernelFiles.SAXPY + "ceiling: flops\n"), H100).ceiling());
    }

    /** Pairs counted one by one: query i of q sees key j of k when j <= i + k - q (bottom-right), j <= i (top-left). */
    @ParameterizedTest
    @CsvSource({"none", "bottom-right", "top-left", "true", "false"})
    void pairsOfQueriesAndKeys(String causal, @TempDir Path dir) {
        String yaml = withBuffers(
                        "ql: {type: i32, shape: [6], fill: {lengths: fixed, max: 9}}",
                        "kl: {type: i16, shape: [6], fill: {lengths: fixed, max: 9}}")
                .replace("fma_f32: 2*n", "fma_f32: \"pairs(ql, kl) + 1000000*pairs(ql) + 100000000*sum(kl)\"")
                .replace("a: 2.5,", "a: 2.5, causal: " + causal + ",");
        int[] q = {1, 3, 5, 4, 0, 7};
        int[] k = {5, 3, 3, 9, 4, 0};
        long expected = 0;
        for (int s = 0; s < q.length; s++) {
            for (int i = 0; i < q[s]; i++) {
                for (int j = 0; j < k[s]; j++) {
                    boolean seen = switch (causal) {
                        case "none", "false" -> true;
                        case "top-left" -> j <= i;
                        default -> j <= i + k[s] - q[s];
                    };
                    expected += seen ? 1 : 0;
                }
            }
        }
        MemorySegment queries = MemorySegment.ofArray(new byte[24]);
        MemorySegment keys = MemorySegment.ofArray(new byte[12]);
        for (int s = 0; s < q.length; s++) {
            queries.set(ValueLayout.JAVA_INT_UNALIGNED, 4L * s, q[s]);
            keys.set(ValueLayout.JAVA_SHORT_UNALIGNED, 2L * s, (short) k[s]);
        }
        Work work = ready(read(dir, yaml), H100)
                .work()
                .of(new Inputs(
                        Map.of(
                                "ql", new Tensor(DataType.I32, Shape.of(6), queries),
                                "kl", new Tensor(DataType.I16, Shape.of(6), keys)),
                        1));
        assertEquals(expected + 1_000_000.0 * 20 + 100_000_000.0 * 24, work.allFlops());
    }

    @Test
    void descriptionsOfEverythingStayNarrow(@TempDir Path dir) {
        String yaml = saxpy("purpose: y = a*x + y", "purpose: " + "word ".repeat(60) + "x".repeat(300));
        String text = read(dir, yaml).describe();
        text.lines().forEach(line -> assertTrue(line.length() <= 110, line));
        assertHas(text.replaceAll("\\s", ""), "word".repeat(60) + "x".repeat(300));
        assertHas(
                text, "axis tile           64; on cpu 128, 256", "buffer y            inout f32 [n]", "uniform[-1, 1]");
    }
}
