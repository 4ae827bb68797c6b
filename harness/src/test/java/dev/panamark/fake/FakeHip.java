package dev.panamark.fake;

import dev.panamark.driver.hip.HipDriver;
import dev.panamark.driver.hipcc.HipCompiler;
import dev.panamark.ffi.Availability;
import dev.panamark.worker.WorkerCommand;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;

/** The fake HIP runtime, loaded. A build of the kernels for the host runs what is launched. */
public final class FakeHip {
    private static final String NAME = "libamdhip64.so.6";

    private final FakeLibrary library;

    private FakeHip(FakeLibrary library) {
        this.library = library;
    }

    /** Builds and loads it; skips the test where there is no C compiler. */
    public static FakeHip load() throws Exception {
        return new FakeHip(FakeLibrary.build(List.of("hip"), NAME));
    }

    /** That of a release of HIP, 50200000 for 5.2. */
    static FakeHip load(int release) throws Exception {
        return new FakeHip(FakeLibrary.build(List.of("hip", Integer.toString(release)), NAME));
    }

    /** What makes code objects; skips the test where nothing does. */
    public static HipCompiler requireCompiler() {
        return switch (HipCompiler.find(System.getenv())) {
            case Availability.Available<HipCompiler>(HipCompiler found) -> found;
            case Availability.Unavailable<HipCompiler> none ->
                Assumptions.abort("no compiler of HIP on this machine: " + none.text());
        };
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

    /**
     * A build of a HIP source for the host.
     *
     * @param kernels of it that are launched
     */
    public static Path host(Path source, String... kernels) throws Exception {
        Path made = source.resolveSibling("host.so");
        List<String> arguments = new ArrayList<>(List.of(made.toString(), source.toString()));
        arguments.addAll(List.of(kernels));
        FakeLibrary.run("hip/build-host", arguments, System.getenv());
        return made;
    }

    /** Workers of a runtime that a script makes. */
    public WorkerCommand worker(String script, Map<String, String> more) {
        return (folder, socket) -> {
            List<String> line = new ArrayList<>(
                    List.of("env", HipDriver.VARIABLE + "=" + file(), "PANAMARK_FAKE_SCRIPT=" + script));
            more.forEach((name, value) -> line.add(name + "=" + value));
            line.addAll(WorkerCommand.usual().line(folder, socket));
            return line;
        };
    }
}
