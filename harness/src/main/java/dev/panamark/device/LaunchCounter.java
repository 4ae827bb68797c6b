package dev.panamark.device;

/** Counts what launches do. */
public interface LaunchCounter {

    /**
     * Runs launches and waits for them, counting.
     *
     * @param launches of kernels of this device
     * @return what all of them did together
     * @throws DeviceException where one of them fails
     */
    Counted count(Runnable launches);
}
