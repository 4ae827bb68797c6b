package dev.panamark.device.amdgpu;

import dev.panamark.device.DeviceException;
import dev.panamark.ffi.Availability;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The file gpu_metrics of one GPU. It stays open: the driver makes its content anew at each read, at most each millisecond.
 * Used by one thread at a time; a reading allocates nothing.
 */
final class MetricsFile implements AutoCloseable {
    /** What the driver has not filled in has all bits set (smu_cmn_init_soft_gpu_metrics). */
    private static final long NONE = -1L;

    private static final int NONE_SHORT = 0xffff;

    private final Path file;
    private final FileChannel channel;
    private final ByteBuffer bytes = ByteBuffer.allocate(MetricsLayout.ROOM).order(ByteOrder.LITTLE_ENDIAN);
    private final Availability<MetricsLayout> layout;
    private final int header;

    /**
     * Opens it.
     *
     * @throws IOException when that is not allowed, or it is not there
     * @throws DeviceException when it cannot be read
     */
    MetricsFile(Path file) throws IOException {
        this.file = file;
        this.channel = FileChannel.open(file, StandardOpenOption.READ);
        try {
            fetch(MetricsLayout.HEADER);
        } catch (DeviceException e) {
            channel.close();
            throw e;
        }
        header = bytes.getInt(0);
        layout = MetricsLayout.of(
                Short.toUnsignedInt(bytes.getShort(0)),
                Byte.toUnsignedInt(bytes.get(2)),
                Byte.toUnsignedInt(bytes.get(3)));
    }

    /** How its bytes are laid out, or why that is not known. */
    Availability<MetricsLayout> layout() {
        return layout;
    }

    /**
     * Counts of 2<sup>-16</sup> J since the driver was loaded.
     *
     * @throws DeviceException when it cannot be read, or the GPU has none
     */
    long energy(MetricsLayout known) {
        again(known);
        long counts = bytes.getLong(known.energy());
        if (counts == NONE) {
            throw new DeviceException(
                    file + " has all bits of energy_accumulator set, which is AMD's \"not available\"");
        }
        if (counts < 0) {
            throw new DeviceException(file + " shows an energy_accumulator of " + Long.toUnsignedString(counts)
                    + ", which is beyond any counter");
        }
        return counts;
    }

    /**
     * W.
     *
     * @throws DeviceException when it cannot be read, or the GPU has none
     */
    long power(MetricsLayout known) {
        again(known);
        int watts = Short.toUnsignedInt(bytes.getShort(known.power()));
        if (watts == NONE_SHORT) {
            throw new DeviceException(file + " has all bits of its socket power set, which is AMD's \"not available\"");
        }
        return watts;
    }

    private void again(MetricsLayout known) {
        fetch(Math.max(known.energy() + Long.BYTES, known.power() + Short.BYTES));
        if (bytes.getInt(0) != header) {
            throw new DeviceException(file + " has become of another revision or size than it was");
        }
    }

    private void fetch(int needed) {
        bytes.clear();
        try {
            channel.read(bytes, 0);
        } catch (IOException e) {
            throw new DeviceException(file + " cannot be read: " + e.getMessage(), e);
        }
        if (bytes.position() < needed) {
            throw new DeviceException(
                    file + " gave " + bytes.position() + " bytes, and " + needed + " are the least that is needed");
        }
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
