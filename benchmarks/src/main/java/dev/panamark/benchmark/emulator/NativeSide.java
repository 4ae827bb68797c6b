package dev.panamark.benchmark.emulator;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A native function.
 *
 * @param says whether its last argument is memory for what it has to say
 * @param read what is called before {@code out} is looked at, or the function itself where it is there already
 */
record NativeSide(String name, NativeCall call, boolean says, NativeCall read, MemorySegment out) implements Side {
    @Override
    public void run() {
        if (says) {
            call.saying();
        } else {
            call.run();
        }
    }

    @Override
    public float[] output() {
        if (says) {
            read.saying();
        }
        return out.toArray(ValueLayout.JAVA_FLOAT);
    }
}
