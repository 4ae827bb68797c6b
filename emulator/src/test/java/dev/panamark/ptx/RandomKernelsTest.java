package dev.panamark.ptx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import org.junit.jupiter.api.Test;

/** Interpreter and compiler agree on kernels made by chance; {@code -Dptx.random.kernels} says on how many. */
class RandomKernelsTest {
    @Test
    void enginesAgree() {
        long count = Long.getLong("ptx.random.kernels", 2000);
        long first = Long.getLong("ptx.random.first", 0);
        long[] ends = new Fuzz("random", true, 1_000_000, RandomKernel::of).run(first, count);
        assertArrayEquals(new long[] {0, 0, count}, ends, "refused, ended by a fault, complete");
    }
}
