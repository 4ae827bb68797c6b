package dev.panamark.driver.hiprtc;

import dev.panamark.ffi.Availability;
import dev.panamark.ffi.LibraryFunctions;
import dev.panamark.ffi.LibrarySearch;
import dev.panamark.ffi.LibrarySearch.Candidate;
import dev.panamark.ffi.SharedLibrary;
import dev.panamark.raw.hiprtc.PFN_hiprtcCompileProgram;
import dev.panamark.raw.hiprtc.PFN_hiprtcCreateProgram;
import dev.panamark.raw.hiprtc.PFN_hiprtcDestroyProgram;
import dev.panamark.raw.hiprtc.PFN_hiprtcGetCode;
import dev.panamark.raw.hiprtc.PFN_hiprtcGetCodeSize;
import dev.panamark.raw.hiprtc.PFN_hiprtcGetErrorString;
import dev.panamark.raw.hiprtc.PFN_hiprtcGetProgramLog;
import dev.panamark.raw.hiprtc.PFN_hiprtcGetProgramLogSize;
import dev.panamark.raw.hiprtc.PFN_hiprtcVersion;
import dev.panamark.raw.hiprtc.hiprtc_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * AMD's compiler of HIP as a library, loaded. Stays loaded for as long as the process runs; may be used by several threads at
 * once. It needs no device where options name the target ({@code --offload-arch=gfx942}).
 */
public final class Hiprtc {
    /** The environment variable that names another library. */
    public static final String VARIABLE = "PANAMARK_HIPRTC";

    /** More is no answer of a compiler's. */
    private static final long LARGEST = 1L << 30;

    /** Up to 6.x the runtime's library has the functions too; from 7.0 on they are apart. */
    private static final LibrarySearch USUAL = new LibrarySearch(
            List.of(
                    Candidate.of("libhiprtc.so.7"),
                    Candidate.of("libhiprtc.so.6"),
                    Candidate.of("libhiprtc.so"),
                    Candidate.of("/opt/rocm/lib/libhiprtc.so"),
                    Candidate.of("libamdhip64.so.6"),
                    Candidate.of("libamdhip64.so.5"),
                    Candidate.of("/opt/rocm/lib/libamdhip64.so")),
            "Install ROCm (https://rocm.docs.amd.com), or set " + VARIABLE + " to its libhiprtc.so");

    private final LibraryFunctions<HiprtcFunction> functions;

    private Hiprtc(SharedLibrary library) {
        this.functions = new LibraryFunctions<>(
                library,
                function -> List.of(function.symbol()),
                function -> new IllegalStateException(library.file() + " has no " + function.symbol()));
    }

    /** A call that writes what it answers. */
    @FunctionalInterface
    private interface Answering {
        int call(MemorySegment address, MemorySegment out);
    }

    /**
     * Loads the library that {@link #VARIABLE} names, otherwise {@code libhiprtc.so.7}, {@code .6} or without a number, that
     * of {@code /opt/rocm}, and {@code libamdhip64.so.6} and {@code .5}, which had its functions.
     *
     * @return why not, and what to do, where there is none
     */
    public static Availability<Hiprtc> find(Map<String, String> env) {
        return switch (USUAL.chosenBy(VARIABLE, env).open()) {
            case Availability.Available<SharedLibrary>(SharedLibrary library) -> of(library);
            case Availability.Unavailable<SharedLibrary> none -> none.as();
        };
    }

    private static Availability<Hiprtc> of(SharedLibrary library) {
        Hiprtc hiprtc = new Hiprtc(library);
        for (HiprtcFunction function : HiprtcFunction.values()) {
            if (hiprtc.functions.find(function).isEmpty()) {
                return Availability.missing(
                        library.file() + " has no " + function.symbol() + ", so it is no hiprtc", USUAL.remedy());
            }
        }
        return Availability.of(hiprtc);
    }

    /** Where the library lies. */
    public String file() {
        return functions.file();
    }

