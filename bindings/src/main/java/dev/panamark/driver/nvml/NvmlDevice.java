package dev.panamark.driver.nvml;

import dev.panamark.ffi.Availability;
import dev.panamark.ffi.OwnedHandle;
import dev.panamark.raw.nvml.PFN_nvmlDeviceGetComputeRunningProcesses_v3;
import dev.panamark.raw.nvml.PFN_nvmlDeviceGetEccMode;
import dev.panamark.raw.nvml.PFN_nvmlDeviceGetEnforcedPowerLimit;
import dev.panamark.raw.nvml.PFN_nvmlDeviceGetMaxClockInfo;
import dev.panamark.raw.nvml.PFN_nvmlDeviceGetMigMode;
import dev.panamark.raw.nvml.PFN_nvmlDeviceGetName;
import dev.panamark.raw.nvml.PFN_nvmlDeviceGetPciInfo_v3;
import dev.panamark.raw.nvml.PFN_nvmlDeviceGetPersistenceMode;
import dev.panamark.raw.nvml.PFN_nvmlDeviceGetPowerManagementLimitConstraints;
import dev.panamark.raw.nvml.PFN_nvmlDeviceGetUUID;
import dev.panamark.raw.nvml.PFN_nvmlDeviceResetGpuLockedClocks;
import dev.panamark.raw.nvml.PFN_nvmlDeviceSetGpuLockedClocks;
import dev.panamark.raw.nvml.nvmlPciInfo_st;
import dev.panamark.raw.nvml.nvmlProcessInfo_v2_st;
import dev.panamark.raw.nvml.nvml_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A GPU: what it is and how it is set. What changes from moment to moment is read through {@link #readings()}. */
public final class NvmlDevice {
    /** A list of processes may grow between being counted and being read. */
    private static final int SPARE_PROCESSES = 16;

    private static final int TRIES = 4;

    private final NvmlCalls calls;
    private final OwnedHandle library;
    private final MemorySegment handle;

    NvmlDevice(NvmlCalls calls, OwnedHandle library, MemorySegment handle) {
        this.calls = calls;
        this.library = library;
        this.handle = handle;
    }

    /**
     * Limits of the power cap, W.
     *
     * @param least that it may be set to
     * @param most that it may be set to
     */
    public record PowerRange(double least, double most) {}

    /**
     * A process that computes on the device.
     *
     * @param pid on the host, which is another than within a container
     * @param memory bytes of the device that it has; -1 where the driver does not tell
     */
    public record ComputeProcess(long pid, long memory) {}

    /** Clocks that are told. */
    public enum Clock {
        /** Streaming multiprocessors. */
        SM(nvml_h.NVML_CLOCK_SM()),
        /** Memory. */
        MEMORY(nvml_h.NVML_CLOCK_MEM());

        private final int code;

        Clock(int code) {
            this.code = code;
        }

        int code() {
            return code;
        }
    }

    /** A call with a buffer for text. */
    @FunctionalInterface
    private interface Text {
        int call(MemorySegment address, MemorySegment text, int room);
    }

    private String text(NvmlFunction function, int room, Text call) {
        library.requireOpen();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocate(room);
            calls.check(function, call.call(calls.address(function), text, room));
            return text.getString(0);
        }
    }

    /** A call with room for two numbers of 32 bits, of which it may leave the second. */
    @FunctionalInterface
    private interface Pair {
        int call(MemorySegment address, MemorySegment first, MemorySegment second);
    }

    private int[] numbers(NvmlFunction function, Pair call) {
        library.requireOpen();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment both = arena.allocate(nvml_h.C_INT, 2);
            calls.check(function, call.call(calls.address(function), both, both.asSlice(nvml_h.C_INT.byteSize())));
            return new int[] {both.getAtIndex(nvml_h.C_INT, 0), both.getAtIndex(nvml_h.C_INT, 1)};
        }
    }

    /**
     * Holds the clock of the multiprocessors ({@code nvmlDeviceSetGpuLockedClocks}), for all processes and until
     * {@link #unlockClocks}; root's to do. Heat and power still lower it.
     *
     * @param megahertz the device takes the nearest clock that it has
     */
    public void lockClocks(int megahertz) {
        library.requireOpen();
        int status = PFN_nvmlDeviceSetGpuLockedClocks.invoke(
                calls.address(NvmlFunction.DEVICE_SET_GPU_LOCKED_CLOCKS), handle, megahertz, megahertz);
        if (status != nvml_h.NVML_SUCCESS()) {
            throw calls.failure(NvmlFunction.DEVICE_SET_GPU_LOCKED_CLOCKS, status, megahertz + " MHz were asked for");
        }
    }

    /** Lets the clocks move again ({@code nvmlDeviceResetGpuLockedClocks}), whoever held them. */
    public void unlockClocks() {
        library.requireOpen();
        calls.check(
                NvmlFunction.DEVICE_RESET_GPU_LOCKED_CLOCKS,
                PFN_nvmlDeviceResetGpuLockedClocks.invoke(
                        calls.address(NvmlFunction.DEVICE_RESET_GPU_LOCKED_CLOCKS), handle));
    }

    /** What the maker calls it ({@code nvmlDeviceGetName}). */
    public String name() {
        return text(
                NvmlFunction.DEVICE_GET_NAME,
                nvml_h.NVML_DEVICE_NAME_V2_BUFFER_SIZE(),
                (f, text, room) -> PFN_nvmlDeviceGetName.invoke(f, handle, text, room));
    }

    /** {@code GPU-} and the hexadecimal digits of the UUID that CUDA tells as well ({@code nvmlDeviceGetUUID}). */
    public String uuid() {
        return text(
                NvmlFunction.DEVICE_GET_UUID,
                nvml_h.NVML_DEVICE_UUID_V2_BUFFER_SIZE(),
                (f, text, room) -> PFN_nvmlDeviceGetUUID.invoke(f, handle, text, room));
    }

    /** Where it sits, written as CUDA does: {@code 0000:c1:00.0} ({@code nvmlDeviceGetPciInfo}). */
    public String pciBusId() {
        library.requireOpen();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pci = nvmlPciInfo_st.allocate(arena);
            calls.check(
                    NvmlFunction.DEVICE_GET_PCI_INFO,
                    PFN_nvmlDeviceGetPciInfo_v3.invoke(calls.address(NvmlFunction.DEVICE_GET_PCI_INFO), handle, pci));
            return String.format(
                    Locale.ROOT,
                    "%04x:%02x:%02x.0",
                    nvmlPciInfo_st.domain(pci),
                    nvmlPciInfo_st.bus(pci),
                    nvmlPciInfo_st.device(pci));
        }
    }

    /** W that it may take, by all limits together ({@code nvmlDeviceGetEnforcedPowerLimit}). */
    public double enforcedPowerLimit() {
        return watts(numbers(
                NvmlFunction.DEVICE_GET_ENFORCED_POWER_LIMIT,
                (f, limit, _) -> PFN_nvmlDeviceGetEnforcedPowerLimit.invoke(f, handle, limit))[0]);
    }

    /** W between which the limit may be set ({@code nvmlDeviceGetPowerManagementLimitConstraints}). */
    public PowerRange powerLimits() {
        int[] both = numbers(
                NvmlFunction.DEVICE_GET_POWER_MANAGEMENT_LIMIT_CONSTRAINTS,
                (f, least, most) -> PFN_nvmlDeviceGetPowerManagementLimitConstraints.invoke(f, handle, least, most));
        return new PowerRange(watts(both[0]), watts(both[1]));
    }

    private static double watts(int milliwatts) {
        return Integer.toUnsignedLong(milliwatts) * 1e-3;
    }

    /** The highest clock, MHz ({@code nvmlDeviceGetMaxClockInfo}). */
    public int maxClock(Clock clock) {
        return numbers(
                NvmlFunction.DEVICE_GET_MAX_CLOCK_INFO,
                (f, megahertz, _) -> PFN_nvmlDeviceGetMaxClockInfo.invoke(f, handle, clock.code(), megahertz))[0];
    }

    /** Whether its memory corrects errors at present ({@code nvmlDeviceGetEccMode}). */
    public boolean isEcc() {
        return numbers(
                        NvmlFunction.DEVICE_GET_ECC_MODE,
                        (f, current, pending) -> PFN_nvmlDeviceGetEccMode.invoke(f, handle, current, pending))[0]
                != nvml_h.NVML_FEATURE_DISABLED();
    }

    /**
     * Whether it is divided into instances at present ({@code nvmlDeviceGetMigMode}). Power and energy are then still those
     * of the whole GPU, for each of them.
     */
    public boolean isMig() {
        return numbers(
                        NvmlFunction.DEVICE_GET_MIG_MODE,
                        (f, current, pending) -> PFN_nvmlDeviceGetMigMode.invoke(f, handle, current, pending))[0]
                != nvml_h.NVML_FEATURE_DISABLED();
    }

    /** Whether the driver stays loaded without users ({@code nvmlDeviceGetPersistenceMode}). */
    public boolean isPersistent() {
        return numbers(
                        NvmlFunction.DEVICE_GET_PERSISTENCE_MODE,
                        (f, mode, _) -> PFN_nvmlDeviceGetPersistenceMode.invoke(f, handle, mode))[0]
                != nvml_h.NVML_FEATURE_DISABLED();
    }

    /**
     * Who computes on it ({@code nvmlDeviceGetComputeRunningProcesses}). Takes milliseconds and holds the driver's locks, so
     * it is not for while something is measured.
     */
    public List<ComputeProcess> computeProcesses() {
        library.requireOpen();
        NvmlFunction function = NvmlFunction.DEVICE_GET_COMPUTE_RUNNING_PROCESSES;
        int room = SPARE_PROCESSES;
        int status = nvml_h.NVML_ERROR_INSUFFICIENT_SIZE();
        for (int i = 0; i < TRIES && status == nvml_h.NVML_ERROR_INSUFFICIENT_SIZE(); i++) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment count = arena.allocateFrom(nvml_h.C_INT, room);
                MemorySegment list = nvmlProcessInfo_v2_st.allocateArray(room, arena);
                status = PFN_nvmlDeviceGetComputeRunningProcesses_v3.invoke(
                        calls.address(function), handle, count, list);
                int found = count.get(nvml_h.C_INT, 0);
                if (status == nvml_h.NVML_SUCCESS()) {
                    return processes(list, found);
                }
                room = Math.max(found, 0) + SPARE_PROCESSES;
            }
        }
        throw calls.failure(function, status, "");
    }

    private static List<ComputeProcess> processes(MemorySegment list, int count) {
        List<ComputeProcess> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            MemorySegment one = nvmlProcessInfo_v2_st.asSlice(list, i);
            all.add(new ComputeProcess(
                    Integer.toUnsignedLong(nvmlProcessInfo_v2_st.pid(one)), nvmlProcessInfo_v2_st.usedGpuMemory(one)));
        }
        return all;
    }

    /** What can be read of it again and again, with memory of its own. */
    public NvmlReadings readings() {
        library.requireOpen();
        return new NvmlReadings(calls, library, handle);
    }

    /** Whether the library has a function; otherwise why not. */
    public Availability<NvmlFunction> has(NvmlFunction function) {
        return calls.availability(function);
    }
}
