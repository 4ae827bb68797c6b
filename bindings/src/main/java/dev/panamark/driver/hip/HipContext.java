package dev.panamark.driver.hip;

import dev.panamark.ffi.OwnedHandle;
import dev.panamark.raw.hip.PFN_hipDeviceSynchronize;
import dev.panamark.raw.hip.PFN_hipEventCreateWithFlags;
import dev.panamark.raw.hip.PFN_hipGetDevice;
import dev.panamark.raw.hip.PFN_hipHostMalloc;
import dev.panamark.raw.hip.PFN_hipMalloc;
import dev.panamark.raw.hip.PFN_hipMemGetInfo;
import dev.panamark.raw.hip.PFN_hipSetDevice;
import dev.panamark.raw.hip.PFN_hipStreamCreateWithFlags;
import dev.panamark.raw.hip.hip_h;
import java.lang.foreign.MemorySegment;

/**
 * A part in the use of a device; HIP has one context for each, of which a thread chooses one by the device. Closing it closes
 * everything that was made in it, the last first; the closing thread then has the device as its own.
 */
public final class HipContext implements AutoCloseable {
    private final HipCalls calls;
    private final HipDevice device;
    private final OwnedHandle owned;

    HipContext(HipCalls calls, HipDevice device) {
        this.calls = calls;
        this.device = device;
        this.owned = OwnedHandle.root("the use of " + device, () -> {}); // the runtime has nothing to give back for it
    }

    /**
     * Memory of a device.
     *
     * @param free bytes that may still be allocated, by any process
     * @param total bytes
     */
    public record MemoryInfo(long free, long total) {}

    /** Whose it is. */
    public HipDevice device() {
        return device;
    }

    HipCalls calls() {
        return calls;
    }

    /**
     * What is closed before this context is.
     *
     * @param release is called with this device as the thread's, which has its own again afterwards
     */
    OwnedHandle own(String name, Runnable release) {
        return owned.child(name, () -> whileCurrent(release));
    }

    private void whileCurrent(Runnable release) {
        int before = current();
        if (before == device.ordinal()) {
            release.run();
            return;
        }
        device.makeCurrent();
        try {
            release.run();
        } finally {
            PFN_hipSetDevice.invoke(calls.address(HipFunction.SET_DEVICE), before);
        }
    }

    private int current() {
        return calls.integer(HipFunction.GET_DEVICE, () -> "", PFN_hipGetDevice::invoke);
    }

    /** Makes its device the calling thread's ({@code hipSetDevice}). */
    public void makeCurrent() {
        owned.requireOpen();
        device.makeCurrent();
    }

    /** Whether its device is the calling thread's ({@code hipGetDevice}). */
    public boolean isCurrent() {
        owned.requireOpen();
        return current() == device.ordinal();
    }

    /** Waits for everything on the device ({@code hipDeviceSynchronize}). */
    public void synchronize() {
        owned.requireOpen();
        calls.check(
                HipFunction.DEVICE_SYNCHRONIZE,
                PFN_hipDeviceSynchronize.invoke(calls.address(HipFunction.DEVICE_SYNCHRONIZE)));
    }

    /** What memory is left ({@code hipMemGetInfo}). */
    public MemoryInfo memoryInfo() {
        owned.requireOpen();
        long[] both = calls.sizes(
                HipFunction.MEM_GET_INFO,
                () -> "",
                (f, out) -> PFN_hipMemGetInfo.invoke(f, out, out.asSlice(Long.BYTES)));
        return new MemoryInfo(both[0], both[1]);
    }

    /**
     * Memory of the device, holding anything ({@code hipMalloc}).
     *
     * @param bytes at least 1
     */
    public HipMemory allocate(long bytes) {
        requirePositive(bytes);
        return new HipMemory(
                this,
                calls.word(
                        HipFunction.MALLOC,
                        () -> bytes + " bytes were asked for",
                        (f, out) -> PFN_hipMalloc.invoke(f, out, bytes)),
                bytes);
    }

    /**
     * Memory of the host that is never paged out and that the device reads and writes too ({@code hipHostMalloc}).
     *
     * @param bytes at least 1
     */
    public HipHostMemory allocateHost(long bytes) {
        requirePositive(bytes);
        int flags = hip_h.hipHostMallocPortable() | hip_h.hipHostMallocMapped();
        return new HipHostMemory(
                this,
                calls.handle(
                        HipFunction.HOST_MALLOC,
                        () -> bytes + " bytes were asked for",
                        (f, out) -> PFN_hipHostMalloc.invoke(f, out, bytes, flags)),
                bytes);
    }

    private void requirePositive(long bytes) {
        owned.requireOpen();
        if (bytes < 1) {
            throw new IllegalArgumentException("expected at least 1 byte to allocate, not " + bytes);
        }
    }

    /** A stream that does not wait for the default stream ({@code hipStreamCreateWithFlags}). */
    public HipStream createStream() {
        owned.requireOpen();
        MemorySegment stream = calls.handle(
                HipFunction.STREAM_CREATE,
                () -> "",
                (f, out) -> PFN_hipStreamCreateWithFlags.invoke(f, out, hip_h.hipStreamNonBlocking()));
        return new HipStream(this, stream);
    }

    /**
     * An event ({@code hipEventCreateWithFlags}).
     *
     * @param timing whether it notes the time when it is reached
     */
    public HipEvent createEvent(boolean timing) {
        owned.requireOpen();
        int flags = timing ? hip_h.hipEventDefault() : hip_h.hipEventDisableTiming();
        MemorySegment event = calls.handle(
                HipFunction.EVENT_CREATE, () -> "", (f, out) -> PFN_hipEventCreateWithFlags.invoke(f, out, flags));
        return new HipEvent(this, event);
    }

    /**
     * Loads a code object, or of a bundle of them the one for the device ({@code hipModuleLoadData}).
     *
     * @param image its bytes
     */
    public HipModule load(byte[] image) {
        owned.requireOpen();
        return HipModule.load(this, image);
    }

    @Override
    public void close() {
        owned.close();
    }
}
