package dev.panamark.fake;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.device.Device;
import dev.panamark.driver.hipcc.HipCompiler;
import dev.panamark.kernel.Catalogue;
import dev.panamark.measure.Effort;
import dev.panamark.measure.Measured;
import dev.panamark.measure.Mode;
import dev.panamark.result.Row;
import dev.panamark.result.Rows;
import dev.panamark.result.Status;
import dev.panamark.result.Tags;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rows of AMD GPUs of the fake runtime; a build of the same source for the host runs what is launched. */
class HipLaunchesTest {
    private static final String COPY = """
            #include "panamark_hip.h"
            extern "C" __global__ void __launch_bounds__(256) copy(const float *x, float *out, unsigned n) {
                unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
                if (i < n) out[i] = x[i];
            }
            extern "C" __global__ void sum(const float *x, float *y, unsigned n) {
                unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
                if (i < n) y[i] += x[i];
            }
            """;

    private static final String STEP = "{entry: copy, grid: [8], block: [128], args: [x, out, {u32: n}]";

    @TempDir
    Path folder;

    private @Nullable HipCompiler compiler;
    private Path host = Path.of("");

    @BeforeEach
    void source() throws Exception {
        compiler = FakeHip.requireCompiler();
        Files.copy(
                Path.of("../kernels/src/main/resources/panamark-kernels/panamark_hip.h"),
                folder.resolve("panamark_hip.h"));
        host = FakeHip.host(Files.writeString(folder.resolve("copy.hip"), COPY), "copy", "sum");
    }

    private String machine(String device) {
        return "device " + device + "\nduration * 1000000000\nduration panamark_empty 1000\nhost " + host + "\n";
    }

    private Catalogue file(String image, String step) throws Exception {
        return Catalogue.builtin(FakeRows.CACHE)
                .withFiles(List.of(Files.writeString(folder.resolve("copy.yaml"), """
                format: panamark.kernel/1
                kernel: mine.copy
                purpose: copies
                axes:
                  n: [1000]
                images:
                  %s
                buffers:
                  x: {type: f32, shape: [n], fill: normal}
                  out: {type: f32, shape: [n], role: output, check: {rule: close, atol: 1e-6}}
                steps:
                  - %s
                work: {reads: bytes(x), writes: bytes(out)}
                check: {reference: linear}
                """.formatted(image, step))));
    }

    private static Measured measured(FakeRows rows, String script, Catalogue catalogue, Mode mode) throws Throwable {
        try (Device device = rows.open(script)) {
            return rows.measured(
                    device, catalogue, rows.request(catalogue, mode, new Effort(1, 0, 1, 0.01), "mine.copy"));
        }
    }

    private static Row row(FakeRows rows, String script, Catalogue catalogue, Mode mode) throws Throwable {
        return measured(rows, script, catalogue, mode).row();
    }

    /** What the row says of the code that ran. */
    private static String code(FakeRows rows, String script, Catalogue catalogue) throws Throwable {
        Measured measured = measured(rows, script, catalogue, Mode.HOT);
        assertRight(measured.row());
        return measured.code().toString();
    }

    /** Of the kernel of the source with the words of its step behind entry and arguments. */
    private Row row(FakeRows rows, String device, String words) throws Throwable {
        return row(rows, machine(device), file("hip: [{file: copy.hip}]", STEP + words + "}"), Mode.HOT);
    }

    private static FakeRows rows() throws Throwable {
        return new FakeRows(FakeHip.load(), System.getenv());
    }

    private static void assertRight(Row row) {
        assertEquals(Status.OK, row.status(), row::reason);
    }

    private static void assertRefused(Row row, String words) {
        assertEquals(Status.UNSUPPORTED, row.status(), row::reason);
        assertTrue(String.valueOf(row.reason()).contains(words), row::reason);
    }

    private static void assertFails(Row row, String words) {
        assertEquals(Status.FAILED, row.status(), row::reason);
        assertTrue(String.valueOf(row.reason()).contains(words), row::reason);
    }

    @ParameterizedTest
    @CsvSource({"mi210, gfx90a", "mi250x-die, gfx90a", "mi300x, gfx942", "mi355x, gfx950"})
    void aSourceIsCompiledForTheProcessor(String device, String processor) throws Throwable {
        try (FakeRows rows = rows()) {
            Row row = row(rows, device, "");
            assertRight(row);
            assertEquals("HIP events", row.run().get("clock"));
            assertTrue(String.valueOf(row.run().get("no_launch_gate")).contains("signal memory"), row::toString);
            String code = code(rows, machine(device), file("hip: copy.hip", STEP + "}"));
            assertTrue(code.contains("--offload-arch=" + processor), code);
        }
    }

