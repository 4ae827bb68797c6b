package dev.panamark.amd;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The bytes of gpu_metrics, field after field in the order of the kernel's kgd_pp_interface.h with the alignment of C, so that
 * sizes and offsets come out as they do for a compiler. Fields that nobody reads are filled with numbers that would show.
 */
final class MetricsBytes {
    private static final int FILLING = 0x5a5a;

    private final ByteBuffer bytes = ByteBuffer.allocate(8192).order(ByteOrder.LITTLE_ENDIAN);
    private int energyAt;
    private int clockAt;
    private int powerAt;

    private MetricsBytes() {}

    /**
     * A structure.
     *
     * @param revision {@code 1.0} to {@code 1.9}, {@code 2.2}; {@code 1.6 first} is that which Linux had first
     */
    static MetricsBytes of(String revision, long energy, int watts) {
        MetricsBytes m = new MetricsBytes();
        m.bytes.putShort((short) 0).put((byte) (revision.charAt(0) - '0')).put((byte) (revision.charAt(2) - '0'));
        switch (revision) {
            case "1.0" ->
                m.u64s(1).u16s(9).power(watts).u32s(1).u16s(14).u32s(1).u16s(2);
            case "1.1", "1.2", "1.3" -> {
                m.u16s(6)
                        .u16s(3)
                        .power(watts)
                        .energy(energy)
                        .clock()
                        .u16s(14)
                        .u32s(1)
                        .u16s(4)
                        .u32s(2)
                        .u16s(4);
                if (!revision.equals("1.1")) {
                    m.u64s(1);
                }
                if (revision.equals("1.3")) {
                    m.u16s(4).u64s(1);
                }
            }
            case "1.4" ->
                m.head(watts)
                        .u16s(4)
                        .energy(energy)
                        .clock()
                        .u32s(2)
                        .links()
                        .u64s(5)
                        .tail();
            case "1.5" ->
                m.head(watts)
                        .u16s(4)
                        .u16s(32)
                        .energy(energy)
                        .clock()
                        .u32s(2)
                        .links()
                        .u64s(5)
                        .u32s(2)
                        .tail();
            case "1.6 first" ->
                m.head(watts)
                        .u16s(4)
                        .u16s(32)
                        .energy(energy)
                        .clock()
                        .u32s(8)
                        .links()
                        .u64s(5)
                        .u32s(2)
                        .tail();
            case "1.6" ->
                m.head(watts)
                        .energy(energy)
                        .clock()
                        .u32s(7)
                        .links()
                        .u64s(5)
                        .u32s(2)
                        .tail()
                        .parts(32, 1);
            case "1.7" ->
                m.head(watts)
                        .u64s(1)
                        .energy(energy)
                        .clock()
                        .u32s(7)
                        .links()
                        .u64s(5)
                        .u32s(2)
                        .newTail()
                        .parts(32, 2);
            case "1.8" ->
                m.head(watts)
                        .u64s(1)
                        .energy(energy)
                        .clock()
                        .u32s(7)
                        .links()
                        .u64s(5)
                        .u32s(2)
                        .newTail()
                        .parts(40, 5);
            case "1.9", "2.2" -> m.u32s(1).u64s(14);
            default -> throw new IllegalArgumentException(revision);
        }
        m.align(8);
        m.bytes.putShort(0, (short) m.bytes.position());
        return m;
    }

    /** Three temperatures, power, two activities. */
    private MetricsBytes head(int watts) {
        return u16s(3).power(watts).u16s(2);
    }

    /** Widths and speeds of PCIe and XGMI, two accumulated activities. */
    private MetricsBytes links() {
        return u16s(4).u32s(2);
    }

    /** Data of eight XGMI links each way, the firmware's time, clocks, and padding or the number of partitions. */
    private MetricsBytes tail() {
        return u64s(16).u64s(1).u16s(8).u16s(12).u16s(2);
    }

    /** With the states of the links. */
    private MetricsBytes newTail() {
        return u64s(16).u16s(8).u16s(1).u64s(1).u16s(8).u16s(12).u16s(2);
    }

    /** What each of eight partitions does, and a counter of PCIe. */
    private MetricsBytes parts(int jpegs, int accumulators) {
        for (int i = 0; i < 8; i++) {
            align(8);
            u32s(8).u16s(jpegs).u16s(4).u64s(8 * accumulators);
        }
        return u32s(1);
    }

    private MetricsBytes power(int watts) {
        powerAt = bytes.position();
        bytes.putShort((short) watts);
        return this;
    }

    private MetricsBytes energy(long counts) {
        align(8);
        energyAt = bytes.position();
        bytes.putLong(counts);
        return this;
    }

    private MetricsBytes clock() {
        align(8);
        clockAt = bytes.position();
        return u64s(1);
    }

    private MetricsBytes u16s(int count) {
        align(2);
        for (int i = 0; i < count; i++) {
            bytes.putShort((short) FILLING);
        }
        return this;
    }

    private MetricsBytes u32s(int count) {
        align(4);
        return u16s(2 * count);
    }

    private MetricsBytes u64s(int count) {
        align(8);
        return u16s(4 * count);
    }

    private void align(int to) {
        while (bytes.position() % to != 0) {
            bytes.put((byte) 0);
        }
    }

    byte[] bytes() {
        return Arrays.copyOf(bytes.array(), bytes.position());
    }

    /** Where the counter of energy lies; 0 for none. */
    int energyAt() {
        return energyAt;
    }

    /** Where the driver's time lies, ns; right behind the counter of energy. */
    int clockAt() {
        return clockAt;
    }

    /** Where the power lies. */
    int powerAt() {
        return powerAt;
    }
}
