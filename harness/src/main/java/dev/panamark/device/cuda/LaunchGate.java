package dev.panamark.device.cuda;

import dev.panamark.driver.cuda.CudaContext;
import dev.panamark.driver.cuda.CudaDriver;
import dev.panamark.driver.cuda.CudaException;
import dev.panamark.driver.cuda.CudaFunction;
import dev.panamark.driver.cuda.CudaHostMemory;
import dev.panamark.driver.cuda.CudaStream;
import dev.panamark.ffi.Availability;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Holds the stream back while launches are put into it, so that the device does them one after the other and what the host
 * takes to launch is in no time. The device waits for a word of the host's memory to change, and the host changes it: when
 * all is queued, before anything that waits for the device, after {@link #MOST} launches (a queue that is full holds up
 * whoever fills it), and in any case after two ticks of a clock that runs while the device is held.
 */
final class LaunchGate {
    /** Queues of devices take about a thousand launches before they hold up the host; this is half of that. */
    private static final int MOST = 512;

    private static final long TICK_MILLISECONDS = 100;
    private static final long WORD = Integer.BYTES;
    private static final VarHandle VALUE = ValueLayout.JAVA_INT.varHandle();

    private final CudaStream stream;
    private final Availability<CudaHostMemory> word;
    private final long address;

    /** Launches since it was shut; the launching thread's alone. */
    private int queued;

    // Guarded by this, as the clock's thread opens it too; a launch only looks whether it is closed.
    private volatile boolean closed;
    private int generation;
    private int overfull;
    private int forced;
    private int seen;

    private @Nullable ScheduledThreadPoolExecutor clock;
    private @Nullable ScheduledFuture<?> ticks;

    private LaunchGate(CudaStream stream, Availability<CudaHostMemory> word, long address) {
        this.stream = stream;
        this.word = word;
        this.address = address;
    }

    /** Finds out whether the device can wait, by having it wait for what is there already. */
    static LaunchGate of(CudaDriver driver, CudaContext context, CudaStream stream) {
        if (driver.has(CudaFunction.STREAM_WAIT_VALUE_32) instanceof Availability.Unavailable<CudaFunction> no) {
            return new LaunchGate(stream, no.as(), 0);
        }
        try {
            CudaHostMemory memory = context.allocateHost(WORD);
            memory.segment().set(ValueLayout.JAVA_INT, 0, 0);
            long address = memory.deviceAddress();
            stream.waitForValue(address, 0);
            stream.synchronize();
            return new LaunchGate(stream, Availability.of(memory), address);
        } catch (CudaException e) {
            if (e.isFatal()) {
                throw e;
            }
            return new LaunchGate(
                    stream,
                    Availability.missing(
                            "streams cannot wait for a value: " + e.getMessage(),
                            "Times of short launches hold what the host takes to launch them."),
                    0);
        }
    }

    /** Whether there is one, or why not. */
    Availability<CudaHostMemory> there() {
        return word;
    }

    /** How often the clock had to open it. */
    synchronized int forced() {
        return forced;
    }

    /** How often it was opened because the queue might have been full, with more launches to come. */
    synchronized int overfull() {
        return overfull;
    }

    /** What is put into the stream from now on waits; nothing where there is no gate. */
    synchronized void shut() {
        if (word instanceof Availability.Available<CudaHostMemory>) {
            queued = 0;
            int next = generation + 1;
            stream.waitForValue(address, next);
            generation = next;
            closed = true;
        }
    }

    /** A launch is in the queue. */
    void launched() {
        if (closed && ++queued >= MOST) {
            openOverfull();
        }
    }

    private synchronized void openOverfull() {
        overfull++;
        open();
    }

    /** What waits goes on. */
    synchronized void open() {
        if (closed) {
            closed = false;
            release();
        }
    }

    private void release() {
        if (word instanceof Availability.Available<CudaHostMemory>(CudaHostMemory memory)) {
            VALUE.setRelease(memory.segment(), 0L, generation);
        }
    }

    /** From now on it cannot stay shut for longer than two ticks. */
    void watch() {
        if (word instanceof Availability.Available<CudaHostMemory> && clock == null) {
            clock = new ScheduledThreadPoolExecutor(
                    1, Thread.ofPlatform().name("launch-gate").daemon().factory());
            ticks = clock.scheduleAtFixedRate(this::tick, TICK_MILLISECONDS, TICK_MILLISECONDS, TimeUnit.MILLISECONDS);
        }
    }

    private synchronized void tick() {
        int now = generation;
        if (closed && seen == now) {
            forced++;
            closed = false;
            release();
        }
        seen = now;
    }

    /** Nobody watches any more. */
    void unwatch() {
        if (ticks != null) {
            ticks.cancel(false);
            ticks = null;
        }
        if (clock != null) {
            clock.shutdown();
            clock = null;
        }
    }
}
