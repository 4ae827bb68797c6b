package dev.panamark.driver.cuda;

import static org.junit.jupiter.api.Assertions.fail;

import dev.panamark.driver.fake.FakeLibrary;
import dev.panamark.ffi.Availability;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A fake CUDA driver. Skips a test where it cannot be built. */
public final class FakeDriver {
    private static final Map<Integer, FakeDriver> LOADED = new ConcurrentHashMap<>();

    private final FakeLibrary library;

    private FakeDriver(FakeLibrary library) {
        this.library = library;
    }

    /** One with the functions of CUDA 13.0. */
    public static FakeDriver current() {
        return ofRelease(13000);
    }

    /** One with the functions of a release, 11020 for 11.2. */
    public static FakeDriver ofRelease(int release) {
        return LOADED.computeIfAbsent(
                release, r -> new FakeDriver(FakeLibrary.build("libcuda.so.1", Integer.toString(r))));
    }

    /** Its {@code libcuda.so.1}; beside it lie the other libraries that it is. */
    public Path file() {
        return library.file();
    }

    /** What a process finds that is told to use it. */
    Availability<CudaDriver> find() {
        return CudaDriver.find(Map.of(CudaDriver.VARIABLE, file().toString()));
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
        library.reset(script);
    }

    String problem(String script) {
        return library.problem(script);
    }

    /** What it says of further statements; empty where it takes them. */
    public String more(String statements) {
        return library.more(statements);
    }

    /** Further statements. */
    public void add(String statements) {
        library.add(statements);
    }

    /** Nanoseconds on the virtual clock. */
    public long now() {
        return library.now();
    }

    /** What was made and not given back. */
    public long open() {
        return library.open();
    }

    void advance(long nanoseconds) {
        library.advance(nanoseconds);
    }

    long oldAbiCalls() {
        return library.number("fake_old_abi_calls");
    }

    /** Calls of a function since the script began, under any of its names. */
    long calls(CudaFunction function) {
        return function.symbols().stream().mapToLong(library::calls).sum();
    }

    /** Calls of a function since the script began, under its exported name. */
    public long calls(String symbol) {
        return library.calls(symbol);
    }

    /** Lets {@code launcher} run launches; nobody after {@link MemorySegment#NULL}. */
    void engine(MemorySegment loader, MemorySegment launcher) {
        try {
            library.handle("fake_engine", FunctionDescriptor.ofVoid(ValueLayout.ADDRESS, ValueLayout.ADDRESS))
                    .invokeExact(loader, launcher);
        } catch (Throwable t) {
            fail(t);
        }
    }

    int memoryFile() {
        try {
            return (int) library.handle("fake_memory_file", FunctionDescriptor.of(ValueLayout.JAVA_INT))
                    .invokeExact();
        } catch (Throwable t) {
            return fail(t);
        }
    }
}
