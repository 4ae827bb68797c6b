package dev.panamark.benchmark;

import dev.panamark.device.Device;
import dev.panamark.device.cuda.CudaProvider;
import dev.panamark.driver.cuda.CudaContext;
import dev.panamark.driver.cuda.CudaDriver;
import dev.panamark.driver.cuda.CudaLaunch;
import dev.panamark.driver.cuda.LaunchShape;
import dev.panamark.driver.host.HostFunction;
import dev.panamark.driver.launch.KernelArguments;
import dev.panamark.kernel.Argument;
import dev.panamark.kernel.Dim3;
import dev.panamark.kernel.Image;
import dev.panamark.kernel.Step;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;

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

    private final CompiledC c;
    private final CudaContext context;
    private final Device opened;

    CudaEmptyKernel() {
        CudaDriver driver = CompiledC.available(CudaDriver.find(System.getenv()));
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
                    new KernelArguments(8, 0));
            c = CompiledC.of("cuda.c");
            made.push(c);
            Device device = CompiledC.available(new CudaProvider(System.getenv(), c.folder())
                            .discover()
                            .getFirst())
                    .open();
            made.push(device);
            opened = device;
            backend = device.load(new Image("cuda", Files.writeString(c.folder().resolve("empty.ptx"), PTX), List.of()))
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
            cLoop = c.entry("c_loop");
            Arena arena = Arena.ofAuto();
            args = CompiledC.pointers(arena, arena.allocate(8, 8));
            c.open("c_open", driver.file(), arena.allocateFrom(driver.file()), arena.allocateFrom(PTX));
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

    @Override
    public void close() {
        try {
            opened.close();
            context.close();
        } finally {
            c.close();
        }
    }
}
