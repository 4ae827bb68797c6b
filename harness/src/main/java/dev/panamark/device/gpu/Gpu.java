package dev.panamark.device.gpu;

import static java.util.Objects.requireNonNull;

import dev.panamark.device.DeviceInfo;
import dev.panamark.device.UnsupportedException;

/** An open GPU with one stream, in which everything is done. Used by one thread at a time. */
public interface Gpu {
    /** Which one it is. */
    DeviceInfo info();

    /**
     * Memory of the device.
     *
     * @param whose it is, for messages
     * @param bytes at least 1
     * @throws UnsupportedException where there is not that much left
     */
    GpuMemory memory(String whose, long bytes);

    /**
     * What says that there is too little memory.
     *
     * @param call which, and with what status
     */
    default UnsupportedException tooLittle(
            String whose, long bytes, long free, long total, String call, Throwable cause) {
        return new UnsupportedException(
                whose + " takes " + bytes + " bytes, and " + info().id() + " has " + free + " of " + total + " left ("
                        + call + "); choose a smaller problem, or end what else uses the GPU",
                cause);
    }

    /** Does what puts work into the stream. */
    void queued(Runnable work);

    /** Does what puts work into the stream, and waits for it and for all that was there before. */
    void waiting(Runnable work);

    /** Gives something back that was made here. */
    void release(AutoCloseable what);

    /** Makes of what the driver says what a row says. */
    Refusals refusals();

    /** A value of {@code device.*} that every GPU has. */
    default int value(String name) {
        return requireNonNull(info().values().get(name), name).intValue();
    }
}
