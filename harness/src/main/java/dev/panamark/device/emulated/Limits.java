package dev.panamark.device.emulated;

import dev.panamark.device.profile.DeviceProfile;
import dev.panamark.device.profile.Figure;
import java.util.Map;

/** What a block may ask for and an SM can hold, of one profile. */
final class Limits {
    /** Without figures of their own, devices are laid out as the CUDA Programming Guide says for all since Maxwell. */
    private static final int WARP = 32;

    private final Map<String, Figure> limits;

    private Limits(Map<String, Figure> limits) {
        this.limits = limits;
    }

    static Limits of(DeviceProfile profile) {
        return new Limits(profile.architecture().limits());
    }

    /** Whether blocks can be checked and occupancy be computed. */
    boolean isKnown() {
        return value("shared_per_unit") > 0
                && value("shared_per_block") > 0
                && value("registers_per_unit") > 0
                && value("shared_granule") > 0
                && value("register_granule") > 0
                && value("partitions") > 0
                && value("warps") > 0
                && value("blocks") > 0;
    }

    private int value(String name) {
        Figure figure = limits.get(name);
        Double value = figure == null ? null : figure.value();
        return value == null ? 0 : (int) Math.round(value);
    }

    private int value(String name, int otherwise) {
        int value = value(name);
        return value > 0 ? value : otherwise;
    }

    int warpWidth() {
        return value("warp_width", WARP);
    }

    /** Bytes of shared memory that a block may have at most, static and dynamic together. */
    int sharedPerBlock() {
        return value("shared_per_block");
    }

    /** Bytes of shared memory of an SM. */
    int sharedPerUnit() {
        return value("shared_per_unit");
    }

    /** Bytes that the driver takes of each block's shared memory for itself. */
    int sharedReserved() {
        return value("shared_reserved_per_block", 0);
    }

    /** Bytes to whose multiples shared memory is rounded up. */
    int sharedGranule() {
        return value("shared_granule");
    }

    int registersPerUnit() {
        return value("registers_per_unit");
    }

    /** Registers to whose multiples those of a warp are rounded up. */
    int registerGranule() {
        return value("register_granule");
    }

    /** Parts of an SM, each with its own registers and schedulers. */
    int partitions() {
        return value("partitions");
    }

    /** Warps that an SM holds at most. */
    int warps() {
        return value("warps");
    }

    /** Blocks that an SM holds at most. */
    int blocks() {
        return value("blocks");
    }
}
