package dev.panamark.benchmark.emulator;

import dev.panamark.driver.host.HostLibrary;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the emulator runs beside: the same work by g++ and by PoCL. Lives as long as the process. */
final class Peers {
    private final HostLibrary plain;
    private final HostLibrary vector;
    private final @Nullable HostLibrary opencl;

    /** What is said where PoCL is missing, or its version. */
    private final String openclText;

    /**
     * Loads what the script compiled.
     *
     * @param opencl null where it could not be, for {@code reason}
     */
    Peers(Path plain, Path vector, @Nullable Path opencl, String reason, PrintStream out) {
        this.plain = HostLibrary.open(plain);
        this.vector = HostLibrary.open(vector);
        HostLibrary found = null;
        String text = reason;
        if (opencl != null) {
            try {
                HostLibrary library = HostLibrary.open(opencl);
                text = new NativeCall(
                                library.entry("start"), Arena.global().allocateFrom(EmulatedKernel.text("kernels.cl")))
                        .saying();
                found = library;
            } catch (IllegalStateException e) {
                text = String.valueOf(e.getMessage());
            }
        }
        this.opencl = found;
        openclText = text;
        out.println("PoCL: " + openclText);
    }

    boolean hasOpencl() {
        return opencl != null;
    }

    String openclText() {
        return openclText;
    }

    /** g++ -O2, g++ -O2 -march=native and, where it is there, PoCL; after the emulator. */
    List<Side> matmul(Side emulator, float[] a, float[] b, int n) {
        MemorySegment left = NativeCall.floats(a);
        MemorySegment right = NativeCall.floats(b);
        List<Side> sides = new ArrayList<>(List.of(emulator));
        for (HostLibrary library : List.of(plain, vector)) {
            MemorySegment out = NativeCall.floats(new float[n * n]);
            NativeCall call = new NativeCall(library.entry("matmul"), left, right, out, n);
            sides.add(new NativeSide(name(library), call, false, call, out));
        }
        HostLibrary cl = opencl;
        if (cl != null) {
            new NativeCall(cl.entry("matmul_inputs"), left, right, n).saying();
            MemorySegment out = NativeCall.floats(new float[n * n]);
            sides.add(new NativeSide(
                    "PoCL",
                    new NativeCall(cl.entry("matmul"), n),
                    true,
                    new NativeCall(cl.entry("matmul_output"), out),
                    out));
        }
        return sides;
    }

    List<Side> attention(
            Side emulator, float[] q, float[] k, float[] v, int heads, int length, int width, float scale) {
        MemorySegment queries = NativeCall.floats(q);
        MemorySegment keys = NativeCall.floats(k);
        MemorySegment values = NativeCall.floats(v);
        List<Side> sides = new ArrayList<>(List.of(emulator));
        for (HostLibrary library : List.of(plain, vector)) {
            MemorySegment out = NativeCall.floats(new float[q.length]);
            NativeCall call =
                    new NativeCall(library.entry("attention"), queries, keys, values, out, length, width, scale, heads);
            sides.add(new NativeSide(name(library), call, false, call, out));
        }
        HostLibrary cl = opencl;
        if (cl != null) {
            new NativeCall(cl.entry("attention_inputs"), queries, keys, values, length, width, scale, heads).saying();
            MemorySegment out = NativeCall.floats(new float[q.length]);
            sides.add(new NativeSide(
                    "PoCL",
                    new NativeCall(cl.entry("attention"), length, heads),
                    true,
                    new NativeCall(cl.entry("attention_output"), out),
                    out));
        }
        return sides;
    }

    private String name(HostLibrary library) {
        return library == plain ? "g++ -O2" : "g++ -O2 -march=native";
    }
}
