package dev.panamark.device.cpu;

import dev.panamark.device.MeterInfo;
import dev.panamark.device.NumberFile;
import dev.panamark.device.PowerMeter;
import java.io.IOException;
import java.nio.file.Path;

/** The energy counter of one zone, in microjoules. */
final class RaplMeter implements PowerMeter {
    private MeterInfo info;
    private final NumberFile counter;

    /**
     * Opens it.
     *
     * @throws IOException when that is not allowed, or it is not there
     */
    RaplMeter(MeterInfo info, Path file) throws IOException {
        this.info = info;
        this.counter = new NumberFile(file, "microjoules");
    }

    @Override
    public MeterInfo info() {
        return info;
    }

    /** This one, to be added to the others of its device. */
    RaplMeter counted() {
        info = info.withoutOverlap();
        return this;
    }

    /** Reads it once, to see that it can be. */
    @SuppressWarnings("CheckReturnValue")
    void check() {
        read();
    }

    @Override
    public long read() {
        return counter.read();
    }

    @Override
    public void close() {
        counter.close();
    }
}
