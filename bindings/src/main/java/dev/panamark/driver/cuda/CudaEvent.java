package dev.panamark.driver.cuda;

import dev.panamark.ffi.OwnedHandle;
import dev.panamark.raw.cuda.PFN_cuEventDestroy_v2;
import dev.panamark.raw.cuda.PFN_cuEventElapsedTime_v2;
import dev.panamark.raw.cuda.PFN_cuEventQuery;
import dev.panamark.raw.cuda.PFN_cuEventRecord;
import dev.panamark.raw.cuda.PFN_cuEventSynchronize;
import dev.panamark.raw.cuda.cuda_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A mark in a stream, and the time when the device reached it. */
public final class CudaEvent implements AutoCloseable {
    private static final double MILLISECOND = 1e-3;

    private final CudaCalls calls;
    private final MemorySegment event;
    private final OwnedHandle owned;

    CudaEvent(CudaContext context, MemorySegment event) {
        this.calls = context.calls();
        this.event = event;
        this.owned = context.own(
                "an event",
                () -> calls.check(
                        CudaFunction.EVENT_DESTROY,
                        PFN_cuEventDestroy_v2.invoke(calls.address(CudaFunction.EVENT_DESTROY), event)));
    }

    MemorySegment event() {
        owned.requireOpen();
        return event;
    }

    /** Puts the mark after everything that is in a stream now ({@code cuEventRecord}). Allocates nothing. */
    public void record(CudaStream stream) {
        calls.check(
                CudaFunction.EVENT_RECORD,
                PFN_cuEventRecord.invoke(calls.address(CudaFunction.EVENT_RECORD), event(), stream.stream()));
    }

    /** Whether the device has reached it ({@code cuEventQuery}). */
    public boolean isReached() {
        int status = PFN_cuEventQuery.invoke(calls.address(CudaFunction.EVENT_QUERY), event());
        if (status == cuda_h.CUDA_ERROR_NOT_READY()) {
            return false;
        }
        calls.check(CudaFunction.EVENT_QUERY, status);
        return true;
    }

    /** Waits until the device has reached it ({@code cuEventSynchronize}). */
    public void synchronize() {
        calls.check(
                CudaFunction.EVENT_SYNCHRONIZE,
                PFN_cuEventSynchronize.invoke(calls.address(CudaFunction.EVENT_SYNCHRONIZE), event()));
    }

    /**
     * Seconds between two events of which both are reached ({@code cuEventElapsedTime}); the driver gives them in
     * milliseconds, as a 32-bit number.
     *
     * @param start the earlier one
     * @throws CudaException {@code CUDA_ERROR_NOT_READY} where one is not reached yet
     */
    public double secondsSince(CudaEvent start) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment milliseconds = arena.allocate(cuda_h.C_FLOAT);
            calls.check(
                    CudaFunction.EVENT_ELAPSED_TIME,
                    PFN_cuEventElapsedTime_v2.invoke(
                            calls.address(CudaFunction.EVENT_ELAPSED_TIME), milliseconds, start.event(), event()));
            return milliseconds.get(cuda_h.C_FLOAT, 0) * MILLISECOND;
        }
    }

    @Override
    public void close() {
        owned.close();
    }
}
