package dev.panamark.driver.rocmsmi;

import dev.panamark.ffi.OwnedHandle;
import dev.panamark.raw.rocmsmi.PFN_rsmi_dev_energy_count_get;
import dev.panamark.raw.rocmsmi.PFN_rsmi_dev_name_get;
import dev.panamark.raw.rocmsmi.PFN_rsmi_dev_power_ave_get;
import dev.panamark.raw.rocmsmi.PFN_rsmi_dev_power_cap_get;
import dev.panamark.raw.rocmsmi.PFN_rsmi_dev_power_get;
import dev.panamark.raw.rocmsmi.PFN_rsmi_dev_temp_metric_get;
import dev.panamark.raw.rocmsmi.PFN_rsmi_dev_unique_id_get;
import dev.panamark.raw.rocmsmi.rocmsmi_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** A GPU, or a partition of one. Readings take tens of microseconds, as the library opens the kernel's files each time. */
public final class RocmSmiDevice {
    private static final int NAME_ROOM = 256;

    private final RocmSmiCalls calls;
    private final OwnedHandle library;
    private final KernelFiles files;
    private final int index;
    private final String pciAddress;
    private final MemorySegment first;
    private final MemorySegment second;
    private final MemorySegment third;

    RocmSmiDevice(RocmSmiCalls calls, OwnedHandle library, KernelFiles files, int index, String pciAddress) {
        this.calls = calls;
        this.library = library;
        this.files = files;
        this.index = index;
        this.pciAddress = pciAddress;
        Arena arena = Arena.ofAuto();
        first = arena.allocate(rocmsmi_h.C_LONG);
        second = arena.allocate(rocmsmi_h.C_LONG);
        third = arena.allocate(rocmsmi_h.C_LONG);
    }

    /** What a reading of power is. */
    public enum PowerType {
        /** Averaged over a time that AMD does not state. */
        AVERAGE,
        /** As it is. */
        CURRENT
    }

    /**
     * Power of the package.
     *
     * @param microwatts as the driver tells it
     * @param type what it is
     */
    public record Power(long microwatts, PowerType type) {}

    /** Sensors of temperature. */
    public enum Sensor {
        /** At the edge of the die. */
        EDGE(rocmsmi_h.RSMI_TEMP_TYPE_EDGE()),
        /** The hottest place of the die. */
        JUNCTION(rocmsmi_h.RSMI_TEMP_TYPE_JUNCTION()),
        /** Memory. */
        MEMORY(rocmsmi_h.RSMI_TEMP_TYPE_MEMORY());

        private final int code;

        Sensor(int code) {
            this.code = code;
        }
    }

    /** Where it sits: {@code 0000:c1:00.0}; the same for all partitions of a GPU. */
    public String pciAddress() {
        return pciAddress;
    }

    /** What the library calls it ({@code rsmi_dev_name_get}); without a database of PCI ids a number. */
    public String name() {
        library.requireOpen();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocate(NAME_ROOM);
            check(
                    RocmSmiFunction.DEV_NAME_GET,
                    PFN_rsmi_dev_name_get.invoke(calls.address(RocmSmiFunction.DEV_NAME_GET), index, text, NAME_ROOM));
            return text.getString(0);
        }
    }

    /** The number that no other GPU has ({@code rsmi_dev_unique_id_get}). */
    public long uniqueId() {
        library.requireOpen();
        check(
                RocmSmiFunction.DEV_UNIQUE_ID_GET,
                PFN_rsmi_dev_unique_id_get.invoke(calls.address(RocmSmiFunction.DEV_UNIQUE_ID_GET), index, first));
        return first.get(rocmsmi_h.C_LONG, 0);
    }

    /**
     * Power ({@code rsmi_dev_power_get}; before ROCm 6.0 {@code rsmi_dev_power_ave_get}, which knows the average only).
     *
     * @throws RocmSmiUnavailableException where the library would abort the process
     */
    public Power power() {
        refuse(RocmSmiFunction.DEV_POWER_GET, files.againstPower(pciAddress));
        if (!calls.has(RocmSmiFunction.DEV_POWER_GET)) {
            check(
                    RocmSmiFunction.DEV_POWER_AVE_GET,
                    PFN_rsmi_dev_power_ave_get.invoke(
                            calls.address(RocmSmiFunction.DEV_POWER_AVE_GET), index, 0, first));
            return new Power(first.get(rocmsmi_h.C_LONG, 0), PowerType.AVERAGE);
        }
        check(
                RocmSmiFunction.DEV_POWER_GET,
                PFN_rsmi_dev_power_get.invoke(calls.address(RocmSmiFunction.DEV_POWER_GET), index, first, second));
        return new Power(
                first.get(rocmsmi_h.C_LONG, 0),
                second.get(rocmsmi_h.C_INT, 0) == rocmsmi_h.RSMI_CURRENT_POWER()
                        ? PowerType.CURRENT
                        : PowerType.AVERAGE);
    }

    /**
     * The power that it may take, uW ({@code rsmi_dev_power_cap_get}).
     *
     * @throws RocmSmiUnavailableException where the library would abort the process
     */
    public long powerCap() {
        refuse(RocmSmiFunction.DEV_POWER_CAP_GET, files.againstPower(pciAddress));
        check(
                RocmSmiFunction.DEV_POWER_CAP_GET,
                PFN_rsmi_dev_power_cap_get.invoke(calls.address(RocmSmiFunction.DEV_POWER_CAP_GET), index, 0, first));
        return first.get(rocmsmi_h.C_LONG, 0);
    }

    /**
     * Energy since the driver was loaded, in counts of 2<sup>-16</sup> J ({@code rsmi_dev_energy_count_get}). The library
     * calls that 15.3 uJ, which is 0.27 % too much; the unit is that of the kernel's header (kgd_pp_interface.h).
     *
     * @throws RocmSmiUnavailableException where the library would abort the process
     */
    public long energyCount() {
        boolean old = !calls.has(RocmSmiFunction.DEV_POWER_GET);
        refuse(RocmSmiFunction.DEV_ENERGY_COUNT_GET, files.againstEnergy(pciAddress, old));
        check(
                RocmSmiFunction.DEV_ENERGY_COUNT_GET,
                PFN_rsmi_dev_energy_count_get.invoke(
                        calls.address(RocmSmiFunction.DEV_ENERGY_COUNT_GET), index, first, second, third));
        return first.get(rocmsmi_h.C_LONG, 0);
    }

    /**
     * Temperature, thousandths of a degree Celsius ({@code rsmi_dev_temp_metric_get}).
     *
     * @throws RocmSmiUnavailableException where the library would abort the process
     */
    public long temperature(Sensor sensor) {
        refuse(RocmSmiFunction.DEV_TEMP_METRIC_GET, files.againstPower(pciAddress));
        check(
                RocmSmiFunction.DEV_TEMP_METRIC_GET,
                PFN_rsmi_dev_temp_metric_get.invoke(
                        calls.address(RocmSmiFunction.DEV_TEMP_METRIC_GET),
                        index,
                        sensor.code,
                        rocmsmi_h.RSMI_TEMP_CURRENT(),
                        first));
        return first.get(rocmsmi_h.C_LONG, 0);
    }

    private void refuse(RocmSmiFunction function, Optional<String> refusal) {
        library.requireOpen();
        refusal.ifPresent(why -> {
            throw new RocmSmiUnavailableException(function.symbol() + " was not called: " + why);
        });
    }

    private void check(RocmSmiFunction function, int status) {
        calls.check(function, status, "of " + pciAddress);
    }
}
