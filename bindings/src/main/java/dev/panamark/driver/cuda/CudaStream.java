package dev.panamark.driver.cuda;

import dev.panamark.ffi.OwnedHandle;
import dev.panamark.raw.cuda.PFN_cuMemcpyDtoDAsync_v2;
import dev.panamark.raw.cuda.PFN_cuMemcpyDtoHAsync_v2;
import dev.panamark.raw.cuda.PFN_cuMemcpyHtoDAsync_v2;
import dev.panamark.raw.cuda.PFN_cuMemsetD32Async;
import dev.panamark.raw.cuda.PFN_cuMemsetD8Async;
import dev.panamark.raw.cuda.PFN_cuStreamBeginCapture_v2;
import dev.panamark.raw.cuda.PFN_cuStreamDestroy_v2;
import dev.panamark.raw.cuda.PFN_cuStreamEndCapture;
import dev.panamark.raw.cuda.PFN_cuStreamQuery;
import dev.panamark.raw.cuda.PFN_cuStreamSynchronize;
import dev.panamark.raw.cuda.PFN_cuStreamWaitEvent;
import dev.panamark.raw.cuda.PFN_cuStreamWaitValue32_v2;
import dev.panamark.raw.cuda.PFN_cuStreamWriteValue32_v2;
import dev.panamark.raw.cuda.cuda_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A queue of work that the device does in its order. Calls return when the work is put in; memory that it names must stay
 * until it is done.
 */
public final class CudaStream implements AutoCloseable {
    private final CudaContext context;
    private final CudaCalls calls;
    private final MemorySegment stream;
    private final OwnedHandle owned;

    CudaStream(CudaContext context, MemorySegment stream) {
        this.context = context;
        this.calls = context.calls();
        this.stream = stream;
        this.owned = context.own(
                "a stream",
                () -> calls.check(
                        CudaFunction.STREAM_DESTROY,
                        PFN_cuStreamDestroy_v2.invoke(calls.address(CudaFunction.STREAM_DESTROY), stream)));
    }

    MemorySegment stream() {
        owned.requireOpen();
        return stream;
    }

    /** Waits until all its work is done ({@code cuStreamSynchronize}). */
    public void synchronize() {
        calls.check(
                CudaFunction.STREAM_SYNCHRONIZE,
                PFN_cuStreamSynchronize.invoke(calls.address(CudaFunction.STREAM_SYNCHRONIZE), stream()));
    }

    /** Whether all its work is done ({@code cuStreamQuery}). */
    public boolean isDone() {
        int status = PFN_cuStreamQuery.invoke(calls.address(CudaFunction.STREAM_QUERY), stream());
        if (status == cuda_h.CUDA_ERROR_NOT_READY()) {
            return false;
        }
        calls.check(CudaFunction.STREAM_QUERY, status);
        return true;
    }

    /** Goes on only after an event of another stream is reached ({@code cuStreamWaitEvent}). */
    public void waitFor(CudaEvent event) {
        calls.check(
                CudaFunction.STREAM_WAIT_EVENT,
                PFN_cuStreamWaitEvent.invoke(
                        calls.address(CudaFunction.STREAM_WAIT_EVENT), stream(), event.event(), 0));
    }

    /**
     * Goes on only after the 32-bit word at a device address is at least {@code value}, counted modulo 2<sup>32</sup>
     * ({@code cuStreamWaitValue32}, CUDA 11.7).
     */
    public void waitForValue(long address, int value) {
        calls.check(
                CudaFunction.STREAM_WAIT_VALUE_32,
                PFN_cuStreamWaitValue32_v2.invoke(
                        calls.address(CudaFunction.STREAM_WAIT_VALUE_32),
                        stream(),
                        address,
                        value,
                        cuda_h.CU_STREAM_WAIT_VALUE_GEQ()));
    }

