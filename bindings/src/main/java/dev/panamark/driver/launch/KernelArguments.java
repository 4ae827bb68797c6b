package dev.panamark.driver.launch;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * The arguments of a launch: values at offsets, and the array of pointers to them that the driver reads at each launch.
 * Its memory lives as long as somebody holds it.
 */
public final class KernelArguments {
    private final MemorySegment values;
    private final MemorySegment pointers;

    /**
     * Room for the arguments.
     *
     * @param bytes of all values; what they are is written to {@link #values()} before a launch
     * @param offsets of each value in them, in the order of the kernel's parameters
     */
    public KernelArguments(long bytes, long... offsets) {
        // One arena for both, so that the values stay for as long as anybody holds the pointers to them.
        Arena arena = Arena.ofAuto();
        values = arena.allocate(Math.max(1, bytes), 16);
        pointers = arena.allocate(ValueLayout.ADDRESS, Math.max(1, offsets.length));
        for (int i = 0; i < offsets.length; i++) {
            pointers.setAtIndex(ValueLayout.ADDRESS, i, values.asSlice(offsets[i], 0));
        }
    }

    /** Arguments of 64 bits each, with their values. */
    public static KernelArguments ofWords(long... words) {
        long[] offsets = new long[words.length];
        Arrays.setAll(offsets, i -> (long) Long.BYTES * i);
        KernelArguments arguments = new KernelArguments((long) Long.BYTES * words.length, offsets);
        for (int i = 0; i < words.length; i++) {
            arguments.values.setAtIndex(ValueLayout.JAVA_LONG, i, words[i]);
        }
        return arguments;
    }

    /** The values; a launch takes what is in it then. */
    public MemorySegment values() {
        return values;
    }

    /** {@code void *kernelParams[]}, for the wrappers of drivers. */
    public MemorySegment pointers() {
        return pointers;
    }
}