    /** What the kernel needs is in the notes of its code object; 256 are its launch bounds, a wave of CDNA has 64 lanes. */
    @Test
    void theNotesFiguresOfAKernelAreInTheRow() throws Throwable {
        try (FakeRows rows = rows()) {
            String kernels = code(rows, machine("mi300x"), file("hip: copy.hip", STEP + "}"));
            for (String words : List.of(
                    "code_object_version=5",
                    "code_object_target=gfx942",
                    "max_threads=256",
                    "wavefront=64",
                    "vector_spills=0",
                    "scalar_spills=0",
                    "accumulation_registers=0",
                    "scratch_bytes=0",
                    "vector_registers=",
                    "scalar_registers=",
                    "shared_bytes=0")) {
                assertTrue(kernels.contains(words), words + " in " + kernels);
            }
        }
    }

    /** By hand: 2,048 work-items of a CU are 32 waves, 16 blocks of 128 work-items fill it. */
    @Test
    void fullUnitsAreFull() throws Throwable {
        try (FakeRows rows = rows()) {
            Row row = row(rows, "mi300x", "");
            assertEquals(1.0, Rows.value(row, Tags.OCCUPANCY_THEORETICAL), 1e-12);
            String note =
                    String.valueOf(Rows.metric(row, Tags.OCCUPANCY_THEORETICAL).note());
            assertTrue(note.contains("16 blocks of 2 waves a CU") && note.contains("limited by warps"), note);
        }
    }

    /** By hand: 30,000 bytes twice fit the 64 KiB of a CU (CDNA3 ISA guide), so 2 blocks of 2 waves of the 32. */
    @Test
    void ldsIsWhatABlockGets() throws Throwable {
        try (FakeRows rows = rows()) {
            Row row = row(rows, "mi300x", ", smem: 30000");
            assertRight(row);
            assertEquals(4.0 / 32, Rows.value(row, Tags.OCCUPANCY_THEORETICAL), 1e-12);
            assertTrue(
                    String.valueOf(Rows.metric(row, Tags.OCCUPANCY_THEORETICAL).note())
                            .contains("limited by shared memory"),
                    row::toString);
            assertRefused(
                    row(rows, "mi300x", ", smem: 65537"), "copy takes 65537 bytes of LDS a block, and hip:0 has 65536");
            assertRight(row(rows, "mi355x", ", smem: 65537"));
        }
    }

    @Test
    void blocksAreAsLargeAsTheKernelWasCompiledFor() throws Throwable {
        try (FakeRows rows = rows()) {
            String image = "hip: [{file: copy.hip}]";
            assertRefused(
                    row(rows, machine("mi300x"), file(image, STEP.replace("128", "512") + "}"), Mode.HOT),
                    "copy: a block of 512 work-items is more than hip:0 can launch it with (256, as it was compiled; in"
                            + " waves of 64); use fewer, or __launch_bounds__");
            assertRefused(
                    row(rows, machine("mi300x"), file(image, STEP.replace("[8]", "[33554432]") + "}"), Mode.HOT),
                    "33554432 blocks of 128 work-items in one dimension are more than HIP launches (fewer than 2^32)");
        }
    }

    @Test
    void clustersAreOthers() throws Throwable {
        try (FakeRows rows = rows()) {
            assertRefused(row(rows, "mi300x", ", cluster: [2]"), "clusters of blocks, which AMD GPUs do not have");
        }
    }

    @Test
    void blocksThatWaitForEachOtherAreLaunchedTogether() throws Throwable {
        try (FakeRows rows = rows()) {
            assertRight(row(rows, "mi300x", ", cooperative: true"));
            assertTrue(rows.calls("hipModuleLaunchCooperativeKernel") > 0, "launched like any other");
        }
    }

    /** One element past the end; the zone behind the buffer has room for it, so nothing faults. */
    @Test
    void aWriteBesideABufferMakesTheRowWrong() throws Throwable {
        try (FakeRows rows = rows()) {
            Row row = row(
                    rows,
                    machine("mi210"),
                    file("hip: copy.hip", STEP.replace("u32: n", "u32: n + 1") + "}"),
                    Mode.HOT);
            assertEquals(Status.WRONG, row.status(), row::reason);
            assertTrue(
                    String.valueOf(row.reason())
                            .matches("writes outside buffer 'out': [34] bytes past its end, the first at [+][01] .*"),
                    row::reason);
        }
    }

