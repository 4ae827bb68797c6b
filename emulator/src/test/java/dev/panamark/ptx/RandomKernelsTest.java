package dev.panamark.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Interpreter and compiler agree on kernels made by chance; {@code -Dptx.random.kernels} says on how many. */
class RandomKernelsTest {
    private static final int THREADS = 80;
    private static final int BLOCKS = 2;

    @Test
    void enginesAgree() {
        int count = Integer.getInteger("ptx.random.kernels", 200);
        long first = Long.getLong("ptx.random.first", 0);
        for (long seed = first; seed < first + count; seed++) {
            check(seed);
        }
    }

    private static void check(long seed) {
        String text = RandomKernel.of(seed);
        try (Run run = new Run("random-" + seed + ".ptx", text)) {
            Random random = new Random(seed);
            int[] input = new int[1024];
            for (int i = 0; i < input.length; i++) {
                input[i] = random.nextInt(4) == 0 ? random.nextInt() : random.nextInt(-100, 100);
            }
            long in = run.buffer(input);
            long interpreted = run.buffer(64L * THREADS * BLOCKS);
            long compiled = run.buffer(64L * THREADS * BLOCKS);
            Counts expected = launch(run, LaunchOptions.Engine.INTERPRETER, true, in, interpreted);
            Counts got = launch(run, LaunchOptions.Engine.COMPILER, true, in, compiled);
            List<byte[]> memory = run.contents();
            String what = "seed " + seed + "\n" + text;
            assertTrue(anyNonZero(memory.get(1)), "nothing was written, " + what);
            Memories.assertSame(memory.get(1), memory.get(2), what);
            // The outputs lie apart, so all but their own sectors is the same.
            assertEquals(expected, got, what);
            run.memory.at(compiled, 64L * THREADS * BLOCKS).fill((byte) 0);
            launch(run, LaunchOptions.Engine.COMPILER, false, in, compiled);
            Memories.assertSame(memory.get(1), run.contents().get(2), what);
        }
    }

    private static boolean anyNonZero(byte[] bytes) {
        for (byte b : bytes) {
            if (b != 0) {
                return true;
            }
        }
        return false;
    }

    private static Counts launch(Run run, LaunchOptions.Engine engine, boolean counting, long in, long out) {
        LaunchOptions options =
                LaunchOptions.plain().engine(engine).counting(counting).time(Duration.ofSeconds(60));
        return run.launch("k", Extent.of(BLOCKS), Extent.of(THREADS), options, in, out);
    }
}
