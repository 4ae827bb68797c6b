package dev.panamark.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * SIGINT and SIGTERM while rows are measured: the run is told to stop, and the JVM's end is held back until what was
 * finished is on disk. The exit status stays the signal's (130, 143).
 */
final class Interruption implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 20;

    private final CountDownLatch saved = new CountDownLatch(1);
    private final Thread hook;

    private Interruption(Runnable stop) {
        hook = new Thread(
                () -> {
                    stop.run();
                    try {
                        boolean done = saved.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
                        if (!done) {
                            System.err.println("panamark: gave up waiting for the result to be saved; rows are in"
                                    + " the journal beside it");
                        }
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "interruption");
    }

    /** Calls {@code stop} from another thread when the process is told to end. */
    static Interruption of(Runnable stop) {
        Interruption interruption = new Interruption(stop);
        Runtime.getRuntime().addShutdownHook(interruption.hook);
        return interruption;
    }

    /** What was finished is saved; lets the process end, which it does before this returns. */
    void handled() {
        saved.countDown();
        try {
            hook.join();
            // The signal's exit status is set by the JVM, which is ending; this thread has nothing left to say.
            Thread.sleep(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            saved.countDown(); // the process is ending already
        }
    }
}
