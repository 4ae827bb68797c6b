package dev.panamark.driver.host;

import dev.panamark.ffi.DynamicLoader;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Host code that launches kernels of a GPU: {@code int entry(const void **args, void *stream)}. {@code args[i]} points to the
 * i-th argument's value, as for {@code cuLaunchKernel}; {@code stream} is the driver's handle of the stream that the launches
 * go into; 0 means that they are in it. A call allocates nothing.
 */
@SuppressWarnings("restricted")
public final class HostLauncher {
    private static final MethodHandle CALL = Linker.nativeLinker()
            .downcallHandle(FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS));

    private final String name;
    private final MemorySegment address;
    private final HostLibrary library;

    HostLauncher(String name, MemorySegment address, HostLibrary library) {
        this.name = name;
        this.address = address;
        this.library = library;
    }

    /** As in the object. */
    public String name() {
        return name;
    }

    /**
     * Launches.
     *
     * @param args addresses of the arguments' values, native memory
     * @param stream a handle of the driver's
     * @return what the code says: 0 for success
     */
    public int call(MemorySegment args, MemorySegment stream) {
        library.requireOpen();
        try {
            return (int) CALL.invokeExact(address, args, stream);
        } catch (Throwable t) {
            throw DynamicLoader.unchecked(t);
        }
    }
}
