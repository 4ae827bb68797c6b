package dev.panamark.kernel.check;

import java.lang.foreign.MemorySegment;

/**
 * What outputs and scratch hold before a launch. A kernel is run once over each pattern: an element that holds the one
 * after the one run and the other after the other was never written, whatever its type. Both are conspicuous, so that a
 * kernel that uses what it did not write gives itself away.
 */
public enum Poison {
    /** NaN in f64, f32, f16, bf16, e4m3 and e5m2, -1 in signed integers, the largest unsigned one. */
    A((byte) 0xFF),
    /** Large in every format: 1.3e36 in f32 and bf16, 61280 in f16, 352 in e4m3, 2071690107 in i32. */
    B((byte) 0x7B);

    private final byte value;

    Poison(byte value) {
        this.value = value;
    }

    /** The byte that all memory is set to. */
    public byte value() {
        return value;
    }

    /** Sets every byte. */
    public void fill(MemorySegment memory) {
        memory.fill(value);
    }

    /** The code of a poisoned element, in the low {@code bytes} bytes. */
    long bits(int bytes) {
        return (value & 0xFFL) * 0x0101_0101_0101_0101L & (-1L >>> (64 - 8 * bytes));
    }
}
