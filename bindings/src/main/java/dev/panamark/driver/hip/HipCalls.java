package dev.panamark.driver.hip;

import dev.panamark.ffi.Availability;
import dev.panamark.ffi.LibraryFunctions;
import dev.panamark.ffi.SharedLibrary;
import dev.panamark.raw.hip.PFN_hipGetErrorName;
import dev.panamark.raw.hip.PFN_hipRuntimeGetVersion;
import dev.panamark.raw.hip.hip_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** The functions of one library, looked up when they are first called, and what their statuses mean. */
final class HipCalls {
    /** The library's name for every number that it has no name for. */
    private static final String UNKNOWN = "hipErrorUnknown";

    private static final int UNKNOWN_CODE = 999;

    private final LibraryFunctions<HipFunction> functions;

    HipCalls(SharedLibrary library) {
        this.functions = new LibraryFunctions<>(
                library,
                function -> List.of(function.symbol()),
                function -> new MissingHipFunctionException(function, missing(function) + ". " + remedy(function)));
    }

    /** A call that writes what it answers. */
    @FunctionalInterface
    interface Answering {
        /**
         * Calls it.
         *
         * @param address of the function
         * @param out where it is to write
         * @return its status
         */
        int call(MemorySegment address, MemorySegment out);
    }

    String file() {
        return functions.file();
    }

    /** Where a function is, for the invokers of the raw layer. */
    MemorySegment address(HipFunction function) {
        return functions.address(function);
    }

    /** Whether the library has a function. */
    Availability<HipFunction> availability(HipFunction function) {
        return functions.find(function).isPresent()
                ? Availability.of(function)
                : Availability.missing(missing(function), remedy(function));
    }

    private String missing(HipFunction function) {
        return "HIP " + version() + " (" + functions.file() + ") has no " + function.symbol() + ", which came with HIP "
                + function.since();
    }

    private static String remedy(HipFunction function) {
        return "Install ROCm " + function.since() + " or newer";
    }

    private String version() {
        Optional<MemorySegment> address = functions.find(HipFunction.RUNTIME_GET_VERSION);
        if (address.isEmpty()) {
            return "of unknown version";
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment number = arena.allocate(hip_h.C_INT);
            return PFN_hipRuntimeGetVersion.invoke(address.get(), number) == hip_h.hipSuccess()
                    ? HipVersion.of(number.get(hip_h.C_INT, 0)).toString()
                    : "of unknown version";
        }
    }

    /** An {@code int} that a function writes. */
    int integer(HipFunction function, Supplier<String> about, Answering call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(hip_h.C_INT);
            check(function, call.call(address(function), out), about);
            return out.get(hip_h.C_INT, 0);
        }
    }

    /** A pointer or a {@code size_t} that a function writes. */
    long word(HipFunction function, Supplier<String> about, Answering call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG);
            check(function, call.call(address(function), out), about);
            return out.get(ValueLayout.JAVA_LONG, 0);
        }
    }

    /** A handle that a function writes. */
    MemorySegment handle(HipFunction function, Supplier<String> about, Answering call) {
        return MemorySegment.ofAddress(word(function, about, call));
    }

    /** Text that a function writes, with its end. */
    String text(HipFunction function, int bytes, Answering call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(bytes);
            check(function, call.call(address(function), out));
            return out.getString(0);
        }
    }

    /** Two of {@code size_t} that a function writes. */
    long[] sizes(HipFunction function, Supplier<String> about, Answering call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG, 2);
            check(function, call.call(address(function), out), about);
            return out.toArray(ValueLayout.JAVA_LONG);
        }
    }

    /** Throws where the status is not success. */
    void check(HipFunction function, int status) {
        if (status != 0) {
            throw failure(function, status, "");
        }
    }

    /** Throws where the status is not success, with what the call was about. */
    void check(HipFunction function, int status, Supplier<String> about) {
        if (status != 0) {
            throw failure(function, status, about.get());
        }
    }

    /** The exception of a status, with what the call was about. */
    HipException failure(HipFunction function, int status, String details) {
        String name = words(HipFunction.GET_ERROR_NAME, status);
        boolean known = !name.isEmpty() && (status == UNKNOWN_CODE || !name.equals(UNKNOWN));
        String text = words(HipFunction.GET_ERROR_STRING, status);
        return new HipException(
                function.symbol(),
                status,
                known ? name : "an unknown status",
                known && !text.isEmpty() ? text : "the library has no words for it",
                details);
    }

    /** The library's text for a status, which needs no device; empty where it has none. */
    private String words(HipFunction function, int status) {
        Optional<MemorySegment> address = functions.find(function);
        if (address.isEmpty()) {
            return "";
        }
        // Both functions have the same parameter and result.
        MemorySegment characters = PFN_hipGetErrorName.invoke(address.get(), status);
        return characters.address() == 0 ? "" : characters.getString(0);
    }
}
