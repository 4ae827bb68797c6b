package dev.panamark.device.cpu;

import static dev.panamark.device.cpu.CpuTestDevice.ONE;
import static dev.panamark.device.cpu.CpuTestDevice.message;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.device.Bound;
import dev.panamark.device.Device;
import dev.panamark.device.DeviceBuffer;
import dev.panamark.device.Module;
import dev.panamark.device.UnsupportedException;
import dev.panamark.kernel.Argument;
import dev.panamark.kernel.Dim3;
import dev.panamark.kernel.Step;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CpuLaunchTest {
    /** Adds to each block's cell its own weight, so a block that is done twice or with a wrong grid shows. */
    private static final String MARK = """
            #include <stdint.h>
            void mark(void **args, const int64_t grid[3], int64_t first, int64_t last) {
                int32_t *cells = *(int32_t **) args[0];
                int32_t salt = *(int32_t *) args[1];
                for (int64_t b = first; b < last; b++) {
                    int64_t x = b % grid[0], y = b / grid[0] % grid[1], z = b / grid[0] / grid[1];
                    __atomic_fetch_add(&cells[b], (int32_t) (1 + salt + x + 7 * y + 31 * z), __ATOMIC_RELAXED);
                }
            }
            """;

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5})
    void everyBlockOfEveryGridIsDoneExactlyOnce(int threads) throws IOException {
        SplittableRandom random = new SplittableRandom(20260101);
        try (Device device = CpuTestDevice.open(folder, threads);
                Module module = CpuTestDevice.load(device, folder, MARK);
                DeviceBuffer cells = device.allocate("cells", 4 * 20_000)) {
            Bound mark = module.entry("mark")
                    .bind(
                            List.of(new Argument.BufferAddress("cells"), new Argument.Scalar("i32", 1000, 4)),
                            Map.of("cells", cells));
            for (int n = 1; n <= 1000; n++) {
                check(mark, cells, new Dim3(n, 1, 1));
            }
            for (int i = 0; i < 300; i++) {
                check(mark, cells, new Dim3(random.nextInt(1, 40), random.nextInt(1, 24), random.nextInt(1, 20)));
            }
            assertEquals(Optional.empty(), cells.damage());
        }
    }

    private static void check(Bound mark, DeviceBuffer cells, Dim3 grid) {
        cells.fill((byte) 0);
        mark.launch(grid, ONE, 0);
        int[] expected = new int[20_000];
        int b = 0;
        for (int z = 0; z < grid.z(); z++) {
            for (int y = 0; y < grid.y(); y++) {
                for (int x = 0; x < grid.x(); x++) {
                    expected[b++] = 1001 + x + 7 * y + 31 * z;
                }
            }
        }
        int[] got = new int[20_000];
        cells.download(MemorySegment.ofArray(got));
        assertArrayEquals(expected, got, grid::toString);
    }

    @Test
    void launchesFollowEachOtherAtAnyPaceWithoutLosingAnything() throws IOException, InterruptedException {
        try (Device device = CpuTestDevice.open(folder, 4);
                Module module = CpuTestDevice.load(device, folder, MARK);
                DeviceBuffer cells = device.allocate("cells", 4 * 64)) {
            Bound mark = module.entry("mark")
                    .bind(
                            List.of(new Argument.BufferAddress("cells"), new Argument.Scalar("i32", -1, 4)),
                            Map.of("cells", cells));
            int launches = 0;
            for (int i = 0; i < 20_000; i++) {
                mark.launch(new Dim3(1, 1, 64), ONE, 0);
                launches++;
                if (i % 5000 == 0) {
                    Thread.sleep(2); // long enough for the helpers to fall asleep
                }
            }
            int[] got = new int[64];
            cells.download(MemorySegment.ofArray(got));
            for (int z = 0; z < 64; z++) {
                assertEquals(launches * 31 * z, got[z]);
            }
        }
    }

    @Test
    void everyThreadTakesPart() throws IOException {
        String meet = """
                #include <stdint.h>
                /* Each block waits until all have begun, which only happens when every one has its own thread. */
                void meet(void **args, const int64_t grid[3], int64_t first, int64_t last) {
                    int64_t *begun = *(int64_t **) args[0];
                    for (int64_t b = first; b < last; b++) {
                        __atomic_fetch_add(begun, 1, __ATOMIC_SEQ_CST);
                        for (int64_t i = 0; i < 20000000000 && __atomic_load_n(begun, __ATOMIC_SEQ_CST) < grid[0]; i++) ;
                        __atomic_fetch_add(begun + 1, __atomic_load_n(begun, __ATOMIC_SEQ_CST), __ATOMIC_SEQ_CST);
                    }
                }
                """;
        try (Device device = CpuTestDevice.open(folder, 7);
                Module module = CpuTestDevice.load(device, folder, meet);
                DeviceBuffer begun = device.allocate("begun", 16)) {
            module.entry("meet")
                    .bind(List.of(new Argument.BufferAddress("begun")), Map.of("begun", begun))
                    .launch(new Dim3(7, 1, 1), ONE, 0);
            long[] got = new long[2];
            begun.download(MemorySegment.ofArray(got));
            assertArrayEquals(new long[] {7, 49}, got);
        }
    }

    @Test
    void aStructLiesAsCLaysItOut() throws IOException {
        String reader = """
                #include <stdint.h>
                struct inner { int8_t a; double b; int16_t c; };
                struct outer { int8_t a; int16_t b; struct inner c; int8_t d; const float *p; int32_t *v; int32_t e; };
                void read(void **args, const int64_t grid[3], int64_t first, int64_t last) {
                    double *out = *(double **) args[0];
                    struct outer s = *(struct outer *) args[1];
                    int8_t after = *(int8_t *) args[2];
                    float through = **(float **) args[3];
                    double all[] = {s.a, s.b, s.c.a, s.c.b, s.c.c, s.d, s.p[1], *s.v, s.e, after, through, sizeof s};
                    for (int i = 0; i < 12; i++) out[i] = all[i];
                }
                """;
        try (Device device = CpuTestDevice.open(folder, 1);
                Module module = CpuTestDevice.load(device, folder, reader);
                DeviceBuffer out = device.allocate("out", 12 * 8);
                DeviceBuffer floats = device.allocate("floats", 8)) {
            floats.upload(MemorySegment.ofArray(new float[] {1.5f, 2.5f}));
            Argument inner = new Argument.Struct(List.of(i(-3, 1), f64(4.25), i(-5, 2)));
            Argument outer = new Argument.Struct(List.of(
                    i(-1, 1),
                    i(-2, 2),
                    inner,
                    i(6, 1),
                    new Argument.BufferAddress("floats"),
                    new Argument.PointerTo(i(-70_000, 4)),
                    i(80_000, 4)));
            module.entry("read")
                    .bind(
                            List.of(
                                    new Argument.BufferAddress("out"),
                                    outer,
                                    i(9, 1),
                                    new Argument.PointerTo(
                                            new Argument.Scalar("f32", Float.floatToRawIntBits(0.125f), 4))),
                            Map.of("out", out, "floats", floats))
                    .launch(ONE, ONE, 0);
            double[] got = new double[12];
            out.download(MemorySegment.ofArray(got));
            // sizeof by the System V ABI: 1+1 | 2 | 4 pad | 24 | 1+7 pad | 8 | 8 | 4+4 pad = 64.
            assertArrayEquals(new double[] {-1, -2, -3, 4.25, -5, 6, 2.5, -70_000, 80_000, 9, 0.125, 64}, got);
        }
    }

    private static Argument i(long value, int bytes) {
        return new Argument.Scalar("i" + 8 * bytes, value, bytes);
    }

    private static Argument f64(double value) {
        return new Argument.Scalar("f64", Double.doubleToRawLongBits(value), 8);
    }

    @Test
    void whatACpuCannotDoIsRefusedWithTheReason() throws IOException {
        try (Device device = CpuTestDevice.open(folder, 2);
                Module module = CpuTestDevice.load(device, folder, MARK);
                DeviceBuffer cells = device.allocate("cells", 4)) {
            Bound mark = module.entry("mark")
                    .bind(
                            List.of(new Argument.BufferAddress("cells"), new Argument.Scalar("i32", 0, 4)),
                            Map.of("cells", cells));
            assertTrue(refusal(() -> mark.launch(ONE, new Dim3(128, 1, 1), 0)).contains("1x1x1, not 128x1x1"));
            assertTrue(refusal(() -> mark.launch(ONE, ONE, 512)).contains("no shared memory"));
            Dim3 huge = new Dim3(1L << 32, 1L << 31, 1);
            assertTrue(refusal(() -> mark.launch(huge, ONE, 0)).contains("more than 2^63-1 blocks"));
            assertTrue(refusal(() -> module.entry("mark").bind(List.of(new Argument.TensorMapValue("tk")), Map.of()))
                    .contains("no tensor maps"));
            assertTrue(refusal(() -> device.checkLaunch(step(Optional.of(new Dim3(2, 1, 1)), false)))
                    .contains("no clusters"));
            assertTrue(refusal(() -> device.checkLaunch(step(Optional.empty(), true)))
                    .contains("cooperative"));
            assertDoesNotThrow(() -> device.checkLaunch(step(Optional.of(ONE), false)));
            int[] untouched = new int[1];
            cells.download(MemorySegment.ofArray(untouched));
            assertEquals(0, untouched[0]);
        }
    }

    private static Step.Launch step(Optional<Dim3> cluster, boolean cooperative) {
        return new Step.Launch("mark", ONE, ONE, 0, List.of(), cluster, cooperative);
    }

    private static String refusal(org.junit.jupiter.api.function.Executable call) {
        return message(assertThrows(UnsupportedException.class, call));
    }

    @Test
    void buffersThatAreNotThereAreNamed() throws IOException {
        try (Device device = CpuTestDevice.open(folder, 2);
                Device other = CpuTestDevice.open(folder, 1);
                Module module = CpuTestDevice.load(device, folder, MARK)) {
            List<Argument> args = List.of(new Argument.BufferAddress("cells"), new Argument.Scalar("i32", 0, 4));
            assertEquals(
                    "bind: the arguments name buffer 'cells'; given were []",
                    message(assertThrows(
                            IllegalArgumentException.class,
                            () -> module.entry("mark").bind(args, Map.of()))));
            try (DeviceBuffer foreign = other.allocate("cells", 4)) {
                assertEquals(
                        "bind: buffer 'cells' is not memory of this device",
                        message(assertThrows(
                                IllegalArgumentException.class,
                                () -> module.entry("mark").bind(args, Map.of("cells", foreign)))));
            }
            DeviceBuffer cells = device.allocate("cells", 4);
            Bound mark = module.entry("mark").bind(args, Map.of("cells", cells));
            cells.close();
            assertEquals(
                    "buffer 'cells' is closed",
                    message(assertThrows(IllegalStateException.class, () -> mark.launch(ONE, ONE, 0))));
        }
    }

    @Test
    void aLaunchAllocatesNothingOnceCompiled() throws IOException {
        com.sun.management.ThreadMXBean threads =
                (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
        try (Device device = CpuTestDevice.open(folder, 1);
                Module module = CpuTestDevice.load(device, folder, MARK);
                DeviceBuffer cells = device.allocate("cells", 4 * 16)) {
            Bound mark = module.entry("mark")
                    .bind(
                            List.of(new Argument.BufferAddress("cells"), new Argument.Scalar("i32", 0, 4)),
                            Map.of("cells", cells));
            Dim3 grid = new Dim3(16, 1, 1);
            long allocated = Long.MAX_VALUE;
            for (int round = 0; round < 500 && allocated != 0; round++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < 5000; i++) {
                    mark.launch(grid, ONE, 0);
                    mark.launch(ONE, ONE, 0);
                }
                allocated = threads.getCurrentThreadAllocatedBytes() - before;
            }
            assertEquals(0, allocated);
            int[] got = new int[16];
            cells.download(MemorySegment.ofArray(got));
            assertTrue(Arrays.stream(got).allMatch(v -> v != 0));
        }
    }
}
