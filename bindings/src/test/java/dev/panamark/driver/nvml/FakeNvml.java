package dev.panamark.driver.nvml;

import static org.junit.jupiter.api.Assertions.fail;

import dev.panamark.driver.fake.FakeLibrary;
import dev.panamark.ffi.Availability;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The NVML of a fake driver. Skips a test where it cannot be built. */
final class FakeNvml {
    private static final Map<Integer, FakeNvml> LOADED = new ConcurrentHashMap<>();

    private final FakeLibrary library;

    private FakeNvml(FakeLibrary library) {
        this.library = library;
    }

    /** One with the functions of a driver for CUDA 13.0. */
    static FakeNvml current() {
        return ofRelease(13000);
    }

    /** One with the functions of a driver for this release, 11020 for 11.2. */
    static FakeNvml ofRelease(int release) {
        return LOADED.computeIfAbsent(
                release, r -> new FakeNvml(FakeLibrary.build("libnvidia-ml.so.1", Integer.toString(r))));
    }

    /** What a process finds that is told to use it. */
    Availability<Nvml> find() {
        return Nvml.find(Map.of(Nvml.VARIABLE, library.file().toString()));
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
        library.reset(script);
    }

    void add(String statements) {
        library.add(statements);
    }

    /** What it says of further statements; empty where it takes them. */
    String problem(String statements) {
        return library.more(statements);
    }

    void advance(long nanoseconds) {
        library.advance(nanoseconds);
    }

    long now() {
        return library.now();
    }

    long open() {
        return library.open();
    }

    /** Calls of a function since the script began, under any of its names. */
    long calls(NvmlFunction function) {
        return function.symbols().stream().mapToLong(library::calls).sum();
    }
}
