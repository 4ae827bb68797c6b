package dev.panamark.driver.hip;

import dev.panamark.ffi.OwnedHandle;
import dev.panamark.raw.hip.PFN_hipEventDestroy;
import dev.panamark.raw.hip.PFN_hipEventElapsedTime;
import dev.panamark.raw.hip.PFN_hipEventQuery;
import dev.panamark.raw.hip.PFN_hipEventRecord;
import dev.panamark.raw.hip.PFN_hipEventSynchronize;
import dev.panamark.raw.hip.hip_h;
import java.lang.foreign.MemorySegment;

/** A mark in a stream, and the time when the device reached it. */
public final class HipEvent implements AutoCloseable {
    private static final double MILLISECOND = 1e-3;

    private final HipCalls calls;
    private final MemorySegment event;
    private final OwnedHandle owned;

    HipEvent(HipContext context, MemorySegment event) {
        this.calls = context.calls();
        this.event = event;
        this.owned = context.own(
                "an event",
                () -> calls.check(
                        HipFunction.EVENT_DESTROY,
                        PFN_hipEventDestroy.invoke(calls.address(HipFunction.EVENT_DESTROY), event)));
    }

    MemorySegment event() {
        owned.requireOpen();
        return event;
    }

    /** Puts the mark after everything that is in a stream now ({@code hipEventRecord}). Allocates nothing. */
    public void record(HipStream stream) {
        calls.check(
                HipFunction.EVENT_RECORD,
                PFN_hipEventRecord.invoke(calls.address(HipFunction.EVENT_RECORD), event(), stream.stream()));
    }

    /** Whether the device has reached it ({@code hipEventQuery}). */
    public boolean isReached() {
        int status = PFN_hipEventQuery.invoke(calls.address(HipFunction.EVENT_QUERY), event());
        if (status == hip_h.hipErrorNotReady()) {
            return false;
        }
        calls.check(HipFunction.EVENT_QUERY, status);
        return true;
    }

    /** Waits until the device has reached it ({@code hipEventSynchronize}). */
    public void synchronize() {
        calls.check(
                HipFunction.EVENT_SYNCHRONIZE,
                PFN_hipEventSynchronize.invoke(calls.address(HipFunction.EVENT_SYNCHRONIZE), event()));
    }

    /**
     * Seconds between two events of which both are reached ({@code hipEventElapsedTime}); the library gives them in
     * milliseconds, as a 32-bit number.
     *
     * @param start the earlier one
     * @throws HipException {@code hipErrorNotReady} where one is not reached yet
     */
    public double secondsSince(HipEvent start) {
        int bits = calls.integer(
                HipFunction.EVENT_ELAPSED_TIME,
                () -> "",
                (f, out) -> PFN_hipEventElapsedTime.invoke(f, out, start.event(), event()));
        return Float.intBitsToFloat(bits) * MILLISECOND;
    }

    @Override
    public void close() {
        owned.close();
    }
}
