package dev.panamark.driver.host;

import dev.panamark.ffi.DynamicLoader;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * A CPU kernel: {@code void entry(void **args, const int64_t grid[3], int64_t first, int64_t last)}. {@code args[i]}
 * points to the i-th parameter's value, as for {@code cuLaunchKernel}; the call works through blocks
 * {@code [first, last)} of the grid, counted with x fastest.
 *
 * <p>May be called by several threads at once. A call allocates nothing.
 */
@SuppressWarnings("restricted")
public final class HostFunction {
    private static final long GRID_BYTES = 3 * ValueLayout.JAVA_LONG.byteSize();

    // One handle for every kernel: the function's address is its first parameter. Not a critical call, since a kernel
    // may run for seconds, during which a critical one would hold up every safepoint of the VM.
    private static final MethodHandle CALL = Linker.nativeLinker()
            .downcallHandle(FunctionDescriptor.ofVoid(
                    ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));

    private final String name;
    private final MemorySegment address;
    private final HostLibrary library;

    HostFunction(String name, MemorySegment address, HostLibrary library) {
        this.name = name;
        this.address = address;
        this.library = library;
    }

    /** As in the object. */
    public String name() {
        return name;
    }

    /**
     * Runs blocks {@code [first, last)} on the calling thread. What the arguments point to must stay valid meanwhile;
     * segments of an automatic or global arena cost nothing here, those of a shared arena two atomic operations each.
     *
     * @param args addresses of the parameters' values, native memory
     * @param grid three extents, native memory of at least 24 bytes
     * @param first at least 0
     * @param last one past the last block
     */
    public void call(MemorySegment args, MemorySegment grid, long first, long last) {
        library.requireOpen();
        if (grid.byteSize() < GRID_BYTES) {
            throw new IllegalArgumentException(
                    name + ": the grid takes " + GRID_BYTES + " bytes, not " + grid.byteSize());
        }
        try {
            CALL.invokeExact(address, args, grid, first, last);
        } catch (Throwable t) {
            throw DynamicLoader.unchecked(t);
        }
    }
}