    /** Writes the 32-bit word at a device address ({@code cuStreamWriteValue32}, CUDA 11.7). */
    public void writeValue(long address, int value) {
        calls.check(
                CudaFunction.STREAM_WRITE_VALUE_32,
                PFN_cuStreamWriteValue32_v2.invoke(
                        calls.address(CudaFunction.STREAM_WRITE_VALUE_32),
                        stream(),
                        address,
                        value,
                        cuda_h.CU_STREAM_WRITE_VALUE_DEFAULT()));
    }

    /** Copies from native memory of the host ({@code cuMemcpyHtoDAsync}). */
    public void upload(CudaMemory to, long offset, MemorySegment from) {
        calls.check(
                CudaFunction.MEMCPY_HTOD_ASYNC,
                PFN_cuMemcpyHtoDAsync_v2.invoke(
                        calls.address(CudaFunction.MEMCPY_HTOD_ASYNC),
                        to.address(offset, from.byteSize()),
                        from,
                        from.byteSize(),
                        stream()));
    }

    /** Copies to native memory of the host ({@code cuMemcpyDtoHAsync}). */
    public void download(CudaMemory from, long offset, MemorySegment to) {
        calls.check(
                CudaFunction.MEMCPY_DTOH_ASYNC,
                PFN_cuMemcpyDtoHAsync_v2.invoke(
                        calls.address(CudaFunction.MEMCPY_DTOH_ASYNC),
                        to,
                        from.address(offset, to.byteSize()),
                        to.byteSize(),
                        stream()));
    }

    /** Copies within the device ({@code cuMemcpyDtoDAsync}). */
    public void copy(CudaMemory to, long offset, CudaMemory from, long fromOffset, long length) {
        calls.check(
                CudaFunction.MEMCPY_DTOD_ASYNC,
                PFN_cuMemcpyDtoDAsync_v2.invoke(
                        calls.address(CudaFunction.MEMCPY_DTOD_ASYNC),
                        to.address(offset, length),
                        from.address(fromOffset, length),
                        length,
                        stream()));
    }

    /** Sets bytes to a value ({@code cuMemsetD8Async}). */
    public void fill(CudaMemory memory, long offset, long length, byte value) {
        calls.check(
                CudaFunction.MEMSET_D8_ASYNC,
                PFN_cuMemsetD8Async.invoke(
                        calls.address(CudaFunction.MEMSET_D8_ASYNC),
                        memory.address(offset, length),
                        value,
                        length,
                        stream()));
    }

    /**
     * Sets 32-bit words to a value ({@code cuMemsetD32Async}).
     *
     * @param offset a multiple of 4
     * @param words how many
     */
    public void fillWords(CudaMemory memory, long offset, long words, int value) {
        calls.check(
                CudaFunction.MEMSET_D32_ASYNC,
                PFN_cuMemsetD32Async.invoke(
                        calls.address(CudaFunction.MEMSET_D32_ASYNC),
                        memory.wordAddress(offset, words),
                        value,
                        words,
                        stream()));
    }

    /**
     * From now on collects work of this thread instead of doing it ({@code cuStreamBeginCapture}). The thread must not make
     * calls meanwhile that a capture forbids, such as allocating.
     */
    public void beginCapture() {
        calls.check(
                CudaFunction.STREAM_BEGIN_CAPTURE,
                PFN_cuStreamBeginCapture_v2.invoke(
                        calls.address(CudaFunction.STREAM_BEGIN_CAPTURE),
                        stream(),
                        cuda_h.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL()));
    }

    /** Ends collecting, and gives what was collected ({@code cuStreamEndCapture}). */
    public CudaGraph endCapture() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment graph = arena.allocate(cuda_h.C_POINTER);
            calls.check(
                    CudaFunction.STREAM_END_CAPTURE,
                    PFN_cuStreamEndCapture.invoke(calls.address(CudaFunction.STREAM_END_CAPTURE), stream(), graph));
            return new CudaGraph(context, graph.get(cuda_h.C_POINTER, 0));
        }
    }

    @Override
    public void close() {
        owned.close();
    }
}
