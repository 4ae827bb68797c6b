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
     * Runs a launch of which some blocks run only, chosen at random; what is counted meanwhile is an estimate for all of
     * them. The same choice is made for the same seed.
     *
     * @param blocks at most; a launch that has fewer than twice as many runs all
     * @param launches one launch: another would need what blocks that did not run should have written
     * @return whether blocks were left out
     */
    boolean some(int blocks, long seed, Runnable launches);
}
