package dev.panamark.driver.hip;

import dev.panamark.ffi.OwnedHandle;
import dev.panamark.raw.hip.PFN_hipMemcpyDtoDAsync;
import dev.panamark.raw.hip.PFN_hipMemcpyDtoHAsync;
import dev.panamark.raw.hip.PFN_hipMemcpyHtoDAsync;
import dev.panamark.raw.hip.PFN_hipMemsetD32Async;
import dev.panamark.raw.hip.PFN_hipMemsetD8Async;
import dev.panamark.raw.hip.PFN_hipStreamBeginCapture;
import dev.panamark.raw.hip.PFN_hipStreamDestroy;
import dev.panamark.raw.hip.PFN_hipStreamEndCapture;
import dev.panamark.raw.hip.PFN_hipStreamQuery;
import dev.panamark.raw.hip.PFN_hipStreamSynchronize;
import dev.panamark.raw.hip.PFN_hipStreamWaitEvent;
import dev.panamark.raw.hip.PFN_hipStreamWaitValue32;
import dev.panamark.raw.hip.PFN_hipStreamWriteValue32;
import dev.panamark.raw.hip.hip_h;
import java.lang.foreign.MemorySegment;

/**
 * A queue of work that the device does in its order. Calls return when the work is put in; memory that it names must stay
 * until it is done.
 */
public final class HipStream implements AutoCloseable {
    private static final int WHOLE_WORD = -1;

    private final HipContext context;
    private final HipCalls calls;
    private final MemorySegment stream;
    private final OwnedHandle owned;

    HipStream(HipContext context, MemorySegment stream) {
        this.context = context;
        this.calls = context.calls();
        this.stream = stream;
        this.owned = context.own(
                "a stream",
                () -> calls.check(
                        HipFunction.STREAM_DESTROY,
                        PFN_hipStreamDestroy.invoke(calls.address(HipFunction.STREAM_DESTROY), stream)));
    }

    MemorySegment stream() {
        owned.requireOpen();
        return stream;
    }

    /** Waits until all its work is done ({@code hipStreamSynchronize}). */
    public void synchronize() {
        calls.check(
                HipFunction.STREAM_SYNCHRONIZE,
                PFN_hipStreamSynchronize.invoke(calls.address(HipFunction.STREAM_SYNCHRONIZE), stream()));
    }

    /** Whether all its work is done ({@code hipStreamQuery}). */
    public boolean isDone() {
        int status = PFN_hipStreamQuery.invoke(calls.address(HipFunction.STREAM_QUERY), stream());
        if (status == hip_h.hipErrorNotReady()) {
            return false;
        }
        calls.check(HipFunction.STREAM_QUERY, status);
        return true;
    }

    /** Goes on only after an event of another stream is reached ({@code hipStreamWaitEvent}). */
    public void waitFor(HipEvent event) {
        calls.check(
                HipFunction.STREAM_WAIT_EVENT,
                PFN_hipStreamWaitEvent.invoke(
                        calls.address(HipFunction.STREAM_WAIT_EVENT), stream(), event.event(), 0));
    }

    /**
     * Goes on only after the 32-bit word at a device address is at least {@code value} ({@code hipStreamWaitValue32}), where
     * {@link DeviceAttribute#CAN_USE_STREAM_WAIT_VALUE} says that the device can.
     */
    public void waitForValue(long address, int value) {
        calls.check(
                HipFunction.STREAM_WAIT_VALUE_32,
                PFN_hipStreamWaitValue32.invoke(
                        calls.address(HipFunction.STREAM_WAIT_VALUE_32),
                        stream(),
                        MemorySegment.ofAddress(address),
                        value,
                        hip_h.hipStreamWaitValueGte(),
                        WHOLE_WORD));
    }

    /** Writes the 32-bit word at a device address ({@code hipStreamWriteValue32}). */
    public void writeValue(long address, int value) {
        calls.check(
                HipFunction.STREAM_WRITE_VALUE_32,
                PFN_hipStreamWriteValue32.invoke(
                        calls.address(HipFunction.STREAM_WRITE_VALUE_32),
                        stream(),
                        MemorySegment.ofAddress(address),
                        value,
                        0));
    }

    /** Copies from native memory of the host ({@code hipMemcpyHtoDAsync}). */
    public void upload(HipMemory to, long offset, MemorySegment from) {
        MemorySegment range = to.range(offset, from.byteSize());
        calls.check(
                HipFunction.MEMCPY_HTOD_ASYNC,
                PFN_hipMemcpyHtoDAsync.invoke(
                        calls.address(HipFunction.MEMCPY_HTOD_ASYNC), range, from, from.byteSize(), stream()));
    }

    /** Copies to native memory of the host ({@code hipMemcpyDtoHAsync}). */
    public void download(HipMemory from, long offset, MemorySegment to) {
        MemorySegment range = from.range(offset, to.byteSize());
        calls.check(
                HipFunction.MEMCPY_DTOH_ASYNC,
                PFN_hipMemcpyDtoHAsync.invoke(
                        calls.address(HipFunction.MEMCPY_DTOH_ASYNC), to, range, to.byteSize(), stream()));
    }

    /** Copies within the device ({@code hipMemcpyDtoDAsync}). */
    public void copy(HipMemory to, long offset, HipMemory from, long fromOffset, long length) {
        MemorySegment target = to.range(offset, length);
        MemorySegment source = from.range(fromOffset, length);
        calls.check(
                HipFunction.MEMCPY_DTOD_ASYNC,
                PFN_hipMemcpyDtoDAsync.invoke(
                        calls.address(HipFunction.MEMCPY_DTOD_ASYNC), target, source, length, stream()));
    }

    /** Sets bytes to a value ({@code hipMemsetD8Async}). */
    public void fill(HipMemory memory, long offset, long length, byte value) {
        MemorySegment range = memory.range(offset, length);
        calls.check(
                HipFunction.MEMSET_D8_ASYNC,
                PFN_hipMemsetD8Async.invoke(
                        calls.address(HipFunction.MEMSET_D8_ASYNC), range, value, length, stream()));
    }

    /**
     * Sets 32-bit words to a value ({@code hipMemsetD32Async}).
     *
     * @param offset a multiple of 4
     * @param words how many
     */
    public void fillWords(HipMemory memory, long offset, long words, int value) {
        MemorySegment range = memory.words(offset, words);
        calls.check(
                HipFunction.MEMSET_D32_ASYNC,
                PFN_hipMemsetD32Async.invoke(
                        calls.address(HipFunction.MEMSET_D32_ASYNC), range, value, words, stream()));
    }

    /**
     * From now on collects work of this thread instead of doing it ({@code hipStreamBeginCapture}). The thread must not make
     * calls meanwhile that a capture forbids, such as allocating.
     */
    public void beginCapture() {
        calls.check(
                HipFunction.STREAM_BEGIN_CAPTURE,
                PFN_hipStreamBeginCapture.invoke(
                        calls.address(HipFunction.STREAM_BEGIN_CAPTURE),
                        stream(),
                        hip_h.hipStreamCaptureModeThreadLocal()));
    }

    /** Ends collecting, and gives what was collected ({@code hipStreamEndCapture}). */
    public HipGraph endCapture() {
        MemorySegment into = stream();
        MemorySegment graph = calls.handle(
                HipFunction.STREAM_END_CAPTURE, () -> "", (f, out) -> PFN_hipStreamEndCapture.invoke(f, into, out));
        return new HipGraph(context, graph);
    }

    @Override
    public void close() {
        owned.close();
    }
}
