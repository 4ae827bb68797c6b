package dev.panamark.driver.cuda;

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

/** A fake driver and what it is steered by (native-build/fakes/fake.h). Skips a test where it cannot be built. */
@SuppressWarnings("restricted")
public final class FakeDriver {
    private static final Path BUILD = Path.of("../native-build/fakes/build");
    private static final Map<Integer, FakeDriver> LOADED = new ConcurrentHashMap<>();

    private final Path file;
    private final SharedLibrary library;

    private FakeDriver(Path file) {
        this.file = file;
        this.library = SharedLibrary.open(file.toString());
    }

    /** One with the functions of CUDA 13.0. */
    public static FakeDriver current() {
        return ofRelease(13000);
    }

    /** One with the functions of a release, 11020 for 11.2. */
    public static FakeDriver ofRelease(int release) {
        return LOADED.computeIfAbsent(release, FakeDriver::build);
    }

    private static FakeDriver build(int release) {
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
                            List.of(BUILD.toAbsolutePath().toString(), Integer.toString(release)),
                            Path.of("").toAbsolutePath(),
                            "");
            if (!ended.ok()) {
                return fail(ended.err());
            }
            return new FakeDriver(Path.of(ended.out().strip(), "libcuda.so.1"));
        } catch (IOException e) {
            return fail(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return fail(e);
        }
    }

    /** Its {@code libcuda.so.1}; beside it lie the other libraries that it is. */
    public Path file() {
        return file;
    }

    /** What a process finds that is told to use it. */
    Availability<CudaDriver> find() {
        return CudaDriver.find(Map.of(CudaDriver.VARIABLE, file.toString()));
    }

    /** The driver as a script makes it. */
    public CudaDriver start(String script) {
        reset(script);
        return switch (find()) {
            case Availability.Available<CudaDriver>(CudaDriver driver) -> driver;
            case Availability.Unavailable<CudaDriver> none -> fail(none.text());
        };
    }

    /** A script in place of the last one. */
    public void reset(String script) {
        String problem = text("fake_reset", script);
        if (!problem.isEmpty()) {
            fail(problem);
        }
    }

    /** What it says of a script; empty where it takes it. */
    String problem(String script) {
        return text("fake_reset", script);
    }

    /** What it says of further statements; empty where it takes them. */
    public String more(String statements) {
        return text("fake_add", statements);
    }

    /** Further statements. */
    public void add(String statements) {
        String problem = more(statements);
        if (!problem.isEmpty()) {
            fail(problem);
        }
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

    /** Nanoseconds on the virtual clock. */
    public long now() {
        return number("fake_now");
    }

    /** What was made and not given back. */
    public long open() {
        return number("fake_open");
    }

    long oldAbiCalls() {
        return number("fake_old_abi_calls");
    }

    private long number(String function) {
        try {
            return (long) handle(function, FunctionDescriptor.of(ValueLayout.JAVA_LONG))
                    .invokeExact();
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

    /** Calls of a function since the script began, under any of its names. */
    long calls(CudaFunction function) {
        return function.symbols().stream().mapToLong(this::calls).sum();
    }

    /** Calls of a function since the script began, under its exported name. */
    public long calls(String symbol) {
        try (Arena arena = Arena.ofConfined()) {
            return (long) handle("fake_calls", FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.ADDRESS))
                    .invokeExact(arena.allocateFrom(symbol));
        } catch (Throwable t) {
            return fail(t);
        }
    }

    /** Lets {@code launcher} run launches; nobody after {@link MemorySegment#NULL}. */
    void engine(MemorySegment loader, MemorySegment launcher) {
        try {
            handle("fake_engine", FunctionDescriptor.ofVoid(ValueLayout.ADDRESS, ValueLayout.ADDRESS))
                    .invokeExact(loader, launcher);
        } catch (Throwable t) {
            fail(t);
        }
    }

    int memoryFile() {
        try {
            return (int) handle("fake_memory_file", FunctionDescriptor.of(ValueLayout.JAVA_INT))
                    .invokeExact();
        } catch (Throwable t) {
            return fail(t);
        }
    }

    /** Sets a variable of the process's environment, which C reads and Java does not; empty takes it away. */
    static void environment(String name, String value) {
        Linker linker = Linker.nativeLinker();
        try (Arena arena = Arena.ofConfined()) {
            int status = value.isEmpty()
                    ? (int) linker.downcallHandle(
                                    linker.defaultLookup().findOrThrow("unsetenv"),
                                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS))
                            .invokeExact(arena.allocateFrom(name))
                    : (int) linker.downcallHandle(
                                    linker.defaultLookup().findOrThrow("setenv"),
                                    FunctionDescriptor.of(
                                            ValueLayout.JAVA_INT,
                                            ValueLayout.ADDRESS,
                                            ValueLayout.ADDRESS,
                                            ValueLayout.JAVA_INT))
                            .invokeExact(arena.allocateFrom(name), arena.allocateFrom(value), 1);
            if (status != 0) {
                fail("the environment cannot be changed");
            }
        } catch (Throwable t) {
            fail(t);
        }
    }

    private MethodHandle handle(String function, FunctionDescriptor type) {
        return Linker.nativeLinker().downcallHandle(library.symbol(function).orElseThrow(), type);
    }
}
