package dev.panamark.device.emulated;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.device.Counted;
import dev.panamark.device.Device;
import dev.panamark.device.DeviceBuffer;
import dev.panamark.device.DeviceException;
import dev.panamark.device.LaunchCounter;
import dev.panamark.device.MissingEntryException;
import dev.panamark.device.Module;
import dev.panamark.device.UnsupportedException;
import dev.panamark.ffi.Availability;
import dev.panamark.kernel.Argument;
import dev.panamark.kernel.Dim3;
import dev.panamark.kernel.Image;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmulatedDeviceTest {
    /** Thread i of a block doubles x[i]. */
    private static final String DOUBLING = """
            .version 7.0
            .target sm_80
            .address_size 64
            .visible .entry doubled(.param .u64 x)
            {
              .reg .b32 %r<2>;
              .reg .f32 %f<3>;
              .reg .b64 %rd<5>;
              ld.param.u64 %rd1, [x];
              cvta.to.global.u64 %rd2, %rd1;
              mov.u32 %r1, %tid.x;
              mul.wide.u32 %rd3, %r1, 4;
              add.s64 %rd4, %rd2, %rd3;
              ld.global.f32 %f1, [%rd4];
              add.f32 %f2, %f1, %f1;
              st.global.f32 [%rd4], %f2;
              ret;
            }
            """;

    @TempDir
    Path folder;

    private Device device = open();

    private static Device open() {
        return EmulatedRows.device(Map.of("CUDA_HOME", "/no/toolkit", "PANAMARK_NVRTC", "/no/nvrtc"), "emu:h100-sxm")
                .open();
    }

    @BeforeEach
    void fresh() {
        device.close();
        device = open();
    }

    @AfterEach
    void close() {
        device.close();
    }

    private Module load(String ptx) throws IOException {
        Path file = folder.resolve("k.ptx");
        Files.writeString(file, ptx);
        return device.load(new Image("cuda", file, List.of()));
    }

    private static <E extends Exception> String message(Class<E> type, org.junit.jupiter.api.function.Executable call) {
        return String.valueOf(assertThrows(type, call).getMessage());
    }

    private static void says(String message, String... words) {
        for (String word : words) {
            assertTrue(message.contains(word), () -> "'" + word + "' is not in: " + message);
        }
    }

    @Test
    void aKernelRunsOnItsBuffers() throws IOException {
        float[] host = {1, 2, 3.5f, -4};
        try (Module module = load(DOUBLING);
                DeviceBuffer x = device.allocate("x", 16)) {
            x.upload(MemorySegment.ofArray(host));
            module.entry("doubled")
                    .bind(List.of(new Argument.BufferAddress("x")), Map.of("x", x))
                    .launch(new Dim3(1, 1, 1), new Dim3(4, 1, 1), 0);
            float[] back = new float[4];
            x.download(MemorySegment.ofArray(back));
            assertEquals(List.of(2f, 4f, 7f, -8f), List.of(back[0], back[1], back[2], back[3]));
            assertTrue(x.damage().isEmpty());
        }
    }

    /** One warp, one load and one store of 128 bytes: 4 sectors each, the same ones; 32 additions. */
    @Test
    void aLaunchIsCounted() throws IOException {
        try (Module module = load(DOUBLING);
                DeviceBuffer x = device.allocate("x", 128)) {
            x.fill((byte) 0);
            var bound = module.entry("doubled").bind(List.of(new Argument.BufferAddress("x")), Map.of("x", x));
            LaunchCounter counter = switch (device.counter()) {
                case Availability.Available<LaunchCounter>(LaunchCounter c) -> c;
                case Availability.Unavailable<LaunchCounter> none -> throw new AssertionError(none.text());
            };
            Counted one = counter.count(() -> bound.launch(new Dim3(1, 1, 1), new Dim3(32, 1, 1), 0));
            assertEquals(2, one.global().requests());
            assertEquals(8, one.global().sectors());
            assertEquals(8, one.global().distinct(), "4 are read and 4 written");
            assertEquals(Map.of("fma_f32", 32L), one.flops());
            Counted.Bound once = bound(one);
            assertEquals("fma_f32", once.limiter(), "what it wrote may stay in the cache, and is what it read");
            assertEquals(32 / (256 * 1980e6), once.seconds(), 1e-15); // 256 a clock of its one SM, at 1,980 MHz
            Counted two = counter.count(() -> {
                bound.launch(new Dim3(1, 1, 1), new Dim3(32, 1, 1), 0);
                bound.launch(new Dim3(1, 1, 1), new Dim3(32, 1, 1), 0);
            });
            assertEquals(2 * once.seconds(), bound(two).seconds(), 1e-18);
            assertEquals(Map.of("fma_f32", 64L), two.flops());
        }
    }

    /** Thread i copies x[i] to y[i]: 128 bytes must come in, those written may stay in the cache. */
    @Test
    void whatIsReadAndNotWrittenMustBeMoved() throws IOException {
        String copying = DOUBLING.replace("doubled(.param .u64 x)", "copied(.param .u64 x, .param .u64 y)")
                .replace(
                        "add.f32 %f2, %f1, %f1;",
                        "mov.b32 %f2, %f1; ld.param.u64 %rd1, [y]; cvta.to.global.u64 %rd2, %rd1; add.s64 %rd4, %rd2, %rd3;");
        try (Module module = load(copying);
                DeviceBuffer x = device.allocate("x", 128);
                DeviceBuffer y = device.allocate("y", 128)) {
            x.fill((byte) 1);
            var bound = module.entry("copied")
                    .bind(
                            List.of(new Argument.BufferAddress("x"), new Argument.BufferAddress("y")),
                            Map.of("x", x, "y", y));
            Counted counted = assertInstanceOf(LaunchCounter.class, device)
                    .count(() -> bound.launch(new Dim3(1, 1, 1), new Dim3(32, 1, 1), 0));
            assertEquals(128 / 3350e9, bound(counted).seconds(), 1e-16); // by the profile's 3,350 GB/s
            assertEquals("memory: bytes that must be moved", bound(counted).limiter());
            byte[] back = new byte[128];
            y.download(MemorySegment.ofArray(back));
            assertEquals(1, back[127]);
        }
    }

    private static Counted.Bound bound(Counted counted) {
        return switch (counted.bound()) {
            case Availability.Available<Counted.Bound>(Counted.Bound b) -> b;
            case Availability.Unavailable<Counted.Bound> none -> throw new AssertionError(none.text());
        };
    }

    @Test
    void aStepOverTheEndNamesThreadAndLine() throws IOException {
        try (Module module = load(DOUBLING);
                DeviceBuffer x = device.allocate("x", 16)) {
            var bound = module.entry("doubled").bind(List.of(new Argument.BufferAddress("x")), Map.of("x", x));
            says(
                    message(DeviceException.class, () -> bound.launch(new Dim3(1, 1, 1), new Dim3(5, 1, 1), 0)),
                    "doubled",
                    "14", // the line of ld.global
                    "4, 0, 0",
                    "0 bytes after the end of 'x' of 16 bytes");
        }
    }

    @Test
    void whatCannotBeLaunchedSaysWhy() throws IOException {
        try (Module module = load(DOUBLING);
                DeviceBuffer x = device.allocate("x", 16)) {
            says(message(MissingEntryException.class, () -> module.entry("tripled")), "tripled", "doubled");
            var entry = module.entry("doubled");
            says(
                    message(DeviceException.class, () -> entry.bind(List.of(), Map.of())),
                    "1 arguments",
                    "takes 1 arguments, not 0");
            var bound = entry.bind(List.of(new Argument.BufferAddress("x")), Map.of("x", x));
            says(
                    message(UnsupportedException.class, () -> bound.launch(new Dim3(1, 1, 1), new Dim3(2000, 1, 1), 0)),
                    "2000",
                    "1024");
            says(
                    message(
                            UnsupportedException.class,
                            () -> bound.launch(new Dim3(1, 1, 1), new Dim3(1, 1, 1), 300_000)),
                    "300000",
                    "232448");
            says(
                    message(
                            UnsupportedException.class,
                            () -> bound.launch(new Dim3(1L << 31, 1, 1), new Dim3(1, 1, 1), 0)),
                    "grid",
                    "2^31");
        }
    }

    @Test
    void textsThatCannotRunNameTheirLine() {
        says(message(DeviceException.class, () -> load("this is no PTX")), "k.ptx", "1");
        says(
                message(
                        UnsupportedException.class,
                        () -> load(
                                DOUBLING.replace("add.f32 %f2, %f1, %f1;", "tex.1d.v4.f32.f32 {a,b,c,d}, [t, {x}];"))),
                "15",
                "tex");
    }

    @Test
    void bytesThatAreNoTextAreNoPtx() throws IOException {
        Path file = folder.resolve("k.ptx");
        Files.write(file, new byte[] {(byte) 0x7f, 'E', 'L', 'F', (byte) 0xff, (byte) 0xfe, 0});
        says(
                message(DeviceException.class, () -> device.load(new Image("cuda", file, List.of()))),
                "k.ptx:1:1",
                "unexpected character");
    }

    @Test
    void aSourceWithoutACompilerSaysWhatToInstall() throws IOException {
        Path file = folder.resolve("mine.cu");
        Files.writeString(file, "extern \"C\" __global__ void f() {}\n");
        says(
                message(UnsupportedException.class, () -> device.load(new Image("cuda", file, List.of()))),
                "mine.cu",
                "has to be compiled",
                "/no/toolkit");
        says(
                message(UnsupportedException.class, () -> device.load(new Image("cpu", file, List.of()))),
                "emu:h100-sxm",
                "cpu");
    }

    @Test
    void aClosedBufferIsRefused() throws IOException {
        try (Module module = load(DOUBLING)) {
            DeviceBuffer x = device.allocate("x", 16);
            var bound = module.entry("doubled").bind(List.of(new Argument.BufferAddress("x")), Map.of("x", x));
            x.close();
            says(
                    message(IllegalStateException.class, () -> bound.launch(new Dim3(1, 1, 1), new Dim3(4, 1, 1), 0)),
                    "'x' is closed");
            says(
                    message(
                            IllegalArgumentException.class,
                            () -> device.allocate("y", 8)
                                    .upload(MemorySegment.ofArray(new int[1]).asSlice(0, ValueLayout.JAVA_INT))),
                    "'y'",
                    "8 bytes");
        }
    }

    @Test
    void thereIsNoClockAndAllTheMemoryThatThereIs() {
        says(assertInstanceOf(Availability.Unavailable.class, device.timer()).text(), "no clock", "time/bound");
        says(
                message(UnsupportedException.class, () -> device.allocate("huge", 1L << 40)),
                "huge",
                Long.toString(1L << 40));
        assertFalse(device.info().values().isEmpty());
    }
}
