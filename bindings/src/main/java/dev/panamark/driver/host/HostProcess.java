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

/** Signals to other processes: {@link ProcessHandle} knows only SIGTERM and SIGKILL. */
@SuppressWarnings("restricted")
public final class HostProcess {
    /** ESRCH of errno.h on Linux: there is no such process. */
    private static final int ESRCH = 3;

    private static final MemoryLayout CALL_STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = CALL_STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final MethodHandle KILL = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().findOrThrow("kill"),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT),
                    Linker.Option.captureCallState("errno"));

    private HostProcess() {}

    /**
     * Sends a signal, {@code kill(2)}.
     *
     * @param pid of one process, above 0; groups are not addressed
     * @param signal its number, above 0
     * @return false when the process has ended already
     * @throws HostLibraryException when the system refuses
     */
    public static boolean signal(long pid, int signal) {
        if (pid < 1 || pid > Integer.MAX_VALUE || signal < 1) {
            throw new IllegalArgumentException("no signal " + signal + " to process " + pid + ": both are above 0");
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(CALL_STATE);
            int status = (int) KILL.invokeExact(state, (int) pid, signal);
            if (status == 0) {
                return true;
            }
            int errno = (int) ERRNO.get(state, 0L);
            if (errno == ESRCH) {
                return false;
            }
            throw new HostLibraryException("kill(" + pid + ", " + signal + ") failed with errno " + errno
                    + " (1 is EPERM: another user's process; 22 is EINVAL: no such signal)");
        } catch (Throwable t) {
            throw DynamicLoader.unchecked(t);
        }
    }
}
