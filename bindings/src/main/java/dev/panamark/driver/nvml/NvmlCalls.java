package dev.panamark.driver.nvml;

import dev.panamark.ffi.Availability;
import dev.panamark.ffi.SharedLibrary;
import dev.panamark.raw.nvml.PFN_nvmlErrorString;
import dev.panamark.raw.nvml.PFN_nvmlSystemGetDriverVersion;
import dev.panamark.raw.nvml.nvml_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The functions of one library, looked up when they are first called, and what their statuses mean. */
final class NvmlCalls {
    private final SharedLibrary library;

    private final Map<NvmlFunction, MemorySegment> addresses = new ConcurrentHashMap<>();

    NvmlCalls(SharedLibrary library) {
        this.library = library;
    }

    String file() {
        return library.file();
    }

    /** Where a function is, for the invokers of the raw layer. */
    MemorySegment address(NvmlFunction function) {
        MemorySegment known = addresses.get(function);
        if (known != null) {
            return known;
        }
        MemorySegment found =
                find(function).orElseThrow(() -> new MissingNvmlFunctionException(function, missing(function)));
        addresses.put(function, found);
        return found;
    }

    /** Whether the library has a function. */
    Availability<NvmlFunction> availability(NvmlFunction function) {
        return find(function).isPresent()
                ? Availability.of(function)
                : Availability.missing(missing(function), "Install a newer driver");
    }

    private Optional<MemorySegment> find(NvmlFunction function) {
        return function.symbols().stream()
                .flatMap(symbol -> library.symbol(symbol).stream())
                .findFirst();
    }

    private String missing(NvmlFunction function) {
        return "NVML of driver " + driver() + " (" + library.file() + ") has no " + function.documented();
    }

    private String driver() {
        Optional<MemorySegment> address = find(NvmlFunction.SYSTEM_GET_DRIVER_VERSION);
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
        Optional<MemorySegment> address = find(NvmlFunction.ERROR_STRING);
        if (address.isEmpty()) {
            return "";
        }
        MemorySegment characters = PFN_nvmlErrorString.invoke(address.get(), status);
        return characters.address() == 0 ? "" : characters.getString(0);
    }
}
