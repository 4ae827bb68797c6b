package dev.panamark.driver.hip;

import dev.panamark.ffi.OwnedHandle;
import dev.panamark.raw.hip.PFN_hipHostFree;
import dev.panamark.raw.hip.PFN_hipHostGetDevicePointer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Memory of the host that is never paged out. */
@SuppressWarnings("restricted")
public final class HipHostMemory implements AutoCloseable {
    private final HipCalls calls;
    private final MemorySegment segment;
    private final Arena arena = Arena.ofShared();
    private final OwnedHandle owned;

    HipHostMemory(HipContext context, MemorySegment pointer, long bytes) {
        this.calls = context.calls();
        this.segment = pointer.reinterpret(bytes, arena, null);
        this.owned = context.own("host memory of " + bytes + " bytes", () -> free(pointer));
    }

    /** All of it, until it is closed; any thread may use it. */
    public MemorySegment segment() {
        return segment;
    }

    /** The address by which kernels see it ({@code hipHostGetDevicePointer}). */
    public long deviceAddress() {
        owned.requireOpen();
        return calls.word(
                HipFunction.HOST_GET_DEVICE_POINTER,
                () -> "",
                (f, out) -> PFN_hipHostGetDevicePointer.invoke(f, out, segment, 0));
    }

    private void free(MemorySegment pointer) {
        if (arena.scope().isAlive()) { // else the library refused before, and is asked again
            arena.close(); // from here on nobody sees it any more; refused while some thread is within it
        }
        calls.check(HipFunction.HOST_FREE, PFN_hipHostFree.invoke(calls.address(HipFunction.HOST_FREE), pointer));
    }

    @Override
    public void close() {
        owned.close();
    }
}
