package dev.panamark.driver.cuda;

import dev.panamark.ffi.OwnedHandle;
import dev.panamark.raw.cuda.PFN_cuCtxGetCurrent;
import dev.panamark.raw.cuda.PFN_cuCtxSetCurrent;
import dev.panamark.raw.cuda.PFN_cuCtxSynchronize;
import dev.panamark.raw.cuda.PFN_cuDevicePrimaryCtxRelease_v2;
import dev.panamark.raw.cuda.PFN_cuEventCreate;
import dev.panamark.raw.cuda.PFN_cuMemAlloc_v2;
import dev.panamark.raw.cuda.PFN_cuMemGetInfo_v2;
import dev.panamark.raw.cuda.PFN_cuMemHostAlloc;
import dev.panamark.raw.cuda.PFN_cuStreamCreate;
import dev.panamark.raw.cuda.cuda_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A part in a device's primary context. Closing it closes everything that was made in it, the last first; the closing
 * thread then has it as its current context.
 */
public final class CudaContext implements AutoCloseable {
    private final CudaCalls calls;
    private final CudaDevice device;
    private final MemorySegment context;
    private final OwnedHandle owned;

    CudaContext(CudaCalls calls, CudaDevice device, MemorySegment context) {
        this.calls = calls;
        this.device = device;
        this.context = context;
        this.owned = OwnedHandle.root(
                "the context of " + device,
                () -> calls.check(
                        CudaFunction.DEVICE_PRIMARY_CTX_RELEASE,
                        PFN_cuDevicePrimaryCtxRelease_v2.invoke(
                                calls.address(CudaFunction.DEVICE_PRIMARY_CTX_RELEASE), device.handle())));
    }

    /**
     * Memory of a device.
     *
     * @param free bytes that may still be allocated, by any process
     * @param total bytes
     */
    public record MemoryInfo(long free, long total) {}

    /** Whose it is. */
    public CudaDevice device() {
        return device;
    }

    CudaCalls calls() {
        return calls;
    }

    void requireOpen() {
        owned.requireOpen();
    }

    /** Its {@code CUcontext}, for other libraries of NVIDIA's. */
    public MemorySegment handle() {
        owned.requireOpen();
        return context;
    }

    /**
     * What is closed before this context is.
     *
     * @param name as messages call it
     * @param release is called with this context as the thread's, which has its own again afterwards
     */
    public OwnedHandle own(String name, Runnable release) {
        return owned.child(name, () -> whileCurrent(release));
    }

