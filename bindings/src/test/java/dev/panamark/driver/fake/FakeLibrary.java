package dev.panamark.driver.fake;

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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;

/** One library of a fake driver and what it is steered by (native-build/fakes/fake.h). */
@SuppressWarnings("restricted")
public final class FakeLibrary {
    private final Path file;
    private final SharedLibrary library;

    private FakeLibrary(Path file) {
        this.file = file;
        this.library = SharedLibrary.open(file.toString());
    }

    /**
     * Builds and loads it; skips a test where it cannot be built.
     *
     * @param name of the library within the folder
     * @param arguments of native-build/fakes/build
     */
    public static FakeLibrary build(String name, String... arguments) {
        List<String> call = new ArrayList<>(List.of(script("build")));
        call.addAll(List.of(arguments));
        Map<String, String> env = Map.of(
                "CC",
                compiler(),
                "PANAMARK_FAKES",
                Path.of("target/fakes").toAbsolutePath().toString());
        return new FakeLibrary(Path.of(run(call, env), name));
    }

    /** The C compiler; skips a test where there is none. */
    public static String compiler() {
        return switch (HostCompiler.find(System.getenv())) {
            case Availability.Available<HostCompiler>(HostCompiler found) ->
                found.path().toString();
            case Availability.Unavailable<HostCompiler> none ->
                Assumptions.abort("no C compiler on this machine: " + none.text());
        };
    }

    /** A file of native-build/fakes. */
    public static String script(String name) {
        return Path.of("../native-build/fakes", name)
                .toAbsolutePath()
                .normalize()
                .toString();
    }

    /** Runs a script to its success; what it wrote. */
    public static String run(List<String> call, Map<String, String> more) {
        Map<String, String> env = new HashMap<>(System.getenv());
        env.putAll(more);
        try {
            Subprocess.Ended ended = new Subprocess(env, Duration.ofMinutes(2))
                    .run(call, Path.of("").toAbsolutePath(), "");
            return ended.ok() ? ended.out().strip() : fail(ended.err());
        } catch (IOException e) {
            return fail(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return fail(e);
        }
    }

    /** Where it lies. */
    public Path file() {
        return file;
    }

    /** A script in place of the last one. */
    public void reset(String script) {
        String problem = problem(script);
        if (!problem.isEmpty()) {
            fail(problem);
        }
    }

    /** What it says of a script; empty where it takes it. */
    public String problem(String script) {
        return text("fake_reset", script);
    }

    /** Further statements. */
    public void add(String statements) {
        String problem = more(statements);
        if (!problem.isEmpty()) {
            fail(problem);
        }
    }

    /** What it says of further statements; empty where it takes them. */
    public String more(String statements) {
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

    /** Nanoseconds on the virtual clock. */
    public long now() {
        return number("fake_now");
    }

    /** What was made and not given back. */
    public long open() {
        return number("fake_open");
    }

    /** What a function without parameters answers. */
    public long number(String function) {
        try {
            return (long) handle(function, FunctionDescriptor.of(ValueLayout.JAVA_LONG))
                    .invokeExact();
        } catch (Throwable t) {
            return fail(t);
        }
    }

    /** Lets time pass. */
    public void advance(long nanoseconds) {
        try {
            handle("fake_advance", FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG))
                    .invokeExact(nanoseconds);
        } catch (Throwable t) {
            fail(t);
        }
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

    /** A function of fake.h. */
    public MethodHandle handle(String function, FunctionDescriptor type) {
        return Linker.nativeLinker().downcallHandle(library.symbol(function).orElseThrow(), type);
    }

    /** Sets a variable of the process's environment, which C reads and Java does not; empty takes it away. */
    public static void environment(String name, String value) {
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
}
