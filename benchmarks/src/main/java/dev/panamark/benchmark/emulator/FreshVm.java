package dev.panamark.benchmark.emulator;

import dev.panamark.ptx.DeviceMemory;
import dev.panamark.ptx.Extent;
import dev.panamark.ptx.JvmFlags;
import dev.panamark.ptx.LaunchOptions;
import dev.panamark.ptx.LinkedModule;
import dev.panamark.ptx.Parameters;
import dev.panamark.ptx.PtxModule;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What is measured in a process of its own, which prints two numbers. */
final class FreshVm {
    private static final Path FOLDER = Path.of(System.getProperty("java.io.tmpdir"));
    private static final long KIB = 1024;
    private static final long SETTLED_MILLIS = 2_000;

    private FreshVm() {}

    /** {@code memory ELEMENTS}, {@code launch} or {@code module}. */
    public static void main(String[] args) throws IOException, InterruptedException {
        double[] answer = switch (args[0]) {
            case "memory" -> memory(Integer.parseInt(args[1]));
            case "launch" -> launch(EmulatedKernel.load());
            case "module" -> {
                for (int seed = 0; seed < 3; seed++) {
                    start(seed);
                }
                // What they gave the compilers to do is not part of what follows.
                Thread.sleep(SETTLED_MILLIS);
                yield launch(EmulatedKernel.load());
            }
            default -> throw new IllegalArgumentException(args[0] + "; expected memory, launch or module");
        };
        System.out.println(answer[0] + " " + answer[1]);
    }

    /** Starts such a process; its two numbers. */
    static double[] ask(String... args) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("--enable-native-access=ALL-UNNAMED");
        command.addAll(JvmFlags.vectors());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), FreshVm.class.getName()));
        command.addAll(List.of(args));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int code = process.waitFor();
        String[] words = answer.strip().split(" ", -1);
        if (code != 0 || words.length != 2) {
            throw new IllegalStateException(
                    String.join(" ", args) + " in its own process ended with " + code + " and said: " + answer.strip());
        }
        return new double[] {Double.parseDouble(words[0]), Double.parseDouble(words[1])};
    }

    /** Bytes of the buffers of a sum of vectors, and the most that the process held of memory. */
    private static double[] memory(int n) throws IOException {
        PtxModule module = EmulatedKernel.load();
        long bytes = 4L * n;
        try (DeviceMemory memory = DeviceMemory.create(16L << 30, FOLDER)) {
            LinkedModule linked = module.link(memory);
            Parameters parameters = Parameters.of(module.kernel("vecadd"));
            long sum = 0;
            for (int i = 0; i < 3; i++) {
                sum = memory.allocate(bytes);
                parameters.add(sum);
                MemorySegment values = memory.at(sum, bytes);
                for (long k = 0; i < 2 && k < n; k++) {
                    values.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, k, (float) (k % 1000 + i));
                }
            }
            linked.launch(
                    "vecadd",
                    Extent.of((n + 255) / 256),
                    Extent.of(256),
                    0,
                    parameters.add(n).bytes(),
                    LaunchOptions.plain().counting(true));
            MemorySegment values = memory.at(sum, bytes);
            for (long k = 0; k < n; k++) {
                float got = values.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, k);
                if (got != 2 * (k % 1000) + 1) {
                    throw new IllegalStateException("sum " + k + " is " + got + "; expected " + (2 * (k % 1000) + 1));
                }
            }
            return new double[] {3.0 * bytes, most()};
        }
    }

    private static double most() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmHWM:")) {
                return KIB * Double.parseDouble(line.replaceAll("[^0-9]", ""));
            }
        }
        throw new IOException("/proc/self/status has no VmHWM");
    }

    /** Seconds of the first matrix product of a module, and of the fastest later one. */
    private static double[] launch(PtxModule module) {
        int n = EmulatorSpeed.MATRIX;
        float[] a = Numbers.random(n * n, 1);
        float[] b = Numbers.random(n * n, 2);
        try (DeviceMemory memory = DeviceMemory.create(1 << 28, FOLDER)) {
            EmulatedKernel kernel = EmulatedKernel.matmul(module, memory, a, b, n);
            long begun = System.nanoTime();
            kernel.run();
            double first = (System.nanoTime() - begun) * 1e-9;
            Numbers.check(kernel, Numbers.product(a, b, n), EmulatorSpeed.TOLERANCE);
            return new double[] {first, Race.of(List.of(kernel), 3, 1, 20).seconds(0)};
        }
    }

    /** Seconds from the text of a long kernel to the end of a launch that ends at its first instructions. */
    static double start(long seed) {
        String text = LongKernel.text(EmulatorSpeed.LINES, seed);
        try (DeviceMemory memory = DeviceMemory.create(1 << 20, FOLDER)) {
            long out = memory.allocate(128);
            memory.at(out, 128).fill((byte) 0);
            long begun = System.nanoTime();
            PtxModule module = PtxModule.load("long.ptx", text);
            byte[] parameters =
                    Parameters.of(module.kernel("k")).add(out).add(7).bytes();
            module.link(memory).launch("k", Extent.of(1), Extent.of(32), 0, parameters, LaunchOptions.plain());
            double seconds = (System.nanoTime() - begun) * 1e-9;
            int stored = memory.at(out, 128).get(ValueLayout.JAVA_INT_UNALIGNED, 124);
            if (stored != 7) {
                throw new IllegalStateException("the long kernel stored " + stored + "; expected 7");
            }
            return seconds;
        }
    }
}