    private void whileCurrent(Runnable release) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment before = arena.allocate(cuda_h.C_POINTER);
            int status = PFN_cuCtxGetCurrent.invoke(calls.address(CudaFunction.CTX_GET_CURRENT), before);
            MemorySegment others = before.get(cuda_h.C_POINTER, 0);
            if (status == cuda_h.CUDA_SUCCESS() && others.address() == context.address()) {
                release.run();
                return;
            }
            // Where even this fails, the release says so itself.
            PFN_cuCtxSetCurrent.invoke(calls.address(CudaFunction.CTX_SET_CURRENT), context);
            try {
                release.run();
            } finally {
                if (status == cuda_h.CUDA_SUCCESS()) {
                    PFN_cuCtxSetCurrent.invoke(calls.address(CudaFunction.CTX_SET_CURRENT), others);
                }
            }
        }
    }

    /** Makes it the calling thread's ({@code cuCtxSetCurrent}). */
    public void makeCurrent() {
        owned.requireOpen();
        calls.check(
                CudaFunction.CTX_SET_CURRENT,
                PFN_cuCtxSetCurrent.invoke(calls.address(CudaFunction.CTX_SET_CURRENT), context));
    }

    /** Whether it is the calling thread's ({@code cuCtxGetCurrent}). */
    public boolean isCurrent() {
        owned.requireOpen();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment current = arena.allocate(cuda_h.C_POINTER);
            calls.check(
                    CudaFunction.CTX_GET_CURRENT,
                    PFN_cuCtxGetCurrent.invoke(calls.address(CudaFunction.CTX_GET_CURRENT), current));
            return current.get(cuda_h.C_POINTER, 0).address() == context.address();
        }
    }

    /** Waits for everything in it ({@code cuCtxSynchronize}). */
    public void synchronize() {
        owned.requireOpen();
        calls.check(
                CudaFunction.CTX_SYNCHRONIZE, PFN_cuCtxSynchronize.invoke(calls.address(CudaFunction.CTX_SYNCHRONIZE)));
    }

    /** What memory is left ({@code cuMemGetInfo}). */
    public MemoryInfo memoryInfo() {
        owned.requireOpen();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment free = arena.allocate(cuda_h.C_LONG);
            MemorySegment total = arena.allocate(cuda_h.C_LONG);
            calls.check(
                    CudaFunction.MEM_GET_INFO,
                    PFN_cuMemGetInfo_v2.invoke(calls.address(CudaFunction.MEM_GET_INFO), free, total));
            return new MemoryInfo(free.get(cuda_h.C_LONG, 0), total.get(cuda_h.C_LONG, 0));
        }
    }

    /**
     * Memory of the device, holding anything; its address is a multiple of 256 ({@code cuMemAlloc}).
     *
     * @param bytes at least 1
     */
    public CudaMemory allocate(long bytes) {
        owned.requireOpen();
        requirePositive(bytes);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = arena.allocate(cuda_h.C_LONG_LONG);
            int status = PFN_cuMemAlloc_v2.invoke(calls.address(CudaFunction.MEM_ALLOC), address, bytes);
            if (status != cuda_h.CUDA_SUCCESS()) {
                throw calls.failure(CudaFunction.MEM_ALLOC, status, bytes + " bytes were asked for");
            }
            return new CudaMemory(this, address.get(cuda_h.C_LONG_LONG, 0), bytes);
        }
    }

    /**
     * Memory of the host that is never paged out and that the device reads and writes too ({@code cuMemHostAlloc}).
     *
     * @param bytes at least 1
     */
    public CudaHostMemory allocateHost(long bytes) {
        owned.requireOpen();
        requirePositive(bytes);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pointer = arena.allocate(cuda_h.C_POINTER);
            int flags = cuda_h.CU_MEMHOSTALLOC_PORTABLE() | cuda_h.CU_MEMHOSTALLOC_DEVICEMAP();
            int status = PFN_cuMemHostAlloc.invoke(calls.address(CudaFunction.MEM_HOST_ALLOC), pointer, bytes, flags);
            if (status != cuda_h.CUDA_SUCCESS()) {
                throw calls.failure(CudaFunction.MEM_HOST_ALLOC, status, bytes + " bytes were asked for");
            }
            return new CudaHostMemory(this, pointer.get(cuda_h.C_POINTER, 0), bytes);
        }
    }

    private static void requirePositive(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("expected at least 1 byte to allocate, not " + bytes);
        }
    }

    /** A stream that does not wait for the default stream ({@code cuStreamCreate}). */
    public CudaStream createStream() {
        owned.requireOpen();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment stream = arena.allocate(cuda_h.C_POINTER);
            calls.check(
                    CudaFunction.STREAM_CREATE,
                    PFN_cuStreamCreate.invoke(
                            calls.address(CudaFunction.STREAM_CREATE), stream, cuda_h.CU_STREAM_NON_BLOCKING()));
            return new CudaStream(this, stream.get(cuda_h.C_POINTER, 0));
        }
    }

    /**
     * An event ({@code cuEventCreate}).
     *
     * @param timing whether it notes the time when it is reached
     */
    public CudaEvent createEvent(boolean timing) {
        owned.requireOpen();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment event = arena.allocate(cuda_h.C_POINTER);
            int flags = timing ? cuda_h.CU_EVENT_DEFAULT() : cuda_h.CU_EVENT_DISABLE_TIMING();
            calls.check(
                    CudaFunction.EVENT_CREATE,
                    PFN_cuEventCreate.invoke(calls.address(CudaFunction.EVENT_CREATE), event, flags));
            return new CudaEvent(this, event.get(cuda_h.C_POINTER, 0));
        }
    }

    /**
     * Loads PTX text, a cubin or a fatbin ({@code cuModuleLoadDataEx}). PTX is compiled for the device, with its
     * {@code .loc} lines kept.
     *
     * @param image its bytes; text need not end with a zero
     * @throws CudaException whose message holds what the compiler said, where the driver does not take it
     */
    public CudaModule load(byte[] image) {
        owned.requireOpen();
        return CudaModule.load(this, image);
    }

    @Override
    public void close() {
        if (!owned.isReleased()) {
            // What is closed within it must find it current; where even that fails, the closings say so themselves.
            PFN_cuCtxSetCurrent.invoke(calls.address(CudaFunction.CTX_SET_CURRENT), context);
        }
        owned.close();
    }
}
