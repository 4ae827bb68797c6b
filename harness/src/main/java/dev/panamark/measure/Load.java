package dev.panamark.measure;

/**
 * Work whose energy is asked for. It keeps the device busy for as long as it is called, so that a window can begin and
 * end while it runs. Used by one thread.
 */
public interface Load {

    /**
     * Keeps the device busy: a backend whose launches return when they are done launches one, or as many as take some
     * 50 us; one with a queue fills it up so that it does not run dry until the next call, and returns.
     *
     * @return the newest completion known
     */
    Completion advance();

    /** Waits until nothing of it runs any more; the next {@link #advance} goes on. */
    void pause();

    /**
     * A launch that has ended.
     *
     * @param launches that have ended since the load was made, this one included; 0 where none has
     * @param nanos when it ended, by the host's clock
     */
    record Completion(long launches, long nanos) {}
}
