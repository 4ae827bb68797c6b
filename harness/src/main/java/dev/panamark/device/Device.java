package dev.panamark.device;

import dev.panamark.ffi.Availability;
import dev.panamark.kernel.Image;
import dev.panamark.kernel.Step;
import java.util.Optional;
import java.util.function.Consumer;

/** An open device. Used by one thread at a time. */
public interface Device extends AutoCloseable {

    /** Which one it is. */
    DeviceInfo info();

    /**
     * Memory for one buffer, fenced by guard zones that show writes past either end.
     *
     * @param name of the buffer, for messages
     * @param bytes at least 1
     * @throws UnsupportedException when the device has not that much
     */
    DeviceBuffer allocate(String name, long bytes);

    /**
     * Makes an image ready for launches, compiling it first where it is source.
     *
     * @throws DeviceException when it is refused; the message carries the compiler's or driver's words
     * @throws UnsupportedException when this backend cannot run such an image
     */
    Module load(Image image);

    /**
     * Refuses a launch that this kind of device cannot do, whatever the kernel: clusters, cooperative grids, shared
     * memory. To be asked once before launching; a device that leaves it out refuses nothing here.
     *
     * @throws UnsupportedException which says what, and what would do instead
     */
    default void checkLaunch(Step.Launch launch) {}

    /** The clock that times launches here. */
    Availability<Timer> timer();

    /** Counts what launches do, where the device can do that without a profiler. */
    default Availability<LaunchCounter> counter() {
        return Availability.missing("launches cannot be counted on " + info().id(), "Emulated devices count.");
    }

    /** Reads the hardware's counters, where there are some that this process may read. */
    default Availability<Profiler> profiler() {
        return Availability.missing(
                info().id() + " has no counters that Panamark reads", "Emulated devices count (-d emu).");
    }

    /** Looks for what launches do wrong, where the device can do that. */
    default Availability<FaultFinder> faultFinder() {
        return Availability.missing(
                "faults cannot be looked for on " + info().id(), "Emulated devices do, and compute-sanitizer does.");
    }

    /** Says what holds launches back, where the device can do that without a profiler. */
    default Availability<LaunchExplainer> launchExplainer() {
        return Availability.missing("launches cannot be explained on " + info().id(), "Emulated devices do.");
    }

    /** What kernels print goes there from now on, by any thread; before, and on a device that leaves it out, nowhere. */
    default void printing(Consumer<String> sink) {}

    /** Holds the device still for timing, until the result is closed. */
    Hold hold();

    /** What empties the caches before a cold launch; belongs to the device, and takes its memory at the first call. */
    Availability<CacheSweep> cacheSweep();

    /** Collects launches to be launched together, where the device can do that. */
    default Availability<LaunchGraphs> graphs() {
        return Availability.missing("launches cannot be collected in graphs on " + info().id(), "Measure hot (--hot).");
    }

    /**
     * Why this process cannot use the device any more; empty while it can. Whoever finds a reason ends the process: a
     * fresh one may do better.
     */
    default Optional<String> broken() {
        return Optional.empty();
    }

    /** Waits until everything launched so far is done. */
    void synchronize();

    @Override
    void close();
}
