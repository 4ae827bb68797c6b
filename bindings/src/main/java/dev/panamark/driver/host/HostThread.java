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
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** What the system's scheduler does with the calling thread: where it may run, how often it was taken off. Linux. */
@SuppressWarnings("restricted")
public final class HostThread {
    /** Room for 8,192 processors; the kernel accepts masks longer than its own. */
    private static final int MASK_BYTES = 1024;

    /** {@code RUSAGE_SELF} of sys/resource.h: all threads of the process. */
    private static final int RUSAGE_SELF = 0;

    /** {@code struct rusage}: two timevals, then 14 longs, of which the last is {@code ru_nivcsw} (getrusage(2)). */
    private static final int RUSAGE_BYTES = 144;

    private static final int RU_NIVCSW = 136;

    private static final MemoryLayout CALL_STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = CALL_STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final MethodHandle SCHED_SETAFFINITY = affinity("sched_setaffinity");
    private static final MethodHandle SCHED_GETAFFINITY = affinity("sched_getaffinity");
    private static final MethodHandle GETRUSAGE = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().findOrThrow("getrusage"),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));

    private HostThread() {}

    private static MethodHandle affinity(String name) {
        return Linker.nativeLinker()
                .downcallHandle(
                        Linker.nativeLinker().defaultLookup().findOrThrow(name),
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS),
                        Linker.Option.captureCallState("errno"));
    }

    /**
     * The processors that the calling thread may run on, in rising order.
     *
     * @throws HostLibraryException when {@code sched_getaffinity} fails
     */
    public static List<Integer> allowed() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mask = arena.allocate(MASK_BYTES, Long.BYTES);
            call(SCHED_GETAFFINITY, "sched_getaffinity", mask, arena);
            BitSet bits = BitSet.valueOf(mask.toArray(ValueLayout.JAVA_LONG));
            List<Integer> processors = new ArrayList<>();
            bits.stream().forEach(processors::add);
            return processors;
        }
    }

    /**
     * Binds the calling thread to some processors. Threads that it starts from then on inherit this.
     *
     * @param processors at least one, of those that the system allows
     * @throws HostLibraryException when the system refuses; the message says what to do
     */
    public static void bind(List<Integer> processors) {
        if (processors.isEmpty()) {
            throw new IllegalArgumentException("a thread needs at least one processor");
        }
        BitSet bits = new BitSet();
        for (int processor : processors) {
            if (processor < 0 || processor >= MASK_BYTES * Byte.SIZE) {
                throw new IllegalArgumentException("no processor has the number " + processor);
            }
            bits.set(processor);
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mask = arena.allocate(MASK_BYTES, Long.BYTES);
            mask.copyFrom(MemorySegment.ofArray(bits.toLongArray()));
            call(SCHED_SETAFFINITY, "sched_setaffinity to processors " + processors, mask, arena);
        }
    }

    private static void call(MethodHandle function, String what, MemorySegment mask, Arena arena) {
        try {
            MemorySegment state = arena.allocate(CALL_STATE);
            int status = (int) function.invokeExact(state, 0, (long) MASK_BYTES, mask);
            if (status < 0) {
                throw new HostLibraryException(what + " failed with errno " + (int) ERRNO.get(state, 0L)
                        + " (1 is EPERM: the sandbox forbids it; 22 is EINVAL: not among the processors allowed here)");
            }
        } catch (Throwable t) {
            throw DynamicLoader.unchecked(t);
        }
    }

    /**
     * Reads how often threads of this process were taken off their processor for another. Reading allocates nothing
     * and takes well under a microsecond. Used by one thread at a time.
     */
    public static final class SwitchCounter {
        private final MemorySegment usage = Arena.ofAuto().allocate(RUSAGE_BYTES, Long.BYTES);

        /** Involuntary context switches of all threads since the process began ({@code ru_nivcsw}). */
        public long involuntary() {
            try {
                int status = (int) GETRUSAGE.invokeExact(RUSAGE_SELF, usage);
                if (status != 0) {
                    throw new HostLibraryException("getrusage failed");
                }
                return usage.get(ValueLayout.JAVA_LONG, RU_NIVCSW);
            } catch (Throwable t) {
                throw DynamicLoader.unchecked(t);
            }
        }
    }
}
