package dev.panamark.device.cuda;

import dev.panamark.device.gpu.Refusals;
import dev.panamark.driver.cuda.CudaContext;
import dev.panamark.driver.cuda.CudaHostMemory;
import dev.panamark.driver.cuda.CudaLaunch;
import dev.panamark.driver.cuda.CudaMemory;
import dev.panamark.driver.cuda.CudaStream;
import java.lang.foreign.ValueLayout;
import java.util.OptionalDouble;

/**
 * The clock of a multiprocessor right now: its cycles ({@code %clock64}) over the nanoseconds of the device's timer
 * ({@code %globaltimer}) while one warp waits for a while. The timer of older devices moves on once a microsecond only, so
 * the wait is long enough for that to be half a percent.
 */
final class SmClock {
    private static final long NANOSECONDS = 200_000;
    private static final double NANO = 1e-9;
    private static final long PAIR = 2L * Long.BYTES;

    private final CudaStream stream;
    private final Refusals refusals;
    private final CudaMemory pair;
    private final CudaHostMemory read;
    private final CudaLaunch launch;

    SmClock(CudaContext context, CudaStream stream, OwnKernels own, Refusals refusals) {
        this.stream = stream;
        this.refusals = refusals;
        this.pair = context.allocate(PAIR);
        this.read = context.allocateHost(PAIR);
        this.launch = own.launch("panamark_clock", 1, 1, pair.address(), NANOSECONDS);
    }

    /** Hz; empty where the device's timer stands still. Waits for the stream, and takes 0.2 ms. */
    OptionalDouble now() {
        refusals.attempt(() -> {
            launch.launch();
            stream.download(pair, 0, read.segment());
            stream.synchronize();
        });
        long cycles = read.segment().get(ValueLayout.JAVA_LONG, 0);
        long nanoseconds = read.segment().get(ValueLayout.JAVA_LONG, Long.BYTES);
        return nanoseconds <= 0 || cycles <= 0
                ? OptionalDouble.empty()
                : OptionalDouble.of(cycles / (nanoseconds * NANO));
    }
}
