package dev.panamark.device;

/** Times work on a device by the clock that suits it. */
public interface Timer {

    /** What is read: "System.nanoTime", "CUDA events". */
    String clock();

    /** Smallest difference it can show, s; measured where nothing states it. */
    double resolution();

    /**
     * Runs {@code work} and waits for it.
     *
     * @return seconds that the device took, launch costs included as the clock sees them
     */
    double time(Runnable work);
}
