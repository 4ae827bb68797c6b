package dev.panamark.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Interpreter and compiler, with vectors too, leave the same memory, count the same and do not fail on kernels of nvcc. */
class EnginesAgreeTest {
    private record Outcome(
            List<byte[]> before,
            List<byte[]> memory,
            KernelFault.@Nullable Kind fault,
            @Nullable Counts counts) {}

    /** Kernels that write nothing but what they print. */
    private static final Set<String> SILENT = Set.of("k_printf");

    static Stream<String> kernels() {
        return PtxModule.load("corpus.ptx", Texts.resource("corpus.ptx")).kernels().stream()
                .map(KernelInfo::name);
    }

    private static Outcome outcome(String name, LaunchOptions.Engine engine) {
        try (Run run = new Run("corpus.ptx", Texts.resource("corpus.ptx"))) {
            KernelInfo kernel = run.module.kernel(name);
            Random random = new Random(name.hashCode());
            Parameters parameters = Parameters.of(kernel);
            for (KernelInfo.Parameter parameter : kernel.parameters()) {
                switch (parameter.type()) {
                    case "u64" -> parameters.add(run.buffer(data(random)));
                    case "u32" -> parameters.add(5);
                    case "f32" -> parameters.add(1.5f);
                    case "f64" -> parameters.add(2.5);
                    default -> parameters.add(new byte[parameter.bytes()]);
                }
            }
            LaunchOptions options = LaunchOptions.plain()
                    .engine(engine)
                    .counting(true)
                    .time(Duration.ofSeconds(60))
                    .instructions(50_000_000);
            List<byte[]> before = run.contents();
            KernelFault.Kind fault = null;
            Counts counts = null;
            try {
                counts = run.linked.launch(name, Extent.of(2), Extent.of(96), 1024, parameters.bytes(), options);
            } catch (KernelFault e) {
                fault = e.kind();
            }
            return new Outcome(before, run.contents(), fault, counts);
        }
    }

    /** Words that are small numbers as integers, so that indices stay in bounds, or floats of everyday size. */
    private static byte[] data(Random random) {
        byte[] bytes = new byte[1 << 14];
        for (int i = 0; i + 4 <= bytes.length; i += 4) {
            int word =
                    random.nextBoolean() ? random.nextInt(-40, 40) : Float.floatToIntBits(random.nextFloat() * 4 - 1);
            for (int b = 0; b < 4; b++) {
                bytes[i + b] = (byte) (word >> (8 * b));
            }
        }
        return bytes;
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void on(String kernel) {
        Outcome expected = outcome(kernel, LaunchOptions.Engine.INTERPRETER);
        assertNull(expected.fault());
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            Outcome got = outcome(kernel, engine);
            assertNull(got.fault());
            assertEquals(expected.counts(), got.counts());
            assertEquals(expected.memory().size(), got.memory().size());
            for (int i = 0; i < expected.memory().size(); i++) {
                Memories.assertSame(expected.memory().get(i), got.memory().get(i), engine + ", buffer " + i);
            }
        }
        if (!SILENT.contains(kernel)) {
            assertTrue(
                    IntStream.range(0, expected.memory().size())
                            .anyMatch(i -> !Arrays.equals(
                                    expected.before().get(i), expected.memory().get(i))),
                    "no buffer was changed");
        }
    }
}
