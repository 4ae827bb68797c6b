package dev.panamark.driver.hip;

import static org.junit.jupiter.api.Assertions.fail;

import dev.panamark.driver.fake.FakeLibrary;
import dev.panamark.ffi.Availability;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A fake HIP runtime. Skips a test where it cannot be built. */
final class FakeHip {
    private static final Map<Integer, FakeHip> LOADED = new ConcurrentHashMap<>();

    private final FakeLibrary library;

    private FakeHip(FakeLibrary library) {
        this.library = library;
    }

    /** One with the functions of HIP 6.3. */
    static FakeHip current() {
        return ofRelease(60300000);
    }

    /** One with the functions of a release, 50200000 for 5.2. */
    static FakeHip ofRelease(int release) {
        return LOADED.computeIfAbsent(
                release, r -> new FakeHip(FakeLibrary.build("libamdhip64.so.6", "hip", Integer.toString(r))));
    }

    FakeLibrary library() {
        return library;
    }

    Path file() {
        return library.file();
    }

    /** What a process finds that is told to use it. */
    Availability<HipDriver> find() {
        return HipDriver.find(Map.of(HipDriver.VARIABLE, file().toString()));
    }

    /** The runtime as a script makes it. */
    HipDriver start(String script) {
        library.reset(script);
        return switch (find()) {
            case Availability.Available<HipDriver>(HipDriver driver) -> driver;
            case Availability.Unavailable<HipDriver> none -> fail(none.text());
        };
    }

    /** Calls of a function since the script began. */
    long calls(HipFunction function) {
        return library.calls(function.symbol());
    }
}
