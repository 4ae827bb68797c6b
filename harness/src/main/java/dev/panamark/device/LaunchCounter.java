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

    /**
     * Runs launches each of which runs some of its blocks only, chosen at random; what is counted meanwhile is an estimate
     * for all of them. The same choice is made for the same seed.
     *
     * @param blocks of a launch at most; one that has fewer than twice as many runs all
     * @return whether a launch left blocks out
     */
    boolean some(int blocks, long seed, Runnable launches);
}
