package dev.panamark.fake;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.device.Device;
import dev.panamark.kernel.Catalogue;
import dev.panamark.measure.Effort;
import dev.panamark.measure.Mode;
import dev.panamark.result.Row;
import dev.panamark.result.Rows;
import dev.panamark.result.Status;
import dev.panamark.result.Tags;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What launches can ask for: shared memory, clusters, all blocks together, host code; and what they must not do. */
class CudaLaunchesTest {
    private static final String H100 = "device h100-sxm\nduration * 1000000000\nduration panamark_empty 1000\n";
    private static final String A100 = H100.replace("h100-sxm", "a100-sxm-80");

    /** Every thread copies one of n floats. The dynamic shared memory is not used; that it is asked for is what matters. */
    private static final String COPY = """
            .version 7.0
            .target sm_80
            .address_size 64
            .extern .shared .align 16 .b8 room[];
            .visible .entry copy(.param .u64 p_x, .param .u64 p_out, .param .u32 p_n)
            {
                .reg .pred %p;
                .reg .b32 %i, %n, %b, %t, %v;
                .reg .b64 %x, %out, %at;
                ld.param.u64 %x, [p_x];
                ld.param.u64 %out, [p_out];
                ld.param.u32 %n, [p_n];
                mov.u32 %b, %ctaid.x;
                mov.u32 %t, %tid.x;
                mad.lo.u32 %i, %b, 128, %t;
                setp.ge.u32 %p, %i, %n;
                @%p ret;
                mul.wide.u32 %at, %i, 4;
                add.u64 %x, %x, %at;
                add.u64 %out, %out, %at;
                ld.global.u32 %v, [%x];
                st.global.u32 [%out], %v;
                ret;
            }
            """;

    @TempDir
    Path folder;

