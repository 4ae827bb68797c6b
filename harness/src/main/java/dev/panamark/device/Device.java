package dev.panamark.device;

import dev.panamark.kernel.Image;

/** An open device. Used by one thread at a time. */
public interface Device extends AutoCloseable {

    /** Which one it is. */
    DeviceInfo info();

    /**
     * Memory for one buffer, fenced by guard zones that show writes past either end.
     *
     * @param name of the buffer, for messages
     * @param bytes at least 1
     * @throws UnsupportedException when the device has not that much
     */
    DeviceBuffer allocate(String name, long bytes);

    /**
     * Makes an image ready for launches, compiling it first where it is source.
     *
     * @throws DeviceException when it is refused; the message carries the compiler's or driver's words
     * @throws UnsupportedException when this backend cannot run such an image
     */
    Module load(Image image);

    /** The clock that times launches here. */
    Timer timer();

    /** Waits until everything launched so far is done. */
    void synchronize();

    @Override
    void close();
}
