package dev.panamark.measure;

/** Launches of a subject, one after the other, for as long as they are asked for. */
final class SubjectLoad implements Load {
    /** Meters can be read between two calls, and reading them takes some microseconds. */
    private static final double SHORTEST = 100e-6;

    /** A parent that hears nothing for long takes its worker for hung. */
    private static final long SILENCE = 5_000_000_000L;

    private static final int MOST = 1_000_000;

    private final Subject subject;
    private final HostClock clock;
    private final Runnable alive;
    private final int atOnce;
    private long launches;
    private long told;

    /**
     * Launches nothing yet.
     *
     * @param launchSeconds what a launch takes, roughly
     * @param alive run every few seconds while there are launches
     */
    SubjectLoad(Subject subject, HostClock clock, double launchSeconds, Runnable alive) {
        this.subject = subject;
        this.clock = clock;
        this.alive = alive;
        this.atOnce = subject.atLeast((int) Math.clamp(Math.ceil(SHORTEST / Math.max(launchSeconds, 1e-9)), 1, MOST));
        this.told = clock.nanos();
    }

    @Override
    public Completion advance() {
        subject.time(atOnce);
        launches += atOnce;
        long now = clock.nanos();
        if (now - told > SILENCE) {
            told = now;
            alive.run();
        }
        return new Completion(launches, now);
    }

    /** Launches are waited for already. */
    @Override
    public void pause() {}
}
