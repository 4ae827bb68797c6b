package dev.panamark.driver.compile;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Calls compilers that are libraries: on a thread of its own, whose stack is as large as they expect, and which can be left alone. */
public final class CompilerThread {
    /** What the stack of a process has on Linux, a compiler's too; threads of the JVM have less. */
    private static final long STACK_BYTES = 8L << 20;

    private CompilerThread() {}

    /**
     * What a compilation makes.
     *
     * @param name of the thread
     * @throws TimeoutException when it takes longer; it goes on, and what it makes is nobody's
     * @throws ExecutionException with what it threw
     */
    public static <T> T call(String name, Duration timeout, Callable<T> compilation)
            throws InterruptedException, ExecutionException, TimeoutException {
        FutureTask<T> task = new FutureTask<>(compilation);
        Thread thread = new Thread(null, task, name, STACK_BYTES);
        thread.setDaemon(true);
        thread.start();
        return task.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    }
}
