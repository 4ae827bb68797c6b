package dev.panamark.driver.cuda;

import dev.panamark.ffi.Availability;
import dev.panamark.ffi.LibraryFunctions;
import dev.panamark.ffi.SharedLibrary;
import dev.panamark.raw.cuda.PFN_cuDriverGetVersion;
import dev.panamark.raw.cuda.PFN_cuGetErrorName;
import dev.panamark.raw.cuda.cuda_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** The functions of one driver library, looked up when they are first called, and what their statuses mean. */
final class CudaCalls {
    private final LibraryFunctions<CudaFunction> functions;

    CudaCalls(SharedLibrary library) {
        this.functions = new LibraryFunctions<>(
                library,
                CudaFunction::symbols,
                function -> new MissingCudaFunctionException(function, missing(function)));
    }

    String file() {
        return functions.file();
    }

    /** Where a function is, for the invokers of the raw layer. */
    MemorySegment address(CudaFunction function) {
        return functions.address(function);
    }

    /** Whether the driver has a function. */
    Availability<CudaFunction> availability(CudaFunction function) {
        return functions.find(function).isPresent()
                ? Availability.of(function)
                : Availability.missing(missing(function), "Install a driver of CUDA " + function.since() + " or newer");
    }

    private String missing(CudaFunction function) {
        return "the CUDA driver " + version() + " (" + functions.file() + ") has no " + function.documented()
                + ", which came with CUDA " + function.since();
    }

    private String version() {
        Optional<MemorySegment> address = functions.find(CudaFunction.DRIVER_GET_VERSION);
        if (address.isEmpty()) {
            return "of unknown version";
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment number = arena.allocate(cuda_h.C_INT);
            return PFN_cuDriverGetVersion.invoke(address.get(), number) == cuda_h.CUDA_SUCCESS()
                    ? CudaVersion.of(number.get(cuda_h.C_INT, 0)).toString()
                    : "of unknown version";
        }
    }

    /** Throws where the status is not success. */
    void check(CudaFunction function, int status) {
        if (status != 0) {
            throw failure(function, status, "");
        }
    }

    /** The exception of a status, with what the call was about. */
    CudaException failure(CudaFunction function, int status, String details) {
        String name = text(CudaFunction.GET_ERROR_NAME, status);
        String words = text(CudaFunction.GET_ERROR_STRING, status);
        return new CudaException(
                function.documented(),
                status,
                name.isEmpty() ? "an unknown status" : name,
                words.isEmpty() ? "the driver has no words for it" : words,
                details);
    }

    /** The driver's text for a status, which needs neither a context nor a device; empty where it knows none. */
    private String text(CudaFunction function, int status) {
        Optional<MemorySegment> address = functions.find(function);
        if (address.isEmpty()) {
            return "";
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocate(cuda_h.C_POINTER);
            // Both functions have the same parameters.
            int known = PFN_cuGetErrorName.invoke(address.get(), status, text);
            MemorySegment characters = text.get(cuda_h.C_POINTER, 0);
            return known != cuda_h.CUDA_SUCCESS() || characters.address() == 0 ? "" : characters.getString(0);
        }
    }
}
