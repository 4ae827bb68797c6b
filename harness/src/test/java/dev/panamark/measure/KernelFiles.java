package dev.panamark.measure;

import dev.panamark.kernel.Kernel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Kernel files for {@code out = 2 x} and variations of it; their image is a file that only the simulated device loads. */
final class KernelFiles {
    static final int N = 24;

    private final Path folder;

    KernelFiles(Path folder) {
        this.folder = folder;
    }

    static String doubling(String name) {
        return """
                format: panamark.kernel/1
                kernel: mine.%s
                purpose: doubles every element
                axes:
                  n: [24]
                where: ["n < 1000"]
                images:
                  cpu: [{file: k.c}]
                buffers:
                  x: {type: f32, shape: [n], fill: normal}
                  y: {type: f32, shape: [n], fill: zeros}
                  out: {type: f32, shape: [n], role: output, check: {rule: close, atol: 1e-6}}
                steps:
                  - {entry: doubled, grid: [1], args: [x, out]}
                work:
                  flops: {fma_f32: n}
                  reads: bytes(x)
                  writes: bytes(out)
                check: {reference: linear, conventions: {alpha: 2}}
                """.formatted(name);
    }

    /** {@code y = 2 x + y}, in place. */
    static String inPlace(String name) {
        return doubling(name)
                .replace("fill: zeros}", "fill: normal, role: inout, check: {rule: close, atol: 1e-6}}")
                .replaceAll("(?m)^  out:.*\n", "")
                .replace("args: [x, out]", "args: [x, y]")
                .replace("bytes(out)", "bytes(y)");
    }

    Path write(String name, String yaml) {
        try {
            Files.writeString(folder.resolve("k.c"), "not looked at");
            return Files.writeString(folder.resolve(name + ".yaml"), yaml);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Kernel kernel(String name, String yaml) {
        return Kernel.read(write(name, yaml));
    }

    /** The right kernel. */
    static void twice(FakeDevice.Memory x, FakeDevice.Memory out) {
        for (int i = 0; i < x.floats(); i++) {
            out.set(i, 2 * x.get(i));
        }
    }
}
