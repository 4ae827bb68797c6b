package dev.panamark.benchmark.emulator;

import dev.panamark.driver.host.HostFunction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A native function with its arguments: memory, ints and floats. They live as long as the process, since native code keeps
 * their addresses.
 */
final class NativeCall {
    private static final int TEXT = 256;

    private final HostFunction function;
    private final MemorySegment arguments;
    private final MemorySegment grid = Arena.global().allocate(24, 8);
    private final MemorySegment text = Arena.global().allocate(TEXT);

    NativeCall(HostFunction function, Object... values) {
        this.function = function;
        Arena arena = Arena.global();
        arguments = arena.allocate(ValueLayout.ADDRESS, values.length + 1L);
        for (int i = 0; i <= values.length; i++) {
            MemorySegment place = arena.allocate(8, 8);
            switch (i < values.length ? values[i] : text) {
                case MemorySegment memory -> place.set(ValueLayout.ADDRESS, 0, memory);
                case Integer number -> place.set(ValueLayout.JAVA_INT, 0, number);
                case Float number -> place.set(ValueLayout.JAVA_FLOAT, 0, number);
                default -> throw new IllegalArgumentException("argument " + i + " is no memory, int or float");
            }
            arguments.setAtIndex(ValueLayout.ADDRESS, i, place);
        }
    }

    /** Calls a function that says nothing. */
    void run() {
        function.call(arguments, grid, 0, 1);
    }

    /**
     * Calls a function whose last argument is memory for what it has to say.
     *
     * @throws IllegalStateException with its words where it failed
     */
    String saying() {
        run();
        String said = text.getString(0);
        if (said.startsWith("!")) {
            throw new IllegalStateException(said.substring(1));
        }
        return said;
    }

    static MemorySegment floats(float[] values) {
        return Arena.global().allocateFrom(ValueLayout.JAVA_FLOAT, values);
    }
}
