package dev.panamark.driver.rocmsmi;

import dev.panamark.ffi.SharedLibrary;
import dev.panamark.raw.rocmsmi.PFN_rsmi_status_string;
import dev.panamark.raw.rocmsmi.rocmsmi_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The functions of one library, looked up when they are first called, and what their statuses mean. */
final class RocmSmiCalls {
    private final SharedLibrary library;
    private final Map<RocmSmiFunction, MemorySegment> addresses = new ConcurrentHashMap<>();

    RocmSmiCalls(SharedLibrary library) {
        this.library = library;
    }

    String file() {
        return library.file();
    }

    /** Whether the library has a function. */
    boolean has(RocmSmiFunction function) {
        return library.symbol(function.symbol()).isPresent();
    }

    /** Where a function is, for the invokers of the raw layer. */
    MemorySegment address(RocmSmiFunction function) {
        MemorySegment known = addresses.get(function);
        if (known != null) {
            return known;
        }
        MemorySegment found = library.symbol(function.symbol())
                .orElseThrow(() -> new RocmSmiUnavailableException(
                        library.file() + " has no " + function.symbol() + ": another version of ROCm may"));
        addresses.put(function, found);
        return found;
    }

    /** Throws where the status is not success. */
    void check(RocmSmiFunction function, int status, String details) {
        if (status != rocmsmi_h.RSMI_STATUS_SUCCESS()) {
            throw failure(function, status, details);
        }
    }

    /** The exception of a status, with what the call was about. */
    RocmSmiException failure(RocmSmiFunction function, int status, String details) {
        return new RocmSmiException(
                function.symbol(), status, words(status).orElse("the library has no words for it"), details);
    }

    /** The library's text for a status, which it also tells before it is initialized. */
    private Optional<String> words(int status) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocate(rocmsmi_h.C_POINTER);
            int told = PFN_rsmi_status_string.invoke(address(RocmSmiFunction.STATUS_STRING), status, text);
            MemorySegment characters = text.get(rocmsmi_h.C_POINTER, 0);
            return told == rocmsmi_h.RSMI_STATUS_SUCCESS() && characters.address() != 0
                    ? Optional.of(characters.getString(0))
                    : Optional.empty();
        } catch (RocmSmiUnavailableException e) {
            return Optional.empty();
        }
    }
}
