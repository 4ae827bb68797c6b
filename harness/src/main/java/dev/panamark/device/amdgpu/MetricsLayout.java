package dev.panamark.device.amdgpu;

import dev.panamark.ffi.Availability;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Where the figures of energy and power lie in gpu_metrics, by the kernel's header kgd_pp_interface.h, structures
 * {@code gpu_metrics_v1_1} to {@code gpu_metrics_v1_8}. All begin with the size of the structure (2 bytes), the revision of
 * its format and that of its content (1 byte each), and all are little-endian.
 *
 * <p>Offsets and sizes were counted from the order of the fields: 1.1 to 1.5 and the first 1.6 from Linux at commit
 * 00dedab07b52, the other 1.6 from a tree of the time of Linux 6.18, 1.7 and 1.8 from there and from AMD's own driver
 * (ROCm/amdgpu at commit 0ce779bf9fdd). Those of 1.1 to 1.5 and of the second 1.6 are the same in AMD's ROCm SMI (commit
 * a129571). Content revision 6 has two layouts, which the size tells apart; so the size has to be the very one of a
 * layout that is known. No hardware has confirmed any of them.
 */
enum MetricsLayout {
    V1_1(1, 96, true, 22, 24),
    V1_2(2, 104, true, 22, 24),
    V1_3(3, 120, true, 22, 24),
    V1_4(4, 288, false, 10, 24),
    V1_5(5, 360, false, 10, 88),
    /** With the activities of 1.5, as Linux had it first. */
    V1_6_FIRST(6, 384, false, 10, 88),
    V1_6(6, 1664, false, 10, 16),
    V1_7(7, 2208, false, 10, 24),
    V1_8(8, 3872, false, 10, 24);

    /** Bytes of the header. */
    static final int HEADER = 4;

    /** Bytes from the start that hold everything that is read. */
    static final int ROOM = 96;

    private static final int FORMAT = 1;

    private final int content;
    private final int size;
    private final boolean averaged;
    private final int power;
    private final int energy;

    MetricsLayout(int content, int size, boolean averaged, int power, int energy) {
        this.content = content;
        this.size = size;
        this.averaged = averaged;
        this.power = power;
        this.energy = energy;
    }

    /** Whether its power is an average ({@code average_socket_power}), and not {@code curr_socket_power}. */
    boolean isAveraged() {
        return averaged;
    }

    /** Offset of the power, W in 2 bytes. */
    int power() {
        return power;
    }

    /** Offset of {@code energy_accumulator}, counts of 2<sup>-16</sup> J in 8 bytes. */
    int energy() {
        return energy;
    }

    /** {@code 1.4}. */
    String revision() {
        return revision(FORMAT, content);
    }

    private static String revision(int format, int content) {
        return String.format(Locale.ROOT, "%d.%d", format, content);
    }

    /**
     * The layout of a structure with this header.
     *
     * @return why it is not read, where it is not known
     */
    static Availability<MetricsLayout> of(int size, int format, int content) {
        if (format != FORMAT) {
            return unknown(format, content, "an APU's, which holds no counter of energy");
        }
        List<MetricsLayout> known =
                Arrays.stream(values()).filter(l -> l.content == content).toList();
        if (known.isEmpty()) {
            return unknown(format, content, "not one of 1.1 to 1.8, whose layouts are known here");
        }
        return known.stream()
                .filter(l -> l.size == size)
                .findFirst()
                .map(Availability::of)
                .orElseGet(() -> unknown(
                        format,
                        content,
                        size + " bytes long, and known is one of "
                                + known.stream()
                                        .map(l -> Integer.toString(l.size))
                                        .collect(Collectors.joining(" or "))));
    }

    private static Availability<MetricsLayout> unknown(int format, int content, String what) {
        return Availability.missing(
                "its gpu_metrics of revision " + revision(format, content) + " is " + what,
                "A newer Panamark may know it.");
    }
}
