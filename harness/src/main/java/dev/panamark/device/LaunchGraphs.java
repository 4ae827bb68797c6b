package dev.panamark.device;

/** Collects launches, to be launched together later without the host's part in each. */
public interface LaunchGraphs {

    /** Launches that were collected. */
    interface Recorded extends Runnable, AutoCloseable {
        /** Launches all of them, in their order; may return before they are done. */
        @Override
        void run();

        @Override
        void close();
    }

    /**
     * Collects what some work launches, instead of launching it.
     *
     * @param launches which have been launched before, and neither allocate nor wait
     * @throws DeviceException where they cannot be collected
     */
    Recorded record(Runnable launches);
}
