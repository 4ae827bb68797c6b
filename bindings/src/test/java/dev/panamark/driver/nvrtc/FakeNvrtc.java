package dev.panamark.driver.nvrtc;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.panamark.driver.compile.Subprocess;
import dev.panamark.driver.host.HostCompiler;
import dev.panamark.ffi.Availability;
import dev.panamark.ffi.SharedLibrary;
import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;

/** A fake of the library (native-build/fakes/nvrtc), built for one test, which is skipped where it cannot be built. */
@SuppressWarnings("restricted")
record FakeNvrtc(Path file) {
    static final Path SOURCE = Path.of("../native-build/fakes/nvrtc/nvrtc.c").toAbsolutePath();

    /** With a name that the loader has not loaded yet, so that counts begin at 0. */
    static FakeNvrtc build(Path folder, String... defines) throws IOException, InterruptedException {
        Path file = Files.createTempDirectory(folder, "nvrtc").resolve("libnvrtc.so.12");
        List<String> call = new ArrayList<>(List.of(compiler(), "-std=gnu11", "-O1", "-fPIC", "-shared"));
        call.addAll(List.of(defines));
        call.addAll(List.of("-o", file.toString(), SOURCE.toString()));
        Subprocess.Ended ended = new Subprocess(System.getenv(), Duration.ofMinutes(1)).run(call, folder, "");
        assertTrue(ended.ok(), ended.err());
        return new FakeNvrtc(file);
    }

    static String compiler() {
        return switch (HostCompiler.find(System.getenv())) {
            case Availability.Available<HostCompiler>(HostCompiler found) ->
                found.path().toString();
            case Availability.Unavailable<HostCompiler> none ->
                Assumptions.abort("no C compiler on this machine: " + none.text());
        };
    }

    Availability<Nvrtc> find() {
        return Nvrtc.find(Map.of(Nvrtc.VARIABLE, file.toString()));
    }

    Nvrtc open() {
        return switch (find()) {
            case Availability.Available<Nvrtc>(Nvrtc found) -> found;
            case Availability.Unavailable<Nvrtc> none -> fail(none.text());
        };
    }

    String whyNot() {
        return switch (find()) {
            case Availability.Available<Nvrtc>(Nvrtc found) -> fail("there is " + found.file());
            case Availability.Unavailable<Nvrtc> none -> none.reasons().getFirst();
        };
    }

    /** Calls of nvrtcCompileProgram. */
    long compilations() {
        return number("fake_compilations");
    }

    /** Programs that were created and not destroyed. */
    long programs() {
        return number("fake_open");
    }

    private long number(String function) {
        try {
            return (long) Linker.nativeLinker()
                    .downcallHandle(
                            SharedLibrary.open(file.toString()).symbol(function).orElseThrow(),
                            FunctionDescriptor.of(ValueLayout.JAVA_LONG))
                    .invokeExact();
        } catch (Throwable t) {
            return fail(t);
        }
    }
}
