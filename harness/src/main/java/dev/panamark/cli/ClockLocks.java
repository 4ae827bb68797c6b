package dev.panamark.cli;

import dev.panamark.device.ClockLock;
import dev.panamark.device.DeviceProvider;
import dev.panamark.device.UnsupportedException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The clocks of devices while a run holds them: let go when it ends, however the process does, unless it is killed. */
final class ClockLocks implements AutoCloseable {
    private final List<ClockLock> locks = new ArrayList<>();
    private final Thread hook = Thread.ofPlatform().unstarted(this::release);

    /**
     * Holds all of them, or none.
     *
     * @param megahertz null for not at all
     * @throws CommandFailed where one cannot be held
     */
    static ClockLocks of(@Nullable Integer megahertz, List<DeviceProvider.Candidate> devices) {
        ClockLocks all = new ClockLocks();
        if (megahertz == null) {
            return all;
        }
        Runtime.getRuntime().addShutdownHook(all.hook);
        try {
            for (DeviceProvider.Candidate device : devices) {
                all.add(device.lockClocks(megahertz));
            }
            return all;
        } catch (UnsupportedException e) {
            all.close();
            throw new CommandFailed(ExitCode.NOTHING_THERE, "--lock-clocks: " + e.getMessage());
        }
    }

    private synchronized void add(ClockLock lock) {
        locks.add(lock);
    }

    /** The first failure is thrown once all have been tried. */
    private synchronized void release() {
        RuntimeException failure = null;
        for (ClockLock lock : locks.reversed()) {
            try {
                lock.close();
            } catch (RuntimeException e) {
                failure = failure == null ? e : failure;
            }
        }
        locks.clear();
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public void close() {
        boolean hooked = false;
        try {
            hooked = Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process is ending already; the hook does it, or has done it.
        }
        if (hooked) {
            release();
        }
    }
}
