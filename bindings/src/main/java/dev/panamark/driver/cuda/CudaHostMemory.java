package dev.panamark.driver.cuda;

import dev.panamark.ffi.OwnedHandle;
import dev.panamark.raw.cuda.PFN_cuMemFreeHost;
import dev.panamark.raw.cuda.PFN_cuMemHostGetDevicePointer_v2;
import dev.panamark.raw.cuda.cuda_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Memory of the host that is never paged out. */
@SuppressWarnings("restricted")
public final class CudaHostMemory implements AutoCloseable {
    private final CudaCalls calls;
    private final MemorySegment segment;
    private final Arena arena = Arena.ofShared();
    private final OwnedHandle owned;

    CudaHostMemory(CudaContext context, MemorySegment pointer, long bytes) {
        this.calls = context.calls();
        this.segment = pointer.reinterpret(bytes, arena, null);
        this.owned = context.own("host memory of " + bytes + " bytes", this::free);
    }

    /** All of it, until it is closed; any thread may use it. */
    public MemorySegment segment() {
        return segment;
    }

    /** The address by which kernels see it ({@code cuMemHostGetDevicePointer}). */
    public long deviceAddress() {
        owned.requireOpen();
        try (Arena call = Arena.ofConfined()) {
            MemorySegment address = call.allocate(cuda_h.C_LONG_LONG);
            calls.check(
                    CudaFunction.MEM_HOST_GET_DEVICE_POINTER,
                    PFN_cuMemHostGetDevicePointer_v2.invoke(
                            calls.address(CudaFunction.MEM_HOST_GET_DEVICE_POINTER), address, segment, 0));
            return address.get(cuda_h.C_LONG_LONG, 0);
        }
    }

    private void free() {
        MemorySegment pointer = MemorySegment.ofAddress(segment.address());
        if (arena.scope().isAlive()) { // else the driver refused before, and is asked again
            arena.close(); // from here on nobody sees it any more; refused while some thread is within it
        }
        calls.check(
                CudaFunction.MEM_FREE_HOST,
                PFN_cuMemFreeHost.invoke(calls.address(CudaFunction.MEM_FREE_HOST), pointer));
    }

    @Override
    public void close() {
        owned.close();
    }
}
