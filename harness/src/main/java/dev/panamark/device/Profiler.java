package dev.panamark.device;

/** Has the hardware count what launches do. Used by the thread that launches; nothing is timed while it is attached. */
public interface Profiler {

    /**
     * Counts.
     *
     * @param prepare brings everything into the state in which the launches are to find it; called before each pass
     * @param launches the launches that are counted, which may return before they are done
     * @throws DeviceException where they cannot be counted; the message says why, and what to do
     */
    Profile profile(Runnable prepare, Runnable launches);
}
