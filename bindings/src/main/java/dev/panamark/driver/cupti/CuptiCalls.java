package dev.panamark.driver.cupti;

import dev.panamark.ffi.Availability;
import dev.panamark.ffi.LibraryFunctions;
import dev.panamark.ffi.SharedLibrary;
import dev.panamark.raw.cupti.CUpti_Profiler_Initialize_Params;
import dev.panamark.raw.cupti.PFN_cuptiGetResultString;
import dev.panamark.raw.cupti.PFN_cuptiGetVersion;
import dev.panamark.raw.cupti.PFN_cuptiProfilerInitialize;
import dev.panamark.raw.cupti.cupti_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The functions of one library, looked up when they are first called, and what their statuses mean. */
final class CuptiCalls {
    /** As the manual of CUPTI says of its range profiling API. */
    private static final String SINCE = "CUDA 12.6 Update 2";

    /** Of images, as cupti_profiler_target.h asks of one that takes a configuration. */
    static final long IMAGE_ALIGNMENT = 8;

    private final LibraryFunctions<CuptiFunction> functions;

    CuptiCalls(SharedLibrary library) {
        this.functions = new LibraryFunctions<>(
                library,
                function -> List.of(function.symbol()),
                function -> new MissingCuptiFunctionException(function, missing(function)));
    }

    String file() {
        return functions.file();
    }

    /** Whether the library has a function. */
    Availability<CuptiFunction> availability(CuptiFunction function) {
        return functions.find(function).isPresent()
                ? Availability.of(function)
                : Availability.missing(
                        missing(function),
                        "Install CUPTI of " + SINCE + " or newer, of a CUDA release that the driver serves, or set "
                                + Cupti.VARIABLE + " to its libcupti.so");
    }

    private MemorySegment address(CuptiFunction function) {
        return functions.address(function);
    }

    private String missing(CuptiFunction function) {
        return "CUPTI " + versionOrNone() + " (" + functions.file() + ") has no " + function.symbol()
                + ", which came with " + SINCE;
    }

    private String versionOrNone() {
        try {
            return version().toString();
        } catch (CuptiException e) {
            return "of unknown version";
        }
    }

    /** The API version ({@code cuptiGetVersion}, cupti_version.h). */
    CuptiVersion version() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment number = arena.allocate(cupti_h.C_INT);
            check(
                    CuptiFunction.GET_VERSION,
                    PFN_cuptiGetVersion.invoke(address(CuptiFunction.GET_VERSION), number),
                    "");
            return new CuptiVersion(number.get(cupti_h.C_INT, 0));
        }
    }

    /** The structure of a function, all zero but for its size. */
    static MemorySegment parameters(CuptiFunction function, Arena arena) {
        MemorySegment parameters = arena.allocate(function.layout());
        // All structures begin with it.
        CUpti_Profiler_Initialize_Params.structSize(parameters, function.size());
        return parameters;
    }

    /** Calls a function that takes a structure. */
    int status(CuptiFunction function, MemorySegment parameters) {
        // All of them have the same parameters.
        return PFN_cuptiProfilerInitialize.invoke(address(function), parameters);
    }

    /** Calls a function that takes a structure; throws where its status is not success. */
    void call(CuptiFunction function, MemorySegment parameters, String about) {
        check(function, status(function, parameters), about);
    }

    /** Throws where the status is not success. */
    private void check(CuptiFunction function, int status, String about) {
        if (status != cupti_h.CUPTI_SUCCESS()) {
            throw failure(function, status, about);
        }
    }

    /** The exception of a status, with what the call was about. */
    CuptiException failure(CuptiFunction function, int status, String about) {
        String name = text(CuptiFunction.GET_RESULT_STRING, status);
        String words = text(CuptiFunction.GET_ERROR_MESSAGE, status);
        return new CuptiException(
                function.symbol(),
                status,
                name.isEmpty() ? "an unknown status" : name,
                words.equals(name) ? "" : words,
                about);
    }

    /** The library's text for a status; empty where it knows none. */
    private String text(CuptiFunction function, int status) {
        Optional<MemorySegment> address = functions.find(function);
        if (address.isEmpty()) {
            return "";
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocate(cupti_h.C_POINTER);
            // Both functions have the same parameters.
            int known = PFN_cuptiGetResultString.invoke(address.get(), status, text);
            MemorySegment characters = text.get(cupti_h.C_POINTER, 0);
            return known != cupti_h.CUPTI_SUCCESS() || characters.address() == 0
                    ? ""
                    : characters.getString(0).strip();
        }
    }

    /** An array of pointers to texts. */
    static MemorySegment texts(List<String> texts, Arena arena) {
        MemorySegment pointers = arena.allocate(cupti_h.C_POINTER, texts.size());
        for (int i = 0; i < texts.size(); i++) {
            pointers.setAtIndex(cupti_h.C_POINTER, i, arena.allocateFrom(texts.get(i)));
        }
        return pointers;
    }

    /** Texts that CUPTI has an array of pointers to. */
    static List<String> texts(MemorySegment pointers, long count) {
        List<String> texts = new ArrayList<>();
        for (long i = 0; i < count; i++) {
            texts.add(pointers.getAtIndex(cupti_h.C_POINTER, i).getString(0));
        }
        return List.copyOf(texts);
    }
}
