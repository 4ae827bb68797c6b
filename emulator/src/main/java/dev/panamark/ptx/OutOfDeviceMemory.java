package dev.panamark.ptx;

/** An emulated device has no room for an allocation. */
public final class OutOfDeviceMemory extends RuntimeException {
    private static final long serialVersionUID = 1L;

    OutOfDeviceMemory(long bytes, long capacity) {
        super("no room for " + bytes + " bytes in a device memory of " + capacity
                + " bytes; free buffers or create more");
    }
}
