package dev.panamark.fake;

import static org.junit.jupiter.api.Assertions.fail;

import dev.panamark.driver.compile.Subprocess;
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

/** A fake driver of native-build/fakes, loaded; what it is steered by is in its fake.h. */
@SuppressWarnings("restricted")
final class FakeLibrary {
    private static final FunctionDescriptor TEXT = FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.ADDRESS);

    private final Path file;
    private final SharedLibrary library;

    /** One that is built already. */
    FakeLibrary(Path file) {
        this.file = file;
        this.library = SharedLibrary.open(file.toString());
    }

    /**
     * Builds and loads one; skips the test where there is no C compiler.
     *
     * @param arguments of the script that builds it
     * @param name of the library
     */
    static FakeLibrary build(List<String> arguments, String name) throws Exception {
        HostCompiler compiler = switch (HostCompiler.find(System.getenv())) {
            case Availability.Available<HostCompiler>(HostCompiler found) -> found;
            case Availability.Unavailable<HostCompiler> none ->
                Assumptions.abort("no C compiler on this machine: " + none.text());
        };
        Map<String, String> env = new HashMap<>(System.getenv());
        env.put("CC", compiler.path().toString());
        env.put("PANAMARK_FAKES", Path.of("target/fakes").toAbsolutePath().toString());
        return new FakeLibrary(Path.of(run("build", arguments, env).strip(), name));
    }

    /** What a script of native-build/fakes prints; fails where it fails. */
    static String run(String script, List<String> arguments, Map<String, String> env) throws Exception {
        List<String> command = new ArrayList<>(List.of(Path.of("../native-build/fakes")
                .toAbsolutePath()
                .resolve(script)
                .toString()));
        command.addAll(arguments);
        Subprocess.Ended ended = new Subprocess(env, Duration.ofMinutes(2))
                .run(command, Path.of("").toAbsolutePath(), "");
        return ended.ok() ? ended.out() : fail(ended.err());
    }

    /** As the loader takes it. */
    String file() {
        return file.toString();
    }

    /** Calls of a function since the last script, under its exported name. */
    long calls(String function) throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            return (long) handle("fake_calls", FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.ADDRESS))
                    .invokeExact(arena.allocateFrom(function));
        }
    }

    /** Everything anew, as a script has it. */
    void reset(String script) throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment problem = (MemorySegment) handle("fake_reset", TEXT).invokeExact(arena.allocateFrom(script));
            if (problem.address() != 0) {
                fail(problem.reinterpret(1024).getString(0));
            }
        }
    }

    MethodHandle handle(String function, FunctionDescriptor type) {
        return Linker.nativeLinker().downcallHandle(library.symbol(function).orElseThrow(), type);
    }
}
