package dev.panamark.benchmark;

import dev.panamark.device.Device;
import dev.panamark.device.cuda.CudaProvider;
import dev.panamark.driver.cuda.CudaArguments;
import dev.panamark.driver.cuda.CudaContext;
import dev.panamark.driver.cuda.CudaDriver;
import dev.panamark.driver.cuda.CudaLaunch;
import dev.panamark.driver.cuda.LaunchShape;
import dev.panamark.driver.host.HostCompiler;
import dev.panamark.driver.host.HostFunction;
import dev.panamark.driver.host.HostLibrary;
import dev.panamark.ffi.Availability;
import dev.panamark.kernel.Argument;
import dev.panamark.kernel.Dim3;
import dev.panamark.kernel.Image;
import dev.panamark.kernel.Step;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** An empty kernel of a CUDA driver, launched by the wrappers and by a loop in C. */
final class CudaEmptyKernel implements AutoCloseable {
    private static final String PTX = """
            .version 7.0
            .target sm_80
            .address_size 64
            .visible .entry empty(.param .u64 empty_param_0)
            {
                ret;
            }
            """;

    final HostFunction cLoop;
    final MemorySegment args;
    final MemorySegment grid = Arena.ofAuto().allocate(24, 8);
    final CudaLaunch launch;
    /** The same through the backend, as rows are measured. */
    final Runnable backend;

    private final Path folder;
    private final HostLibrary library;
    private final CudaContext context;
    private final Device opened;

    CudaEmptyKernel() {
        CudaDriver driver = available(CudaDriver.find(System.getenv()));
        Deque<AutoCloseable> made = new ArrayDeque<>();
        try {
            context = driver.device(0).retainPrimaryContext();
            made.push(context);
            context.makeCurrent();
            LaunchShape.Size one = new LaunchShape.Size(1, 1, 1);
            launch = CudaLaunch.prepare(
                    context.load(PTX.getBytes(StandardCharsets.US_ASCII)).kernel("empty"),
                    context.createStream(),
                    LaunchShape.of(one, new LaunchShape.Size(32, 1, 1), 0),
                    new CudaArguments(8, 0));
            folder = Files.createTempDirectory("panamark-benchmark");
            made.push(() -> delete(folder));
            Device device = available(
                            new CudaProvider(System.getenv(), folder).discover().getFirst())
                    .open();
            made.push(device);
            opened = device;
            backend = device.load(new Image("cuda", Files.writeString(folder.resolve("empty.ptx"), PTX), List.of()))
                    .entry("empty")
                    .bind(
                            new Step.Launch(
                                    "empty",
                                    new Dim3(1, 1, 1),
                                    new Dim3(32, 1, 1),
                                    0,
                                    List.of(new Argument.Scalar("i64", 0, Long.BYTES)),
                                    Optional.empty(),
                                    false),
                            Map.of());
            Path source = folder.resolve("cuda.c");
            try (InputStream in = CudaEmptyKernel.class.getResourceAsStream("cuda.c")) {
                if (in == null) {
                    throw new IllegalStateException("the resource cuda.c is not on the class path; build again");
                }
                Files.copy(in, source);
            }
            library = HostLibrary.open(available(HostCompiler.find(System.getenv()))
                    .compile(source, List.of(), folder)
                    .sharedObject());
            made.push(library);
            cLoop = library.entry("c_loop");
            Arena arena = Arena.ofAuto();
            args = pointers(arena, arena.allocate(8, 8));
            open(library.entry("c_open"), driver.file());
        } catch (IOException e) {
            throw abandoned(made, new UncheckedIOException(e));
        } catch (RuntimeException e) {
            throw abandoned(made, e);
        }
    }

    /** Closes what was made before the failure, the last first. */
    private static RuntimeException abandoned(Deque<AutoCloseable> made, RuntimeException failure) {
        for (AutoCloseable each : made) {
            try {
                each.close();
            } catch (Exception e) {
                failure.addSuppressed(e);
            }
        }
        return failure;
    }

    private static MemorySegment pointers(Arena arena, MemorySegment... to) {
        MemorySegment pointers = arena.allocate(ValueLayout.ADDRESS, to.length);
        for (int i = 0; i < to.length; i++) {
            pointers.setAtIndex(ValueLayout.ADDRESS, i, to[i]);
        }
        return pointers;
    }

    private void open(HostFunction open, String file) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment status = arena.allocate(ValueLayout.JAVA_INT);
            open.call(
                    pointers(
                            arena,
                            pointers(arena, arena.allocateFrom(file)),
                            pointers(arena, arena.allocateFrom(PTX)),
                            pointers(arena, status)),
                    grid,
                    0,
                    1);
            int ended = status.get(ValueLayout.JAVA_INT, 0);
            if (ended != 0) {
                throw new IllegalStateException("the same calls in C ended with status " + ended + " of " + file);
            }
        }
    }

    private static <T> T available(Availability<T> found) {
        return switch (found) {
            case Availability.Available<T>(T value) -> value;
            case Availability.Unavailable<T> none -> throw new IllegalStateException(none.text());
        };
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            opened.close();
            context.close();
        } finally {
            try {
                library.close();
            } finally {
                delete(folder);
            }
        }
    }
}
