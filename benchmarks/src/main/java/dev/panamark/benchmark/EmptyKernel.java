package dev.panamark.benchmark;

import dev.panamark.device.Bound;
import dev.panamark.device.Device;
import dev.panamark.device.DeviceProvider;
import dev.panamark.device.Module;
import dev.panamark.device.cpu.CpuProvider;
import dev.panamark.driver.host.HostCompiler;
import dev.panamark.driver.host.HostFunction;
import dev.panamark.driver.host.HostLibrary;
import dev.panamark.ffi.Availability;
import dev.panamark.kernel.Dim3;
import dev.panamark.kernel.Image;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** An empty kernel on the host CPU, callable on every level of the stack. */
final class EmptyKernel implements AutoCloseable {
    static final Dim3 ONE = new Dim3(1, 1, 1);
    static final Dim3 MANY = new Dim3(1024, 1, 1);

    final HostFunction function;
    final HostFunction cLoop;
    final Bound bound;
    final MemorySegment args = Arena.ofAuto().allocate(8, 8);
    final MemorySegment grid = Arena.ofAuto().allocate(24, 8);

    private final Path folder;
    private final HostLibrary library;
    private final Device device;
    private final Module module;

    EmptyKernel() {
        try {
            folder = Files.createTempDirectory("panamark-benchmark");
            Path source = folder.resolve("empty.c");
            try (InputStream in = EmptyKernel.class.getResourceAsStream("empty.c")) {
                if (in == null) {
                    throw new IllegalStateException("the resource empty.c is not on the class path; build again");
                }
                Files.copy(in, source);
            }
            HostCompiler compiler = available(HostCompiler.find(System.getenv()));
            library =
                    HostLibrary.open(compiler.compile(source, List.of(), folder).sharedObject());
            function = library.entry("empty");
            cLoop = library.entry("c_loop");
            DeviceProvider.Candidate cpu = available(
                    new CpuProvider(System.getenv(), folder).discover().getFirst());
            device = cpu.open();
            module = device.load(new Image("cpu", source, List.of()));
            bound = module.entry("empty").bind(List.of(), Map.of());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static <T> T available(Availability<T> found) {
        return switch (found) {
            case Availability.Available<T>(T value) -> value;
            case Availability.Unavailable<T> none -> throw new IllegalStateException(none.text());
        };
    }

    @Override
    public void close() {
        module.close();
        device.close();
        library.close();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
