package dev.panamark.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** One text in all engines: refused before either begins, or the same end, memory and counts. For one thread. */
final class Agreement implements AutoCloseable {
    /** Bytes behind every pointer that a kernel takes. */
    static final int BUFFER = 1 << 14;

    private static final int BLOCKS = 2;
    private static final int THREADS = 40;
    private static final int[] DATA = data();

    private final DeviceMemory memory = DeviceMemory.create(1 << 26, Path.of(System.getProperty("java.io.tmpdir")));

    enum End {
        REFUSED,
        FAULT,
        COMPLETE
    }

    private record Outcome(
            List<byte[]> buffers,
            KernelFault.@Nullable Kind fault,
            @Nullable Counts counts) {}

    /** Small numbers, so that indices stay in bounds, and any. */
    private static int[] data() {
        Random random = new Random(3);
        int[] data = new int[BUFFER / 4];
        for (int i = 0; i < data.length; i++) {
            data[i] = random.nextInt(4) == 0 ? random.nextInt() : random.nextInt(-100, 100);
        }
        return data;
    }

    /**
     * Runs the text's last kernel.
     *
     * @param instructions warp instructions at most
     * @throws AssertionError where the engines do not agree, or neither came to an end
     */
    End of(String name, String text, long instructions) {
        PtxModule module;
        try {
            module = PtxModule.load(name, text);
        } catch (PtxException e) {
            return End.REFUSED;
        }
        if (module.kernels().isEmpty()) {
            return End.REFUSED;
        }
        LaunchOptions options = LaunchOptions.plain().instructions(instructions).time(Duration.ofSeconds(60));
        try (LinkedModule linked = module.link(memory)) {
            KernelInfo kernel = module.kernels().getLast();
            LaunchOptions interpreter = options.engine(LaunchOptions.Engine.INTERPRETER);
            Outcome expected = launch(linked, kernel, interpreter.counting(true));
            if (expected == null) {
                return End.REFUSED;
            }
            assertNotEquals(KernelFault.Kind.DEADLINE, expected.fault(), "the interpreter hangs");
            for (LaunchOptions.Engine engine : List.of(LaunchOptions.Engine.COMPILER, LaunchOptions.Engine.VECTORS)) {
                LaunchOptions compiler = options.engine(engine);
                same(expected, launch(linked, kernel, compiler.counting(true)), true);
                same(expected, launch(linked, kernel, compiler), false);
            }
            return expected.fault() == null ? End.COMPLETE : End.FAULT;
        } catch (OutOfDeviceMemory e) {
            return End.REFUSED;
        }
    }

    private static void same(Outcome expected, @Nullable Outcome got, boolean counting) {
        assertEquals(expected.fault(), got == null ? null : got.fault(), "how the launches ended");
        if (expected.fault() != null || got == null) {
            return;
        }
        for (int i = 0; i < expected.buffers().size(); i++) {
            Memories.assertSame(expected.buffers().get(i), got.buffers().get(i), "buffer " + i);
        }
        if (counting) {
            assertEquals(expected.counts(), got.counts());
        }
    }

    /** Null where the kernel cannot have the launch's shape. */
    private @Nullable Outcome launch(LinkedModule linked, KernelInfo kernel, LaunchOptions options) {
        Parameters parameters = Parameters.of(kernel);
        List<Long> buffers = new ArrayList<>();
        try {
            for (KernelInfo.Parameter parameter : kernel.parameters()) {
                switch (parameter.bytes()) {
                    case 8 -> {
                        long at = memory.allocate(BUFFER);
                        buffers.add(at);
                        MemorySegment.copy(
                                DATA, 0, memory.at(at, BUFFER), ValueLayout.JAVA_INT_UNALIGNED, 0, DATA.length);
                        parameters.add(at);
                    }
                    case 4 -> parameters.add(16);
                    default -> parameters.add(new byte[parameter.bytes()]);
                }
            }
            Extent required = kernel.requiredThreads();
            KernelFault.Kind fault = null;
            Counts counts = null;
            try {
                counts = linked.launch(
                        kernel.name(),
                        Extent.of(BLOCKS),
                        required == null ? Extent.of(THREADS) : required,
                        0,
                        parameters.bytes(),
                        options);
            } catch (KernelFault e) {
                fault = e.kind();
            } catch (IllegalArgumentException e) {
                // Anything else has another message.
                if (!String.valueOf(e.getMessage()).startsWith("launch of ")) {
                    throw e;
                }
                return null;
            }
            List<byte[]> contents = buffers.stream()
                    .map(at -> memory.at(at, BUFFER).toArray(ValueLayout.JAVA_BYTE))
                    .toList();
            return new Outcome(contents, fault, counts);
        } finally {
            buffers.forEach(memory::free);
        }
    }

    @Override
    public void close() {
        memory.close();
    }
}
