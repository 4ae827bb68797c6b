package dev.panamark.fake;

import static org.junit.jupiter.api.Assertions.fail;

import dev.panamark.driver.compile.Subprocess;
import dev.panamark.driver.cuda.CudaDriver;
import dev.panamark.driver.host.HostCompiler;
import dev.panamark.ffi.Availability;
import dev.panamark.ffi.SharedLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;

/** The fake driver of native-build/fakes, loaded; what it is steered by is in its fake.h. */
@SuppressWarnings("restricted")
public final class FakeCuda {
    private static final FunctionDescriptor TEXT = FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.ADDRESS);

    private final Path file;
    private final SharedLibrary library;

    private FakeCuda(Path file) {
        this.file = file;
        this.library = SharedLibrary.open(file.toString());
    }

    /** Builds and loads it; skips the test where there is no C compiler. */
    public static FakeCuda load() throws Exception {
        return load(List.of());
    }

    /** That of a release of CUDA, 11020 for 11.2. */
    static FakeCuda load(int release) throws Exception {
        return load(List.of(Integer.toString(release)));
    }

    private static FakeCuda load(List<String> release) throws Exception {
        HostCompiler compiler = switch (HostCompiler.find(System.getenv())) {
            case Availability.Available<HostCompiler>(HostCompiler found) -> found;
            case Availability.Unavailable<HostCompiler> none ->
                Assumptions.abort("no C compiler on this machine: " + none.text());
        };
        Map<String, String> env = new HashMap<>(System.getenv());
        env.put("CC", compiler.path().toString());
        env.put("PANAMARK_FAKES", Path.of("target/fakes").toAbsolutePath().toString());
        List<String> command = new ArrayList<>(
                List.of(Path.of("../native-build/fakes/build").toAbsolutePath().toString()));
        command.addAll(release);
        Subprocess.Ended ended = new Subprocess(env, Duration.ofMinutes(2))
                .run(command, Path.of("").toAbsolutePath(), "");
        return ended.ok() ? new FakeCuda(Path.of(ended.out().strip(), "libcuda.so.1")) : fail(ended.err());
    }

    /** One that is built already. */
    static FakeCuda of(String file) {
        return new FakeCuda(Path.of(file));
    }

    /** The library, as the loader takes it. */
    public String file() {
        return file.toString();
    }

    /** Calls of a function since the last script, under its exported name. */
    public long calls(String function) throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            return (long) handle("fake_calls", FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.ADDRESS))
                    .invokeExact(arena.allocateFrom(function));
        }
    }

    /** Everything anew, as a script has it. */
    public void reset(String script) throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment problem = (MemorySegment) handle("fake_reset", TEXT).invokeExact(arena.allocateFrom(script));
            if (problem.address() != 0) {
                fail(problem.reinterpret(1024).getString(0));
            }
        }
    }

    /** The driver as a script makes it. */
    CudaDriver start(String script) throws Throwable {
        reset(script);
        return switch (CudaDriver.find(Map.of(CudaDriver.VARIABLE, file.toString()))) {
            case Availability.Available<CudaDriver>(CudaDriver driver) -> driver;
            case Availability.Unavailable<CudaDriver> none -> fail(none.text());
        };
    }

    MethodHandle handle(String function, FunctionDescriptor type) {
        return Linker.nativeLinker().downcallHandle(library.symbol(function).orElseThrow(), type);
    }
}
