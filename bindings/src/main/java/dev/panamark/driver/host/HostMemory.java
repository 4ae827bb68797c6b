package dev.panamark.driver.host;

import dev.panamark.ffi.DynamicLoader;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Page-aligned memory that no thread has touched yet. An arena's memory is cleared by the thread that asks for it,
 * which would put every page on that thread's NUMA node; here a page belongs to whoever writes to it first.
 */
@SuppressWarnings({"restricted", "MustBeClosedChecker"}) // the arena is closed by close()
public final class HostMemory implements AutoCloseable {
    private static final int PROT_READ_WRITE = 3; // sys/mman.h of Linux
    private static final int MAP_PRIVATE_ANONYMOUS = 0x22;
    private static final long MAP_FAILED = -1;

    private static final MemoryLayout CALL_STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = CALL_STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final MethodHandle MMAP = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().findOrThrow("mmap"),
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_LONG),
                    Linker.Option.captureCallState("errno"));
    private static final MethodHandle MUNMAP = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().findOrThrow("munmap"),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));

    private final Arena arena;
    private final MemorySegment segment;
    private final AtomicBoolean closed = new AtomicBoolean();

    private HostMemory(Arena arena, MemorySegment segment) {
        this.arena = arena;
        this.segment = segment;
    }

    /**
     * Maps memory of zeros.
     *
     * @param bytes at least 1
     * @throws HostLibraryException when the system refuses
     */
    public static HostMemory map(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("mmap: expected at least 1 byte, not " + bytes);
        }
        long address;
        try (Arena call = Arena.ofConfined()) {
            MemorySegment state = call.allocate(CALL_STATE);
            address = (long) MMAP.invokeExact(state, 0L, bytes, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0L);
            if (address == MAP_FAILED) {
                throw new HostLibraryException("mmap of " + bytes + " bytes failed with errno "
                        + (int) ERRNO.get(state, 0L) + " (12 is ENOMEM: free memory or raise ulimit -v)");
            }
        } catch (Throwable t) {
            throw DynamicLoader.unchecked(t);
        }
        Arena arena = Arena.ofShared();
        return new HostMemory(
                arena, MemorySegment.ofAddress(address).reinterpret(bytes, arena, s -> unmap(s.address(), bytes)));
    }

    /** All of it; any thread may use it until it is closed. */
    public MemorySegment segment() {
        return segment;
    }

    @Override
    public void close() {
        if (!closed.getAndSet(true)) {
            arena.close();
        }
    }

    private static void unmap(long address, long bytes) {
        try {
            int status = (int) MUNMAP.invokeExact(address, bytes);
            if (status != 0) {
                throw new HostLibraryException("munmap of " + bytes + " bytes failed");
            }
        } catch (Throwable t) {
            throw DynamicLoader.unchecked(t);
        }
    }
}
