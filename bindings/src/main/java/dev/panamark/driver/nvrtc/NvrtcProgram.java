package dev.panamark.driver.nvrtc;

import dev.panamark.ffi.OwnedHandle;
import dev.panamark.raw.nvrtc.PFN_nvrtcCompileProgram;
import dev.panamark.raw.nvrtc.PFN_nvrtcCreateProgram;
import dev.panamark.raw.nvrtc.PFN_nvrtcDestroyProgram;
import dev.panamark.raw.nvrtc.PFN_nvrtcGetPTX;
import dev.panamark.raw.nvrtc.PFN_nvrtcGetPTXSize;
import dev.panamark.raw.nvrtc.PFN_nvrtcGetProgramLog;
import dev.panamark.raw.nvrtc.PFN_nvrtcGetProgramLogSize;
import dev.panamark.raw.nvrtc.nvrtc_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** One source in NVRTC. Used by one thread. */
public final class NvrtcProgram implements AutoCloseable {
    /** More is no answer of a compiler's. */
    private static final long LARGEST = 1L << 30;

    private final NvrtcCalls calls;
    private final MemorySegment program;
    private final OwnedHandle owned;

    private NvrtcProgram(NvrtcCalls calls, MemorySegment program) {
        this.calls = calls;
        this.program = program;
        this.owned = OwnedHandle.root("the program", () -> destroy(calls, program));
    }

    static NvrtcProgram create(NvrtcCalls calls, byte[] source, String name, Map<String, String> headers) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment handle = arena.allocate(nvrtc_h.C_POINTER);
            List<String> names = List.copyOf(headers.keySet());
            List<String> texts =
                    names.stream().map(n -> headers.getOrDefault(n, "")).toList();
            calls.check(
                    NvrtcFunction.CREATE_PROGRAM,
                    PFN_nvrtcCreateProgram.invoke(
                            calls.address(NvrtcFunction.CREATE_PROGRAM),
                            handle,
                            zeroEnded(arena, source),
                            arena.allocateFrom(name),
                            names.size(),
                            strings(arena, texts),
                            strings(arena, names)));
            return new NvrtcProgram(calls, handle.get(nvrtc_h.C_POINTER, 0));
        }
    }

    private static void destroy(NvrtcCalls calls, MemorySegment program) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment handle = arena.allocateFrom(nvrtc_h.C_POINTER, program);
            calls.check(
                    NvrtcFunction.DESTROY_PROGRAM,
                    PFN_nvrtcDestroyProgram.invoke(calls.address(NvrtcFunction.DESTROY_PROGRAM), handle));
        }
    }

    /**
     * Compiles it.
     *
     * @param options in NVRTC's words
     * @throws NvrtcException where it does not compile, with the log
     */
    public void compile(List<String> options) {
        owned.requireOpen();
        int status;
        try (Arena arena = Arena.ofConfined()) {
            status = PFN_nvrtcCompileProgram.invoke(
                    calls.address(NvrtcFunction.COMPILE_PROGRAM), program, options.size(), strings(arena, options));
        }
        if (status != nvrtc_h.NVRTC_SUCCESS()) {
            throw calls.failure(NvrtcFunction.COMPILE_PROGRAM, status, logOfFailure());
        }
    }

    /** The log, without a failure of its own, which would hide the one that it is about. */
    private String logOfFailure() {
        try {
            return log();
        } catch (NvrtcException e) {
            return "(no log: " + e.getMessage() + ")";
        }
    }

    /** What the compiler wrote of it, warnings among that; empty where it wrote nothing. */
    public String log() {
        owned.requireOpen();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment size = arena.allocate(ValueLayout.JAVA_LONG);
            calls.check(
                    NvrtcFunction.GET_PROGRAM_LOG_SIZE,
                    PFN_nvrtcGetProgramLogSize.invoke(
                            calls.address(NvrtcFunction.GET_PROGRAM_LOG_SIZE), program, size));
            MemorySegment log = room(arena, size, NvrtcFunction.GET_PROGRAM_LOG_SIZE);
            calls.check(
                    NvrtcFunction.GET_PROGRAM_LOG,
                    PFN_nvrtcGetProgramLog.invoke(calls.address(NvrtcFunction.GET_PROGRAM_LOG), program, log));
            return new String(untilZero(log), StandardCharsets.UTF_8).strip();
        }
    }

    /** Its PTX, text without a zero at its end, once it is compiled. */
    public byte[] ptx() {
        owned.requireOpen();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment size = arena.allocate(ValueLayout.JAVA_LONG);
            calls.check(
                    NvrtcFunction.GET_PTX_SIZE,
                    PFN_nvrtcGetPTXSize.invoke(calls.address(NvrtcFunction.GET_PTX_SIZE), program, size));
            MemorySegment text = room(arena, size, NvrtcFunction.GET_PTX_SIZE);
            calls.check(
                    NvrtcFunction.GET_PTX, PFN_nvrtcGetPTX.invoke(calls.address(NvrtcFunction.GET_PTX), program, text));
            return untilZero(text);
        }
    }

    /** Gives it back, once. */
    @Override
    public void close() {
        owned.close();
    }

    private static MemorySegment room(Arena arena, MemorySegment size, NvrtcFunction function) {
        long bytes = size.get(ValueLayout.JAVA_LONG, 0);
        if (bytes < 0 || bytes > LARGEST) {
            throw new IllegalStateException(
                    function.symbol() + " gave " + Long.toUnsignedString(bytes) + " bytes; at most 2^30 are believed");
        }
        return arena.allocate(Math.max(1, bytes));
    }

    /** NVRTC counts the zero at the end among the bytes. */
    private static byte[] untilZero(MemorySegment text) {
        byte[] bytes = text.toArray(ValueLayout.JAVA_BYTE);
        int end = 0;
        while (end < bytes.length && bytes[end] != 0) {
            end++;
        }
        return Arrays.copyOf(bytes, end);
    }

    private static MemorySegment zeroEnded(Arena arena, byte[] bytes) {
        MemorySegment text = arena.allocate(bytes.length + 1L);
        MemorySegment.copy(bytes, 0, text, ValueLayout.JAVA_BYTE, 0, bytes.length);
        return text;
    }

    private static MemorySegment strings(Arena arena, List<String> texts) {
        MemorySegment pointers = arena.allocate(nvrtc_h.C_POINTER, Math.max(1, texts.size()));
        for (int i = 0; i < texts.size(); i++) {
            pointers.setAtIndex(nvrtc_h.C_POINTER, i, arena.allocateFrom(texts.get(i)));
        }
        return pointers;
    }
}
