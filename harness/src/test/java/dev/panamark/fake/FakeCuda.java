package dev.panamark.fake;

import static org.junit.jupiter.api.Assertions.fail;

import dev.panamark.driver.cuda.CudaDriver;
import dev.panamark.ffi.Availability;
import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The fake driver of CUDA, NVML and CUPTI, loaded. */
public final class FakeCuda {
    private static final String NAME = "libcuda.so.1";

    private final FakeLibrary library;

    private FakeCuda(FakeLibrary library) {
        this.library = library;
    }

    /** Builds and loads it; skips the test where there is no C compiler. */
    public static FakeCuda load() throws Exception {
        return new FakeCuda(FakeLibrary.build(List.of(), NAME));
    }

    /** That of a release of CUDA, 11020 for 11.2. */
    static FakeCuda load(int release) throws Exception {
        return new FakeCuda(FakeLibrary.build(List.of(Integer.toString(release)), NAME));
    }

    /** One that is built already. */
    static FakeCuda of(String file) {
        return new FakeCuda(new FakeLibrary(Path.of(file)));
    }

    FakeLibrary library() {
        return library;
    }

    /** The library, as the loader takes it. */
    public String file() {
        return library.file();
    }

    /** Calls of a function since the last script, under its exported name. */
    public long calls(String function) throws Throwable {
        return library.calls(function);
    }

    /** Everything anew, as a script has it. */
    public void reset(String script) throws Throwable {
        library.reset(script);
    }

    /** The driver as a script makes it. */
    CudaDriver start(String script) throws Throwable {
        reset(script);
        return switch (CudaDriver.find(Map.of(CudaDriver.VARIABLE, file()))) {
            case Availability.Available<CudaDriver>(CudaDriver driver) -> driver;
            case Availability.Unavailable<CudaDriver> none -> fail(none.text());
        };
    }

    MethodHandle handle(String function, FunctionDescriptor type) {
        return library.handle(function, type);
    }
}