    @Test
    void argumentsMustBeThoseOfTheKernel() throws Throwable {
        try (FakeRows rows = rows()) {
            String image = "hip: copy.hip";
            assertEquals(
                    "kernel copy takes 3 arguments, not 2",
                    row(rows, machine("mi210"), file(image, STEP.replace(", {u32: n}", "") + "}"), Mode.HOT)
                            .reason());
            assertEquals(
                    "argument 2 of copy takes 8 bytes, and the kernel's parameter has 4",
                    row(rows, machine("mi210"), file(image, STEP.replace("u32", "i64") + "}"), Mode.HOT)
                            .reason());
            String missing = String.valueOf(row(
                            rows,
                            machine("mi210"),
                            file(image, STEP.replace("entry: copy", "entry: paste") + "}"),
                            Mode.HOT)
                    .reason());
            assertTrue(missing.endsWith(".co has no kernel 'paste'; it has copy, sum"), missing);
        }
    }

    private Path code(String target, String name) throws Exception {
        return Files.copy(
                requireNonNull(compiler)
                        .compile(folder.resolve("copy.hip"), List.of(), target, folder.resolve("made"))
                        .file(),
                folder.resolve(name));
    }

    @Test
    void codeObjectsAreLoadedAsTheyAre() throws Throwable {
        try (FakeRows rows = rows()) {
            code("gfx942", "copy.hsaco");
            Catalogue catalogue = file("hip: copy.hsaco", STEP + "}");
            assertRight(row(rows, machine("mi300x"), catalogue, Mode.HOT));
            assertFails(
                    row(rows, machine("mi210"), catalogue, Mode.HOT),
                    "copy.hsaco is not taken by HIP 6.3 for gfx90a:sramecc+:xnack-; it was compiled for gfx942: "
                            + "hipModuleLoadData failed with hipErrorNoBinaryForGpu (209)");
        }
    }

    /** By hand, as "Clang Offload Bundler" has its layout. */
    @Test
    void ofABundleTheDevicesPartIsTaken() throws Throwable {
        byte[] cdna2 = Files.readAllBytes(code("gfx90a", "a.co"));
        byte[] cdna3 = Files.readAllBytes(code("gfx942", "b.co"));
        Files.write(folder.resolve("both.co"), Bundles.of(Map.of("gfx90a", cdna2, "gfx942", cdna3)));
        try (FakeRows rows = rows()) {
            Catalogue catalogue = file("hip: both.co", STEP + "}");
            assertRight(row(rows, machine("mi210"), catalogue, Mode.HOT));
            assertRight(row(rows, machine("mi300x"), catalogue, Mode.HOT));
            Row none = row(rows, machine("mi355x"), catalogue, Mode.HOT);
            assertRefused(none, "both.co has no code for gfx950:sramecc+:xnack-; it has some for gfx");
        }
    }

    @Test
    void hostCodeLaunchesByItself() throws Throwable {
        FakeHip fake = FakeHip.load();
        HostCode.build(folder.resolve("launch.so"), fake.file(), """
                int hipMemcpyDtoDAsync(void *to, void *from, unsigned long bytes, void *stream);
                int copy(const void **args, void *stream) {
                  return hipMemcpyDtoDAsync(*(void *const *)args[1], *(void *const *)args[0],
                                            4ul * *(const unsigned *)args[2], stream);
                }
                int refuses(const void **args, void *stream) { (void)args; (void)stream; return 7; }
                """);
        try (FakeRows rows = new FakeRows(fake, System.getenv())) {
            String image = "host: {hip: launch.so}";
            assertRight(row(rows, machine("mi210"), file(image, STEP + "}"), Mode.HOT));
            assertFails(
                    row(
                            rows,
                            machine("mi210"),
                            file(image, STEP.replace("entry: copy", "entry: refuses") + "}"),
                            Mode.HOT),
                    "launch.so returned 7");
        }
    }

    @Test
    void whatIsNoCodeIsNamed() throws Throwable {
        Files.writeString(folder.resolve("text.co"), "no code");
        try (FakeRows rows = rows()) {
            assertFails(
                    row(rows, machine("mi210"), file("hip: text.co", STEP + "}"), Mode.HOT),
                    "text.co is neither a code object");
            Files.writeString(folder.resolve("bad.hip"), "no source\n");
            assertFails(row(rows, machine("mi210"), file("hip: bad.hip", STEP + "}"), Mode.HOT), "error:");
            Files.writeString(folder.resolve("copy.ptx"), "");
            assertRefused(
                    row(rows, machine("mi210"), file("hip: copy.ptx", STEP + "}"), Mode.HOT),
                    "only .hip, .hsaco, .co files are run here");
        }
    }

    /** The generation of CDNA by processor: gfx90a is the second, gfx942 the third. */
    @Test
    void imagesAreChosenByTheGeneration() throws Throwable {
        code("gfx942", "third.co");
        Catalogue catalogue = file("hip: [{when: \"device.cdna >= 3\", file: third.co}, {file: copy.hip}]", STEP + "}");
        try (FakeRows rows = rows()) {
            String third = code(rows, machine("mi300x"), catalogue);
            assertFalse(third.contains("--offload-arch"), third);
            String second = code(rows, machine("mi210"), catalogue);
            assertTrue(second.contains("--offload-arch=gfx90a"), second);
        }
    }

