package dev.panamark.device;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file of the kernel's that holds one whole number, read again and again. It stays open: the kernel makes its text anew at
 * each read. Used by one thread at a time; a reading allocates nothing.
 */
public final class NumberFile implements AutoCloseable {
    /** More than the digits of a long with their line feed. */
    private static final int ROOM = 32;

    private final Path file;
    private final String unit;
    private final FileChannel channel;
    private final ByteBuffer text = ByteBuffer.allocate(ROOM);

    /**
     * Opens it.
     *
     * @param unit of the number, as messages call it: {@code microjoules}
     * @throws IOException when that is not allowed, or it is not there
     */
    public NumberFile(Path file, String unit) throws IOException {
        this.file = file;
        this.unit = unit;
        this.channel = FileChannel.open(file, StandardOpenOption.READ);
    }

    /**
     * The number in it now, at least 0.
     *
     * @throws DeviceException when it cannot be read or holds something else
     */
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
        return new DeviceException(file + " holds '" + came + "', not a number of " + unit);
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
