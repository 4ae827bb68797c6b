package dev.panamark.device;

/** A device's clock, held at one frequency until this is closed. */
public interface ClockLock extends AutoCloseable {
    /** Lets it move again; nothing happens a second time. */
    @Override
    void close();
}
