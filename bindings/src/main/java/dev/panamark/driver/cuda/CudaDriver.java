package dev.panamark.driver.cuda;

import dev.panamark.ffi.Availability;
import dev.panamark.ffi.LibrarySearch;
import dev.panamark.ffi.LibrarySearch.Candidate;
import dev.panamark.ffi.SharedLibrary;
import dev.panamark.raw.cuda.PFN_cuDeviceGet;
import dev.panamark.raw.cuda.PFN_cuDeviceGetCount;
import dev.panamark.raw.cuda.PFN_cuDriverGetVersion;
import dev.panamark.raw.cuda.PFN_cuInit;
import dev.panamark.raw.cuda.cuda_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;

/** The CUDA driver of this machine, loaded and initialized. Stays loaded for as long as the process runs. */
public final class CudaDriver {
    /** The environment variable that names another library. */
    public static final String VARIABLE = "PANAMARK_CUDA_DRIVER";

    private static final LibrarySearch USUAL = new LibrarySearch(
            List.of(
                    Candidate.of("libcuda.so.1"),
                    Candidate.of("/usr/lib/wsl/lib/libcuda.so.1"),
                    Candidate.of("/usr/local/nvidia/lib64/libcuda.so.1"),
                    Candidate.of("/run/opengl-driver/lib/libcuda.so.1")),
            "Install NVIDIA's driver (https://www.nvidia.com/drivers; the CUDA toolkit does not bring it), start containers "
                    + "with access to GPUs (docker run --gpus all), or set " + VARIABLE + " to its libcuda.so.1");

    private final CudaCalls calls;

    private CudaDriver(CudaCalls calls) {
        this.calls = calls;
    }

    /**
     * Loads the driver and initializes it ({@code cuInit}): the library that {@link #VARIABLE} names, otherwise
     * {@code libcuda.so.1} where the loader finds it, WSL, Kubernetes and NixOS have it.
     *
     * @return why not, and what to do, where there is none, where it finds no device, or where it fails
     */
    public static Availability<CudaDriver> find(Map<String, String> env) {
        return switch (USUAL.chosenBy(VARIABLE, env).open()) {
            case Availability.Available<SharedLibrary>(SharedLibrary library) -> initialized(library);
            case Availability.Unavailable<SharedLibrary> none -> none.as();
        };
    }

    private static Availability<CudaDriver> initialized(SharedLibrary library) {
        CudaCalls calls = new CudaCalls(library);
        if (library.symbol("cuInit").isEmpty()) {
            return Availability.missing(
                    library.file() + " has no cuInit, so it is no CUDA driver",
                    "Set " + VARIABLE + " to the driver's libcuda.so.1, or unset it to search the usual places");
        }
        int status = PFN_cuInit.invoke(calls.address(CudaFunction.INIT), 0);
        return status == cuda_h.CUDA_SUCCESS()
                ? Availability.of(new CudaDriver(calls))
                : Availability.missing(
                        library.file() + ": "
                                + calls.failure(CudaFunction.INIT, status, "").getMessage(),
                        InitRemedy.of(status));
    }

    /** Where the library lies. */
    public String file() {
        return calls.file();
    }

    /** Whether the driver has a function; otherwise why not. */
    public Availability<CudaFunction> has(CudaFunction function) {
        return calls.availability(function);
    }

    /** The newest release of CUDA that the driver serves ({@code cuDriverGetVersion}). */
    public CudaVersion version() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment number = arena.allocate(cuda_h.C_INT);
            calls.check(
                    CudaFunction.DRIVER_GET_VERSION,
                    PFN_cuDriverGetVersion.invoke(calls.address(CudaFunction.DRIVER_GET_VERSION), number));
            return CudaVersion.of(number.get(cuda_h.C_INT, 0));
        }
    }

    /** How many devices the process may use ({@code cuDeviceGetCount}). */
    public int deviceCount() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment count = arena.allocate(cuda_h.C_INT);
            calls.check(
                    CudaFunction.DEVICE_GET_COUNT,
                    PFN_cuDeviceGetCount.invoke(calls.address(CudaFunction.DEVICE_GET_COUNT), count));
            return count.get(cuda_h.C_INT, 0);
        }
    }

    /**
     * A device ({@code cuDeviceGet}).
     *
     * @param ordinal from 0 to {@link #deviceCount()} - 1
     */
    public CudaDevice device(int ordinal) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment device = arena.allocate(cuda_h.C_INT);
            int status = PFN_cuDeviceGet.invoke(calls.address(CudaFunction.DEVICE_GET), device, ordinal);
            if (status != cuda_h.CUDA_SUCCESS()) {
                throw calls.failure(CudaFunction.DEVICE_GET, status, "device " + ordinal + " was asked for");
            }
            return new CudaDevice(calls, ordinal, device.get(cuda_h.C_INT, 0));
        }
    }
}
