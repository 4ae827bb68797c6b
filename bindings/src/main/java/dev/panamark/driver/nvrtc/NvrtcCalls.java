package dev.panamark.driver.nvrtc;

import dev.panamark.ffi.Availability;
import dev.panamark.ffi.SharedLibrary;
import dev.panamark.raw.nvrtc.PFN_nvrtcGetErrorString;
import dev.panamark.raw.nvrtc.nvrtc_h;
import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.Map;

/** The functions of one library, all of them found, and what their statuses mean. */
final class NvrtcCalls {
    private final Map<NvrtcFunction, MemorySegment> addresses;

    private NvrtcCalls(Map<NvrtcFunction, MemorySegment> addresses) {
        this.addresses = addresses;
    }

    static Availability<NvrtcCalls> of(SharedLibrary library, String remedy) {
        Map<NvrtcFunction, MemorySegment> found = new EnumMap<>(NvrtcFunction.class);
        for (NvrtcFunction function : NvrtcFunction.values()) {
            library.symbol(function.symbol()).ifPresent(address -> found.put(function, address));
            if (!found.containsKey(function)) {
                return Availability.missing(
                        library.file() + " has no " + function.symbol() + ", so it is no NVRTC of CUDA 11.0 or newer",
                        remedy);
            }
        }
        return Availability.of(new NvrtcCalls(found));
    }

    /** Where a function is, for the invokers of the raw layer. */
    MemorySegment address(NvrtcFunction function) {
        return addresses.getOrDefault(function, MemorySegment.NULL);
    }

    /** Throws where the status is not success. */
    void check(NvrtcFunction function, int status) {
        if (status != nvrtc_h.NVRTC_SUCCESS()) {
            throw failure(function, status, "");
        }
    }

    /** The exception of a status, with what the compiler wrote. */
    NvrtcException failure(NvrtcFunction function, int status, String log) {
        MemorySegment text = PFN_nvrtcGetErrorString.invoke(address(NvrtcFunction.GET_ERROR_STRING), status);
        String name = text.address() == 0 ? "" : text.getString(0);
        return new NvrtcException(function.symbol(), status, name.isEmpty() ? "an unknown status" : name, log);
    }
}
