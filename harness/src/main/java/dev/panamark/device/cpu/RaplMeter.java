package dev.panamark.device.cpu;

import dev.panamark.device.DeviceException;
import dev.panamark.device.MeterInfo;
import dev.panamark.device.PowerMeter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The energy counter of one zone, in microjoules. The file stays open: the kernel makes its text anew at each read. */
final class RaplMeter implements PowerMeter {
    /** More than the digits of a long with their line feed. */
    private static final int ROOM = 32;

    private MeterInfo info;
    private final Path file;
    private final FileChannel channel;
    private final ByteBuffer text = ByteBuffer.allocate(ROOM);

    /**
     * Opens it.
     *
     * @throws IOException when that is not allowed, or it is not there
     */
    RaplMeter(MeterInfo info, Path file) throws IOException {
        this.info = info;
        this.file = file;
        this.channel = FileChannel.open(file, StandardOpenOption.READ);
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
        text.clear();
        try {
            // At position 0 each time; sysfs gives all of so short a text at once.
            channel.read(text, 0);
        } catch (IOException e) {
            throw new DeviceException(file + " cannot be read: " + e.getMessage(), e);
        }
        text.flip();
        long value = 0;
        int digits = 0;
        while (text.hasRemaining()) {
            int c = text.get();
            if (c == '\n') {
                break;
            }
            if (c < '0' || c > '9' || value > (Long.MAX_VALUE - 9) / 10) {
                throw notANumber();
            }
            value = 10 * value + (c - '0');
            digits++;
        }
        if (digits == 0) {
            throw notANumber();
        }
        return value;
    }

    private DeviceException notANumber() {
        String came = new String(text.array(), 0, text.limit(), StandardCharsets.US_ASCII).strip();
        return new DeviceException(file + " holds '" + came + "', not a number of microjoules");
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new DeviceException(file + " cannot be closed: " + e.getMessage(), e);
        }
    }
}
