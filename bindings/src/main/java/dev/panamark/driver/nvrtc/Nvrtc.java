package dev.panamark.driver.nvrtc;

import dev.panamark.ffi.Availability;
import dev.panamark.ffi.LibrarySearch;
import dev.panamark.ffi.LoaderException;
import dev.panamark.ffi.SharedLibrary;
import dev.panamark.raw.nvrtc.PFN_nvrtcVersion;
import dev.panamark.raw.nvrtc.nvrtc_h;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * NVIDIA's compiler of CUDA C++ as a library, loaded. Stays loaded for as long as the process runs; may be used by several
 * threads at once.
 */
public final class Nvrtc {
    /** The environment variable that names another library. */
    public static final String VARIABLE = "PANAMARK_NVRTC";

    private static final String REMEDY =
            "Install NVRTC (pip install nvidia-cuda-nvrtc, where PyTorch brings it too; Debian, "
                    + "Ubuntu with NVIDIA's repository: apt-get install cuda-nvrtc-13-0), or set " + VARIABLE
                    + " to its libnvrtc.so.13, .12 or .11.2";

    private final NvrtcCalls calls;
    private final Path file;
    private final NvrtcVersion version;

    private Nvrtc(NvrtcCalls calls, Path file, NvrtcVersion version) {
        this.calls = calls;
        this.file = file;
        this.version = version;
    }

    /**
     * Loads the library that {@link #VARIABLE} names, otherwise that of {@code $CUDA_HOME} or {@code $CUDA_PATH}, the
     * newest that the loader finds, that of {@code /usr/local/cuda} or {@code /opt/cuda}, and that of the active
     * environment of Python or Conda ({@code $VIRTUAL_ENV}, {@code $CONDA_PREFIX}).
     *
     * @return why not, and what to do, where there is none of CUDA 11.0 or newer
     */
    public static Availability<Nvrtc> find(Map<String, String> env) {
        return find(env, Path.of("/"));
    }

    static Availability<Nvrtc> find(Map<String, String> env, Path root) {
        LibrarySearch usual = new LibrarySearch(NvrtcPlaces.usual(env, root), REMEDY);
        return switch (usual.chosenBy(VARIABLE, env).open()) {
            case Availability.Available<SharedLibrary>(SharedLibrary library) -> of(library);
            case Availability.Unavailable<SharedLibrary> none -> none.as();
        };
    }

    private static Availability<Nvrtc> of(SharedLibrary library) {
        return switch (NvrtcCalls.of(library, REMEDY)) {
            case Availability.Available<NvrtcCalls>(NvrtcCalls calls) -> of(library, calls);
            case Availability.Unavailable<NvrtcCalls> none -> none.as();
        };
    }

    private static Availability<Nvrtc> of(SharedLibrary library, NvrtcCalls calls) {
        NvrtcVersion version;
        try {
            version = version(calls);
        } catch (NvrtcException e) {
            return Availability.missing(library.file() + ": " + e.getMessage(), REMEDY);
        }
        if (!version.isKnown()) {
            return Availability.missing(
                    library.file() + " is NVRTC " + version + "; 11.0 or newer is needed, which knows Ampere", REMEDY);
        }
        Path file = Path.of(library.file()).toAbsolutePath();
        loadBuiltins(file, version);
        return Availability.of(new Nvrtc(calls, file, version));
    }

    private static NvrtcVersion version(NvrtcCalls calls) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment major = arena.allocate(nvrtc_h.C_INT);
            MemorySegment minor = arena.allocate(nvrtc_h.C_INT);
            calls.check(
                    NvrtcFunction.VERSION, PFN_nvrtcVersion.invoke(calls.address(NvrtcFunction.VERSION), major, minor));
            return new NvrtcVersion(major.get(nvrtc_h.C_INT, 0), minor.get(nvrtc_h.C_INT, 0));
        }
    }

    /**
     * NVRTC loads a second library by its name alone, which the loader finds only in its own places, or where it is loaded
     * already; so the one beside NVRTC is.
     */
    private static void loadBuiltins(Path file, NvrtcVersion version) {
        Path builtins = real(file).resolveSibling("libnvrtc-builtins.so." + version);
        if (Files.exists(builtins)) {
            try {
                SharedLibrary.open(builtins.toString());
            } catch (LoaderException e) {
                // The loader may have another one; where it has none, NVRTC says so of the first program.
            }
        }
    }

    private static Path real(Path file) {
        try {
            return file.toRealPath();
        } catch (IOException e) {
            return file;
        }
    }

    /** Where the library lies. */
    public Path file() {
        return file;
    }

    /** Its version. */
    public NvrtcVersion version() {
        return version;
    }

    /**
     * A program to compile; close it.
     *
     * @param source CUDA C++
     * @param name its file, from whose folder {@code #include "…"} starts
     * @param headers text by the name under which the source may include it
     * @throws NvrtcException where it cannot be made
     */
    public NvrtcProgram program(byte[] source, String name, Map<String, String> headers) {
        return NvrtcProgram.create(calls, source, name, headers);
    }
}