    @Test
    void withoutACompilerASourceIsUnsupported() throws Throwable {
        Map<String, String> env = new HashMap<>(System.getenv());
        env.put(HipCompiler.VARIABLE, "/no/hipcc");
        env.put("PANAMARK_HIPRTC", "/no/libhiprtc.so");
        try (FakeRows rows = new FakeRows(FakeHip.load(), env)) {
            Row row = row(rows, "mi300x", "");
            assertRefused(row, "copy.hip has to be compiled, and there is neither a compiler (");
            assertTrue(String.valueOf(row.reason()).contains("nor hiprtc ("), row::reason);
        }
    }

    private Catalogue sums() throws Exception {
        return Catalogue.builtin(FakeRows.CACHE).withFiles(List.of(Files.writeString(folder.resolve("sum.yaml"), """
                        format: panamark.kernel/1
                        kernel: mine.copy
                        purpose: y += x
                        axes:
                          n: [1000]
                        images:
                          hip: [{file: copy.hip}]
                        buffers:
                          x: {type: f32, shape: [n], fill: normal}
                          y: {type: f32, shape: [n], role: inout, fill: normal, check: {rule: close, atol: 1e-6}}
                        steps:
                          - {entry: sum, grid: [8], block: [128], args: [x, y, {u32: n}]}
                        work: {reads: "bytes(x) + bytes(y)", writes: bytes(y)}
                        check: {reference: linear}
                        """)));
    }

    /** y += x: a launch whose y was not restored would leave another sum. */
    @Test
    void graphsAreLaunchedOverRestoredCopies() throws Throwable {
        try (FakeRows rows = rows()) {
            Row row = row(rows, machine("mi300x"), sums(), Mode.GRAPH);
            assertRight(row);
            assertTrue(rows.calls("hipGraphLaunch") > 0, "no graph was launched");
            assertTrue(row.flags().stream().anyMatch(f -> f.startsWith("in place: restored")), row.flags()::toString);
        }
    }

    /** 4.5 brought hipGraphInstantiateWithFlags, 5.3 hipGraphUpload and 5.5 the cooperative launch (libamdhip64's export map). */
    @Test
    void anOldRuntimeCostsWhatItLacks() throws Throwable {
        try (FakeRows rows = new FakeRows(FakeHip.load(50200000), System.getenv())) {
            assertRight(row(rows, machine("mi210"), file("hip: copy.hip", STEP + "}"), Mode.GRAPH));
            assertEquals(0, rows.calls("hipGraphUpload"));
            assertRefused(
                    row(rows, "mi210", ", cooperative: true"),
                    "has no hipModuleLaunchCooperativeKernel, which came with HIP 5.5");
        }
    }

    /** The Infinity Cache of an MI300X has 256 MiB (AMD's data sheet), of which twice as much is written. */
    @Test
    void coldLaunchesFindNeitherL2NorInfinityCache() throws Throwable {
        try (FakeRows rows = rows()) {
            Row row = row(rows, machine("mi300x"), file("hip: copy.hip", STEP + "}"), Mode.COLD);
            assertRight(row);
            assertTrue(row.run().toString().contains("written_bytes=" + (512L << 20)), row.run()::toString);
            assertTrue(rows.calls("hipMemsetD8Async") > 1, "nothing was written");
        }
    }

    /** An unknown product: HIP tells the L2 of one die, which is all of it up to CDNA 2 and a part of it later. */
    @Test
    void aCacheOfUnknownSizeIsNotSwept() throws Throwable {
        try (FakeRows rows = rows()) {
            Catalogue catalogue = file("hip: copy.hip", STEP + "}");
            Row later =
                    row(rows, machine("mi300x").replace("\nduration *", "\nname X\nduration *"), catalogue, Mode.COLD);
            assertRefused(
                    later, "no profile tells the size of the last cache of X, and HIP tells the L2 of one die only");
            Row early =
                    row(rows, machine("mi210").replace("\nduration *", "\nname X\nduration *"), catalogue, Mode.COLD);
            assertRight(early);
            assertTrue(early.run().toString().contains("written_bytes=" + (16L << 20)), early.run()::toString);
        }
    }

    @Test
    void timesAreThoseOfTheEvents() throws Throwable {
        try (FakeRows rows = rows()) {
            assertEquals(1.0, Rows.value(row(rows, "mi300x", ""), Tags.TIME_MEDIAN), 1e-6, "as the script says");
        }
    }
}
