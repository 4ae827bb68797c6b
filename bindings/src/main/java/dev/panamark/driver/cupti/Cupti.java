package dev.panamark.driver.cupti;

import dev.panamark.driver.cuda.CudaContext;
import dev.panamark.ffi.Availability;
import dev.panamark.ffi.LibrarySearch;
import dev.panamark.ffi.SharedLibrary;
import dev.panamark.raw.cupti.CUpti_Profiler_Host_GetSupportedChips_Params;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** NVIDIA's library for hardware counters, loaded. Stays loaded for as long as the process runs. */
public final class Cupti {
    /** The environment variable that names another library. */
    public static final String VARIABLE = "PANAMARK_CUPTI";

    private static final String REMEDY =
            "Install CUPTI of a CUDA release that the driver serves; the toolkit brings it (Debian, Ubuntu with NVIDIA's "
                    + "repository: apt-get install cuda-cupti-13-0), and so does pip install nvidia-cuda-cupti, of which "
                    + VARIABLE + " must name the libcupti.so.13 or .12";

    private final CuptiCalls calls;

    private Cupti(CuptiCalls calls) {
        this.calls = calls;
    }

    /**
     * Loads the library that {@link #VARIABLE} names, otherwise {@code libcupti.so.13} or {@code .12} where the loader finds
     * it, {@code $CUDA_HOME} or {@code /usr/local/cuda} have it. Needs neither a GPU nor a driver.
     *
     * @return why not, and what to do, where there is none
     */
    public static Availability<Cupti> find(Map<String, String> env) {
        LibrarySearch usual = new LibrarySearch(CuptiPlaces.usual(env, Path.of("/")), REMEDY);
        return switch (usual.chosenBy(VARIABLE, env).open()) {
            case Availability.Available<SharedLibrary>(SharedLibrary library) -> of(library);
            case Availability.Unavailable<SharedLibrary> none -> none.as();
        };
    }

    private static Availability<Cupti> of(SharedLibrary library) {
        CuptiCalls calls = new CuptiCalls(library);
        return library.symbol(CuptiFunction.GET_VERSION.symbol()).isPresent()
                ? Availability.of(new Cupti(calls))
                : Availability.missing(library.file() + " has no cuptiGetVersion, so it is no CUPTI", REMEDY);
    }

    /** Where the library lies. */
    public String file() {
        return calls.file();
    }

    /** Its version ({@code cuptiGetVersion}, cupti_version.h). */
    public CuptiVersion version() {
        return calls.version();
    }

    /** Whether the library has a function; otherwise why not. */
    public Availability<CuptiFunction> has(CuptiFunction function) {
        return calls.availability(function);
    }

    /** Chips whose metrics it knows, {@code GH100} ({@code cuptiProfilerHostGetSupportedChips}, cupti_profiler_host.h). */
    public List<String> chips() {
        CuptiFunction function = CuptiFunction.HOST_GET_SUPPORTED_CHIPS;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment parameters = CuptiCalls.parameters(function, arena);
            calls.call(function, parameters, "");
            return CuptiCalls.texts(
                    CUpti_Profiler_Host_GetSupportedChips_Params.ppChipNames(parameters),
                    CUpti_Profiler_Host_GetSupportedChips_Params.numChips(parameters));
        }
    }

    /**
     * What it knows of a chip, whether this machine has one or not.
     *
     * @param chip in capitals, {@code GH100}
     * @throws CuptiException where it does not know the chip
     */
    public CuptiHost host(String chip) {
        return host(chip, MemorySegment.NULL);
    }

    /**
     * What it knows of a chip, as far as a context has the counters.
     *
     * @param chip as {@link RangeProfiler#chip()} tells
     * @param availability what {@link RangeProfiler#counterAvailability()} told; chips that are newer than this CUPTI need it
     */
    public CuptiHost host(String chip, MemorySegment availability) {
        return new CuptiHost(calls, chip, availability);
    }

    /**
     * The profiler of a context ({@code cuptiProfilerInitialize}, cupti_profiler_target.h), which is closed before the context
     * is.
     *
     * @param context is current on the calling thread
     * @throws CuptiException where CUPTI does not reach the driver
     */
    public RangeProfiler profiler(CudaContext context) {
        return RangeProfiler.of(calls, context);
    }
}