    /** {@code hiprtc 9.0}: a version of its own ({@code hiprtcVersion}). */
    public String version() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment major = arena.allocate(hiprtc_h.C_INT);
            MemorySegment minor = arena.allocate(hiprtc_h.C_INT);
            check(HiprtcFunction.VERSION, PFN_hiprtcVersion.invoke(address(HiprtcFunction.VERSION), major, minor));
            return "hiprtc " + major.get(hiprtc_h.C_INT, 0) + "." + minor.get(hiprtc_h.C_INT, 0);
        }
    }

    /**
     * Compiles a program.
     *
     * @param source HIP
     * @param name its file, for messages
     * @param headers text by the name under which the source may include it
     * @param options in the words of clang, among them {@code --offload-arch=gfx942}
     * @throws HiprtcException where it does not compile, with the log
     */
    public HiprtcCode compile(String source, String name, Map<String, String> headers, List<String> options) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment handle = arena.allocate(hiprtc_h.C_POINTER);
            List<String> names = List.copyOf(headers.keySet());
            List<String> texts =
                    names.stream().map(n -> headers.getOrDefault(n, "")).toList();
            check(
                    HiprtcFunction.CREATE_PROGRAM,
                    PFN_hiprtcCreateProgram.invoke(
                            address(HiprtcFunction.CREATE_PROGRAM),
                            handle,
                            arena.allocateFrom(source),
                            arena.allocateFrom(name),
                            names.size(),
                            strings(arena, texts),
                            strings(arena, names)));
            HiprtcCode compiled;
            try {
                compiled = compiled(arena, handle.get(hiprtc_h.C_POINTER, 0), options);
            } catch (RuntimeException e) {
                // Whether it can be given back matters less than why it does not compile.
                PFN_hiprtcDestroyProgram.invoke(address(HiprtcFunction.DESTROY_PROGRAM), handle);
                throw e;
            }
            check(
                    HiprtcFunction.DESTROY_PROGRAM,
                    PFN_hiprtcDestroyProgram.invoke(address(HiprtcFunction.DESTROY_PROGRAM), handle));
            return compiled;
        }
    }

    private HiprtcCode compiled(Arena arena, MemorySegment program, List<String> options) {
        int status = PFN_hiprtcCompileProgram.invoke(
                address(HiprtcFunction.COMPILE_PROGRAM), program, options.size(), strings(arena, options));
        if (status != hiprtc_h.HIPRTC_SUCCESS()) {
            throw failure(HiprtcFunction.COMPILE_PROGRAM, status, logOfFailure(arena, program));
        }
        long size =
                size(arena, HiprtcFunction.GET_CODE_SIZE, (f, out) -> PFN_hiprtcGetCodeSize.invoke(f, program, out));
        MemorySegment code = arena.allocate(Math.max(1, size));
        check(HiprtcFunction.GET_CODE, PFN_hiprtcGetCode.invoke(address(HiprtcFunction.GET_CODE), program, code));
        return new HiprtcCode(code.asSlice(0, size).toArray(ValueLayout.JAVA_BYTE), log(arena, program));
    }

    /** The log, without a failure of its own, which would hide the one that it is about. */
    private String logOfFailure(Arena arena, MemorySegment program) {
        try {
            return log(arena, program);
        } catch (HiprtcException e) {
            return "(no log: " + e.getMessage() + ")";
        }
    }

    private String log(Arena arena, MemorySegment program) {
        long size = size(
                arena,
                HiprtcFunction.GET_PROGRAM_LOG_SIZE,
                (f, out) -> PFN_hiprtcGetProgramLogSize.invoke(f, program, out));
        MemorySegment text = arena.allocate(size + 1); // a zero ends it, whether the library counts one or not
        check(
                HiprtcFunction.GET_PROGRAM_LOG,
                PFN_hiprtcGetProgramLog.invoke(address(HiprtcFunction.GET_PROGRAM_LOG), program, text));
        return text.getString(0, StandardCharsets.UTF_8).strip();
    }

    private long size(Arena arena, HiprtcFunction function, Answering call) {
        MemorySegment size = arena.allocate(ValueLayout.JAVA_LONG);
        check(function, call.call(address(function), size));
        long bytes = size.get(ValueLayout.JAVA_LONG, 0);
        if (bytes < 0 || bytes > LARGEST) {
            throw new IllegalStateException(
                    function.symbol() + " gave " + Long.toUnsignedString(bytes) + " bytes; at most 2^30 are believed");
        }
        return bytes;
    }

    private static MemorySegment strings(Arena arena, List<String> texts) {
        List<MemorySegment> each = new ArrayList<>();
        texts.forEach(text -> each.add(arena.allocateFrom(text)));
        MemorySegment pointers = arena.allocate(hiprtc_h.C_POINTER, Math.max(1, each.size()));
        for (int i = 0; i < each.size(); i++) {
            pointers.setAtIndex(hiprtc_h.C_POINTER, i, each.get(i));
        }
        return pointers;
    }

    private MemorySegment address(HiprtcFunction function) {
        return functions.address(function);
    }

    private void check(HiprtcFunction function, int status) {
        if (status != hiprtc_h.HIPRTC_SUCCESS()) {
            throw failure(function, status, "");
        }
    }

    private HiprtcException failure(HiprtcFunction function, int status, String log) {
        MemorySegment text = PFN_hiprtcGetErrorString.invoke(address(HiprtcFunction.GET_ERROR_STRING), status);
        String name = text.address() == 0 ? "" : text.getString(0);
        return new HiprtcException(function.symbol(), status, name.isEmpty() ? "an unknown status" : name, log);
    }
}
