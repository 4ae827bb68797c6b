package dev.panamark.driver.hip;

import dev.panamark.ffi.Availability;
import dev.panamark.ffi.LibrarySearch;
import dev.panamark.ffi.LibrarySearch.Candidate;
import dev.panamark.ffi.SharedLibrary;
import dev.panamark.raw.hip.PFN_hipDeviceGet;
import dev.panamark.raw.hip.PFN_hipGetDeviceCount;
import dev.panamark.raw.hip.PFN_hipInit;
import dev.panamark.raw.hip.PFN_hipRuntimeGetVersion;
import dev.panamark.raw.hip.hip_h;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** AMD's HIP runtime, loaded and initialized. Stays loaded for as long as the process runs. */
public final class HipDriver {
    /** The environment variable that names another library. */
    public static final String VARIABLE = "PANAMARK_HIP";

    private static final LibrarySearch USUAL = new LibrarySearch(
            List.of(
                    Candidate.of("libamdhip64.so.7"),
                    Candidate.of("libamdhip64.so.6"),
                    Candidate.of("libamdhip64.so.5"),
                    Candidate.of("libamdhip64.so"),
                    Candidate.of("/opt/rocm/lib/libamdhip64.so")),
            "Install ROCm (https://rocm.docs.amd.com; Debian, Ubuntu: apt-get install libamdhip64-5 has an old one), or set "
                    + VARIABLE + " to its libamdhip64.so");

    private final HipCalls calls;

    private HipDriver(HipCalls calls) {
        this.calls = calls;
    }

    /**
     * Loads the runtime and initializes it ({@code hipInit}): the library that {@link #VARIABLE} names, otherwise
     * {@code libamdhip64.so.7}, {@code .6}, {@code .5} or without a number where the loader finds it, and that of
     * {@code /opt/rocm}.
     *
     * @return why not, and what to do, where there is none, where it finds no device, or where it fails
     */
    public static Availability<HipDriver> find(Map<String, String> env) {
        return find(env, Path.of("/"));
    }

    static Availability<HipDriver> find(Map<String, String> env, Path root) {
        return switch (USUAL.chosenBy(VARIABLE, env).open()) {
            case Availability.Available<SharedLibrary>(SharedLibrary library) -> initialized(library, env, root);
            case Availability.Unavailable<SharedLibrary> none -> none.as();
        };
    }

    private static Availability<HipDriver> initialized(SharedLibrary library, Map<String, String> env, Path root) {
        HipCalls calls = new HipCalls(library);
        if (library.symbol(HipFunction.INIT.symbol()).isEmpty()) {
            return Availability.missing(
                    library.file() + " has no hipInit, so it is no HIP runtime",
                    "Set " + VARIABLE + " to ROCm's libamdhip64.so, or unset it to search the usual places");
        }
        HipDriver driver = new HipDriver(calls);
        try {
            calls.check(HipFunction.INIT, PFN_hipInit.invoke(calls.address(HipFunction.INIT), 0));
            driver.deviceCount();
            return Availability.of(driver);
        } catch (HipException e) {
            // 5.2.3 without a device ends hipInit with the second, and counts with the first.
            boolean noDevice = e.code() == hip_h.hipErrorNoDevice() || e.code() == hip_h.hipErrorInvalidDevice();
            String remedy = e.code() == hip_h.hipErrorInsufficientDriver()
                    ? "The kernel module amdgpu is older than this release of ROCm: update it, or use an older ROCm"
                    : noDevice ? DeviceRemedy.of(env, root) : "Check that rocminfo works for this user";
            return Availability.missing(library.file() + ": " + e.getMessage(), remedy);
        }
    }

    /** Where the library lies. */
    public String file() {
        return calls.file();
    }

    /** Whether the library has a function; otherwise why not. */
    public Availability<HipFunction> has(HipFunction function) {
        return calls.availability(function);
    }

    /** The release of the runtime ({@code hipRuntimeGetVersion}). */
    public HipVersion version() {
        return HipVersion.of(
                calls.integer(HipFunction.RUNTIME_GET_VERSION, () -> "", PFN_hipRuntimeGetVersion::invoke));
    }

    /** How many devices the process may use ({@code hipGetDeviceCount}). */
    public int deviceCount() {
        return calls.integer(HipFunction.GET_DEVICE_COUNT, () -> "", PFN_hipGetDeviceCount::invoke);
    }

    /**
     * A device ({@code hipDeviceGet}).
     *
     * @param ordinal from 0 to {@link #deviceCount()} - 1
     */
    public HipDevice device(int ordinal) {
        int handle = calls.integer(
                HipFunction.DEVICE_GET,
                () -> "device " + ordinal + " was asked for",
                (f, out) -> PFN_hipDeviceGet.invoke(f, out, ordinal));
        return new HipDevice(calls, ordinal, handle);
    }
}
