package dev.panamark.device;

/** Times work on a device by the clock that suits it. */
public interface Timer {
    /** What {@link #shortest} is where reading the clock takes some 50 ns. */
    double SHORTEST = 50e-6;

    /** What is read: "System.nanoTime", "CUDA events". */
    String clock();

    /** Smallest difference it can show, s; measured where nothing states it. */
    double resolution();

    /** Work that takes this long is not lengthened by more than some thousandths when it is timed, s. */
    default double shortest() {
        return SHORTEST;
    }

    /**
     * Whether launches return before they are done. A sample then holds what filling and emptying the queue takes, once
     * however many launches there are.
     */
    default boolean isQueued() {
        return false;
    }

    /**
     * Runs {@code work} and waits for it.
     *
     * @return seconds that the device took, launch costs included as the clock sees them
     */
    double time(Runnable work);
}
