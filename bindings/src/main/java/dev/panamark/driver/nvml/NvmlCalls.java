package dev.panamark.driver.nvml;

import dev.panamark.ffi.Availability;
import dev.panamark.ffi.LibraryFunctions;
import dev.panamark.ffi.SharedLibrary;
import dev.panamark.raw.nvml.PFN_nvmlErrorString;
import dev.panamark.raw.nvml.PFN_nvmlSystemGetDriverVersion;
import dev.panamark.raw.nvml.nvml_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** The functions of one library, looked up when they are first called, and what their statuses mean. */
final class NvmlCalls {
    private final LibraryFunctions<NvmlFunction> functions;

    NvmlCalls(SharedLibrary library) {
        this.functions = new LibraryFunctions<>(
                library,
                NvmlFunction::symbols,
                function -> new MissingNvmlFunctionException(function, missing(function)));
    }

    String file() {
        return functions.file();
    }

    /** Where a function is, for the invokers of the raw layer. */
    MemorySegment address(NvmlFunction function) {
        return functions.address(function);
    }

    /** Whether the library has a function. */
    Availability<NvmlFunction> availability(NvmlFunction function) {
        return functions.find(function).isPresent()
                ? Availability.of(function)
                : Availability.missing(missing(function), "Install a newer driver");
    }

    private String missing(NvmlFunction function) {
        return "NVML of driver " + driver() + " (" + functions.file() + ") has no " + function.documented();
    }

    private String driver() {
        Optional<MemorySegment> address = functions.find(NvmlFunction.SYSTEM_GET_DRIVER_VERSION);
        if (address.isEmpty()) {
            return "of unknown version";
        }
        try (Arena arena = Arena.ofConfined()) {
            int room = nvml_h.NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE();
            MemorySegment text = arena.allocate(room);
            return PFN_nvmlSystemGetDriverVersion.invoke(address.get(), text, room) == nvml_h.NVML_SUCCESS()
                    ? text.getString(0)
                    : "of unknown version";
        }
    }

    /** Throws where the status is not success. */
    void check(NvmlFunction function, int status) {
        if (status != 0) {
            throw failure(function, status, "");
        }
    }

    /** The exception of a status, with what the call was about. */
    NvmlException failure(NvmlFunction function, int status, String details) {
        String words = text(status);
        return new NvmlException(
                function.documented(),
                status,
                NvmlStatus.name(status),
                words.isEmpty() ? "the library has no words for it" : words,
                details);
    }

    /** The library's text for a status, which it also tells before it is initialized; empty where it knows none. */
    private String text(int status) {
        Optional<MemorySegment> address = functions.find(NvmlFunction.ERROR_STRING);
        if (address.isEmpty()) {
            return "";
        }
        MemorySegment characters = PFN_nvmlErrorString.invoke(address.get(), status);
        return characters.address() == 0 ? "" : characters.getString(0);
    }
}