    private Catalogue file(String image, String step) throws Exception {
        Files.writeString(folder.resolve("copy.ptx"), COPY);
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

    /** Of the kernel with the words of its step behind entry and arguments. */
    private Row row(FakeRows rows, String script, String words) throws Throwable {
        String step = "{entry: copy, grid: [8], block: [128], args: [x, out, {i32: n}]" + words + "}";
        return row(rows, script, file("cuda: [{file: copy.ptx}]", step));
    }

    private static Row row(FakeRows rows, String script, Catalogue catalogue) throws Throwable {
        try (Device device = rows.open(script)) {
            return rows.row(
                    device, catalogue, rows.request(catalogue, Mode.HOT, new Effort(1, 0, 1, 0.01), "mine.copy"));
        }
    }

    private static FakeRows rows() throws Throwable {
        return new FakeRows(FakeCuda.load());
    }

    private static void assertRight(Row row) {
        assertEquals(Status.OK, row.status(), row::reason);
    }

    private static void assertRefused(Row row, String words) {
        assertEquals(Status.UNSUPPORTED, row.status(), row::reason);
        assertTrue(String.valueOf(row.reason()).contains(words), row::reason);
    }

    /**
     * 100,000 bytes and 1 KiB that the driver takes: two blocks fit the 233,472 of an H100's multiprocessor (CUDA programming
     * guide, compute capability 9.0), of 4 warps each, and it holds 64.
     */
    @Test
    void sharedMemoryAboveFortyEightKibibytesIsAskedFor() throws Throwable {
        try (FakeRows rows = rows()) {
            Row row = row(rows, H100, ", smem: 100000");
            assertRight(row);
            assertTrue(rows.calls("cuFuncSetAttribute") > 0, "the driver was not asked");
            assertEquals(8.0 / 64, Rows.value(row, Tags.OCCUPANCY_THEORETICAL), 1e-12);
            assertTrue(
                    String.valueOf(Rows.metric(row, Tags.OCCUPANCY_THEORETICAL).note())
                            .contains("limited by shared memory"),
                    row::toString);
            // 227 KiB are the most that a block gets there.
            assertRefused(
                    row(rows, H100, ", smem: 232449"),
                    "copy takes 232449 bytes of shared memory a block, and cuda:0 has 232448");
        }
    }

    /** 16 blocks of 128 threads are the 2,048 threads that a multiprocessor holds. */
    @Test
    void fullMultiprocessorsAreFull() throws Throwable {
        try (FakeRows rows = rows()) {
            Row row = row(rows, H100, "");
            assertEquals(1.0, Rows.value(row, Tags.OCCUPANCY_THEORETICAL), 1e-12);
            assertTrue(
                    String.valueOf(Rows.metric(row, Tags.OCCUPANCY_THEORETICAL).note())
                            .contains("limited by warps"),
                    row::toString);
        }
    }

    @Test
    void clustersAreLaunchedWhereThereAreSome() throws Throwable {
        try (FakeRows rows = rows()) {
            assertRight(row(rows, H100, ", cluster: [2]"));
            assertTrue(rows.calls("cuLaunchKernelEx") > 0, "launched without a cluster");
            assertRefused(
                    row(rows, A100, ", cluster: [2]"), "clusters, which GPUs have from compute capability 9.0 on");
        }
    }

    @Test
    void blocksThatWaitForEachOtherAreLaunchedTogether() throws Throwable {
        try (FakeRows rows = rows()) {
            assertRight(row(rows, H100, ", cooperative: true"));
            assertTrue(rows.calls("cuLaunchCooperativeKernel") > 0, "launched like any other");
        }
    }

    /** One element past the end; the zone behind the buffer has room for it, so nothing faults. */
    @Test
    void aWriteBesideABufferMakesTheRowWrong() throws Throwable {
        try (FakeRows rows = rows()) {
            Row row = row(
                    rows,
                    H100,
                    file(
                            "cuda: [{file: copy.ptx}]",
                            "{entry: copy, grid: [8], block: [128], args: [x, out, {i32: n + 1}]}"));
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
            Row fewer = row(
                    rows,
                    H100,
                    file("cuda: [{file: copy.ptx}]", "{entry: copy, grid: [8], block: [128], args: [x, out]}"));
            assertEquals("kernel copy takes 3 arguments, not 2", fewer.reason());
            Row longer = row(
                    rows,
                    H100,
                    file(
                            "cuda: [{file: copy.ptx}]",
                            "{entry: copy, grid: [8], block: [128], args: [x, out, {i64: n}]}"));
            assertEquals("argument 2 of copy takes 8 bytes, and the kernel's parameter has 4", longer.reason());
            Row other = row(
                    rows,
                    H100,
                    file("cuda: [{file: copy.ptx}]", "{entry: paste, grid: [8], block: [128], args: [x, out]}"));
            assertEquals("copy.ptx has no kernel 'paste'; it has copy", other.reason());
        }
    }

    @Test
    void hostCodeLaunchesByItself() throws Throwable {
        FakeCuda fake = FakeCuda.load();
        HostCode.build(folder.resolve("launch.so"), fake.file(), """
                #include <stdint.h>
                int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream);
                int copy(const void **args, void *stream) {
                  return cuMemcpyDtoDAsync_v2(*(const uint64_t *)args[1], *(const uint64_t *)args[0],
                                              4ul * *(const uint32_t *)args[2], stream);
                }
                int refuses(const void **args, void *stream) { (void)args; (void)stream; return 7; }
                """.replace("size_t", "unsigned long"));
        try (FakeRows rows = new FakeRows(fake)) {
            String host = "host: {cuda: launch.so}";
            Row right = row(rows, H100, file(host, "{entry: copy, grid: [1], block: [1], args: [x, out, {i32: n}]}"));
            assertRight(right);
            Row refused = row(rows, H100, file(host, "{entry: refuses, grid: [1], block: [1], args: [x, out]}"));
            assertEquals(Status.FAILED, refused.status(), refused::reason);
            assertTrue(String.valueOf(refused.reason()).contains("launch.so returned 7"), refused::reason);
        }
    }

    /** CUDA 11.2 has no cuStreamWaitValue32_v2 and no graphs by cuGraphInstantiateWithFlags, and does without. */
    @Test
    void anOldDriverCostsWhatItLacks() throws Throwable {
        try (FakeRows rows = new FakeRows(FakeCuda.load(11020))) {
            Row row = row(rows, H100.replace("h100-sxm", "a100-sxm-80"), "");
            assertRight(row);
            assertTrue(
                    String.valueOf(row.run().get("no_launch_gate"))
                            .contains("has no cuStreamWaitValue32, which came with CUDA 11.7"),
                    row::toString);
            Catalogue catalogue = file(
                    "cuda: [{file: copy.ptx}]", "{entry: copy, grid: [8], block: [128], args: [x, out, {i32: n}]}");
            try (Device device = rows.open(A100)) {
                assertRefused(
                        rows.row(
                                device,
                                catalogue,
                                rows.request(catalogue, Mode.GRAPH, new Effort(1, 0, 1, 0.01), "mine.copy")),
                        "cuGraphInstantiateWithFlags");
            }
        }
    }

    /** Registers as the script has them: 4 warps of 32 times 128 are 16,384 of 65,536, so that 4 blocks fit, 16 warps of 64. */
    @Test
    void theDriversFiguresOfAKernelAreInTheRow() throws Throwable {
        try (FakeRows rows = rows()) {
            Row row = row(rows, H100 + "kernel copy regs 128 local 64\n", "");
            assertRight(row);
            assertEquals(16.0 / 64, Rows.value(row, Tags.OCCUPANCY_THEORETICAL), 1e-12);
            assertTrue(
                    String.valueOf(Rows.metric(row, Tags.OCCUPANCY_THEORETICAL).note())
                            .contains("limited by registers"),
                    row::toString);
        }
    }

    /** y += x: a launch whose y was not restored would leave another sum. */
    @Test
    void whatWorksInPlaceHasEachCopyRestoredBeforeAGraph() throws Throwable {
        Files.writeString(
                folder.resolve("sum.ptx"),
                COPY.replace(
                                "st.global.u32 [%out], %v;",
                                "ld.global.f32 %f, [%out]; mov.b32 %g, %v; add.f32 %f, %f, %g; st.global.f32 [%out], %f;")
                        .replace(".reg .pred %p;", ".reg .pred %p;\n.reg .f32 %f, %g;"));
        Catalogue catalogue = Catalogue.builtin(FakeRows.CACHE)
                .withFiles(List.of(Files.writeString(folder.resolve("sum.yaml"), """
                        format: panamark.kernel/1
                        kernel: mine.sum
                        purpose: y += x
                        axes:
                          n: [1000]
                        images:
                          cuda: [{file: sum.ptx}]
                        buffers:
                          x: {type: f32, shape: [n], fill: normal}
                          y: {type: f32, shape: [n], role: inout, fill: normal, check: {rule: close, atol: 1e-6}}
                        steps:
                          - {entry: copy, grid: [8], block: [128], args: [x, y, {i32: n}]}
                        work: {reads: "bytes(x) + bytes(y)", writes: bytes(y)}
                        check: {reference: linear}
                        """)));
        try (FakeRows rows = rows();
                Device device = rows.open(H100)) {
            Row row = rows.row(
                    device, catalogue, rows.request(catalogue, Mode.GRAPH, new Effort(1, 0, 1, 0.01), "mine.sum"));
            assertRight(row);
            assertTrue(row.flags().stream().anyMatch(f -> f.startsWith("in place: restored")), row.flags()::toString);
        }
    }

    private static Row bandwidth(FakeRows rows, Mode mode, String script) throws Throwable {
        Catalogue catalogue = Catalogue.builtin(FakeRows.CACHE);
        try (Device device = rows.open(script)) {
            return rows.row(
                    device,
                    catalogue,
                    rows.request(catalogue, mode, new Effort(1, 0, 1, 1e-6), "ceiling.bandwidth", "mib=8"));
        }
    }

    /** By hand: 3.35 TB/s in the H100 SXM's data sheet; attribute 38 is the size of the L2 cache, here of 1 MiB. */
    @Test
    void sharesAreOfTheDatasheetsPeaks() throws Throwable {
        try (FakeRows rows = rows()) {
            Row small = bandwidth(rows, Mode.HOT, H100);
            assertRight(small);
            assertTrue(Rows.reason(small, Tags.UTIL_BANDWIDTH).contains("it fits the cache"), small::toString);
            assertTrue(!small.denominators().containsKey("bandwidth"), small.denominators()::toString);
            Row large = bandwidth(rows, Mode.HOT, H100 + "attribute 38 1048576\n");
            assertRight(large);
            double bytes = ((Number) requireNonNull(large.work().get("reads"))).doubleValue()
                    + ((Number) requireNonNull(large.work().get("writes"))).doubleValue();
            assertEquals(bytes / 3.35e12, Rows.value(large, Tags.UTIL_BANDWIDTH), 1e-6 * bytes / 3.35e12);
            assertTrue(large.denominators().containsKey("bandwidth"), large.denominators()::toString);
        }
    }

    /** 8 MiB in a microsecond are 8.389 TB/s; of a part of the GPU (66 of 132 units) the share is not known. */
    @Test
    void whatNoSuchMemoryCanDoIsRejected() throws Throwable {
        try (FakeRows rows = rows()) {
            String quick = "device h100-sxm\nduration * 1000\nattribute 38 1048576\n";
            Row row = bandwidth(rows, Mode.COLD, quick);
            assertEquals(Status.REJECTED, row.status(), row::reason);
            assertTrue(String.valueOf(row.reason()).contains("more than the peak of 3.350e+12"), row::reason);
            Row part = bandwidth(rows, Mode.COLD, quick + "attribute 16 66\n");
            assertTrue(Rows.reason(part, Tags.UTIL_BANDWIDTH).contains("only a part of the"), part::toString);
        }
    }
}
