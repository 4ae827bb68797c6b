package dev.panamark.driver.nvml;

import static org.junit.jupiter.api.Assertions.fail;

import dev.panamark.driver.compile.Subprocess;
import dev.panamark.driver.host.HostCompiler;
import dev.panamark.ffi.Availability;
import dev.panamark.ffi.SharedLibrary;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Assumptions;

/** The fake's NVML and what it is steered by (native-build/fakes/fake.h). Skips a test where it cannot be built. */
@SuppressWarnings("restricted")
final class FakeNvml {
    private static final Map<Integer, FakeNvml> LOADED = new ConcurrentHashMap<>();

    private final Path file;
    private final SharedLibrary library;

    private FakeNvml(Path file) {
        this.file = file;
        this.library = SharedLibrary.open(file.toString());
    }

    /** One with the functions of a driver for CUDA 13.0. */
    static FakeNvml current() {
        return ofRelease(13000);
    }

    /** One with the functions of a driver for this release, 11020 for 11.2. */
    static FakeNvml ofRelease(int release) {
        return LOADED.computeIfAbsent(release, FakeNvml::build);
    }

    private static FakeNvml build(int release) {
        HostCompiler compiler = switch (HostCompiler.find(System.getenv())) {
            case Availability.Available<HostCompiler>(HostCompiler found) -> found;
            case Availability.Unavailable<HostCompiler> none ->
                Assumptions.abort("no C compiler on this machine: " + none.text());
        };
        Map<String, String> env = new HashMap<>(System.getenv());
        env.put("CC", compiler.path().toString());
        env.put("PANAMARK_FAKES", Path.of("target/fakes").toAbsolutePath().toString());
        try {
            Subprocess.Ended ended = new Subprocess(env, Duration.ofMinutes(2))
                    .run(
                            List.of(
                                    Path.of("../native-build/fakes/build")
                                            .toAbsolutePath()
                                            .toString(),
                                    Integer.toString(release)),
                            Path.of("").toAbsolutePath(),
                            "");
            return ended.ok() ? new FakeNvml(Path.of(ended.out().strip(), "libnvidia-ml.so.1")) : fail(ended.err());
        } catch (IOException e) {
            return fail(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return fail(e);
        }
    }

    /** What a process finds that is told to use it. */
    Availability<Nvml> find() {
        return Nvml.find(Map.of(Nvml.VARIABLE, file.toString()));
    }

    /** The library as a script makes it. */
    Nvml start(String script) {
        reset(script);
        return switch (find()) {
            case Availability.Available<Nvml>(Nvml nvml) -> nvml;
            case Availability.Unavailable<Nvml> none -> fail(none.text());
        };
    }

    void reset(String script) {
        String problem = text("fake_reset", script);
        if (!problem.isEmpty()) {
            fail(problem);
        }
    }

    void add(String statements) {
        String problem = problem(statements);
        if (!problem.isEmpty()) {
            fail(problem);
        }
    }

    /** What it says of further statements; empty where it takes them. */
    String problem(String statements) {
        return text("fake_add", statements);
    }

    private String text(String function, String argument) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment answer =
                    (MemorySegment) handle(function, FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.ADDRESS))
                            .invokeExact(arena.allocateFrom(argument));
            return answer.address() == 0 ? "" : answer.reinterpret(1024).getString(0);
        } catch (Throwable t) {
            return fail(t);
        }
    }

    void advance(long nanoseconds) {
        try {
            handle("fake_advance", FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG))
                    .invokeExact(nanoseconds);
        } catch (Throwable t) {
            fail(t);
        }
    }

    /** Nanoseconds on the virtual clock. */
    long now() {
        return number("fake_now");
    }

    /** What was made and not given back. */
    long open() {
        return number("fake_open");
    }

    private long number(String function) {
        try {
            return (long) handle(function, FunctionDescriptor.of(ValueLayout.JAVA_LONG))
                    .invokeExact();
        } catch (Throwable t) {
            return fail(t);
        }
    }

    /** Calls of a function since the script began, under any of its names. */
    long calls(NvmlFunction function) {
        return function.symbols().stream()
                .mapToLong(symbol -> {
                    try (Arena arena = Arena.ofConfined()) {
                        return (long)
                                handle("fake_calls", FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.ADDRESS))
                                        .invokeExact(arena.allocateFrom(symbol));
                    } catch (Throwable t) {
                        return fail(t);
                    }
                })
                .sum();
    }

    private MethodHandle handle(String function, FunctionDescriptor type) {
        return Linker.nativeLinker().downcallHandle(library.symbol(function).orElseThrow(), type);
    }
}
