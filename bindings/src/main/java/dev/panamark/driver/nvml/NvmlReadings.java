package dev.panamark.driver.nvml;

import dev.panamark.ffi.Availability;
import dev.panamark.ffi.OwnedHandle;
import dev.panamark.raw.nvml.PFN_nvmlDeviceGetClockInfo;
import dev.panamark.raw.nvml.PFN_nvmlDeviceGetCurrentClocksEventReasons;
import dev.panamark.raw.nvml.PFN_nvmlDeviceGetFieldValues;
import dev.panamark.raw.nvml.PFN_nvmlDeviceGetPowerUsage;
import dev.panamark.raw.nvml.PFN_nvmlDeviceGetTemperature;
import dev.panamark.raw.nvml.PFN_nvmlDeviceGetTemperatureV;
import dev.panamark.raw.nvml.PFN_nvmlDeviceGetTotalEnergyConsumption;
import dev.panamark.raw.nvml.nvmlFieldValue_st;
import dev.panamark.raw.nvml.nvmlTemperature_v1_t;
import dev.panamark.raw.nvml.nvmlValue_st;
import dev.panamark.raw.nvml.nvml_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * What a GPU shows at this moment. A reading takes microseconds and allocates nothing; used by one thread at a time.
 *
 * <p>Two kinds of power are told apart: averaged over a second, and of an instant, which is the mean over 18 ms to 110 ms by
 * the published measurements (Yang et al., SC24, arXiv 2312.02741).
 */
public final class NvmlReadings {
    private static final long STATUS = nvmlFieldValue_st.nvmlReturn$offset();
    private static final long TYPE = nvmlFieldValue_st.valueType$offset();
    private static final long VALUE = nvmlFieldValue_st.value$offset();
    private static final int INTEGER = nvml_h.NVML_VALUE_TYPE_UNSIGNED_INT();

    private final NvmlCalls calls;
    private final OwnedHandle library;
    private final MemorySegment device;
    private final MemorySegment number;
    private final MemorySegment field;
    private final MemorySegment temperature;
    private final boolean newTemperature;

    NvmlReadings(NvmlCalls calls, OwnedHandle library, MemorySegment device) {
        this.calls = calls;
        this.library = library;
        this.device = device;
        Arena arena = Arena.ofAuto();
        number = arena.allocate(nvml_h.C_LONG_LONG);
        field = arena.allocate(nvmlFieldValue_st.layout());
        temperature = nvmlTemperature_v1_t.allocate(arena);
        newTemperature = calls.availability(NvmlFunction.DEVICE_GET_TEMPERATURE_V)
                instanceof Availability.Available<NvmlFunction>;
    }

    /** Power that fields tell. */
    public enum Power {
        /** Averaged over a second: Ampere and newer, but not GA100. */
        AVERAGE(nvml_h.NVML_FI_DEV_POWER_AVERAGE()),
        /** As it is. */
        INSTANT(nvml_h.NVML_FI_DEV_POWER_INSTANT());

        private final int field;

        Power(int field) {
            this.field = field;
        }
    }

    /** Whose power it is. */
    public enum Scope {
        /** The GPU with its memory. */
        GPU(nvml_h.NVML_POWER_SCOPE_GPU()),
        /** The module that the GPU is on, of those with a processor (Grace). */
        MODULE(nvml_h.NVML_POWER_SCOPE_MODULE());

        private final int code;

        Scope(int code) {
            this.code = code;
        }
    }

    /** mJ since the driver was loaded ({@code nvmlDeviceGetTotalEnergyConsumption}). */
    public long energy() {
        library.requireOpen();
        calls.check(
                NvmlFunction.DEVICE_GET_TOTAL_ENERGY_CONSUMPTION,
                PFN_nvmlDeviceGetTotalEnergyConsumption.invoke(
                        calls.address(NvmlFunction.DEVICE_GET_TOTAL_ENERGY_CONSUMPTION), device, number));
        return number.get(nvml_h.C_LONG_LONG, 0);
    }

    /**
     * mW ({@code nvmlDeviceGetPowerUsage}); which of the two kinds of {@link Power} this is depends on the GPU and on the
     * driver.
     */
    public long powerUsage() {
        library.requireOpen();
        calls.check(
                NvmlFunction.DEVICE_GET_POWER_USAGE,
                PFN_nvmlDeviceGetPowerUsage.invoke(calls.address(NvmlFunction.DEVICE_GET_POWER_USAGE), device, number));
        return Integer.toUnsignedLong(number.get(nvml_h.C_INT, 0));
    }

    /**
     * mW ({@code nvmlDeviceGetFieldValues}). The call succeeds whatever becomes of the field, so the field's own status is
     * what counts.
     */
    public long power(Power power, Scope scope) {
        return integer(power.field, scope.code);
    }

    /** Degrees Celsius of the memory, where there is a sensor ({@code nvmlDeviceGetFieldValues}). */
    public int memoryTemperature() {
        return (int) integer(nvml_h.NVML_FI_DEV_MEMORY_TEMP(), 0);
    }

    private long integer(int id, int scope) {
        library.requireOpen();
        field.fill((byte) 0);
        nvmlFieldValue_st.fieldId(field, id);
        nvmlFieldValue_st.scopeId(field, scope);
        NvmlFunction function = NvmlFunction.DEVICE_GET_FIELD_VALUES;
        calls.check(function, PFN_nvmlDeviceGetFieldValues.invoke(calls.address(function), device, 1, field));
        int status = field.get(nvml_h.C_INT, STATUS);
        if (status != nvml_h.NVML_SUCCESS()) {
            throw calls.failure(function, status, "field " + id + " of scope " + scope + " was asked for");
        }
        int type = field.get(nvml_h.C_INT, TYPE);
        if (type != INTEGER) {
            throw new IllegalStateException(function.documented() + " gave field " + id + " as a value of type " + type
                    + ", where nvml.h has " + INTEGER + " (an unsigned integer); report it with the driver's version");
        }
        return Integer.toUnsignedLong(field.get(nvml_h.C_INT, VALUE + nvmlValue_st.uiVal$offset()));
    }

    /** MHz at present ({@code nvmlDeviceGetClockInfo}). */
    public int clock(NvmlDevice.Clock clock) {
        library.requireOpen();
        calls.check(
                NvmlFunction.DEVICE_GET_CLOCK_INFO,
                PFN_nvmlDeviceGetClockInfo.invoke(
                        calls.address(NvmlFunction.DEVICE_GET_CLOCK_INFO), device, clock.code(), number));
        return number.get(nvml_h.C_INT, 0);
    }

    /** Bits of {@link ClockEvent} ({@code nvmlDeviceGetCurrentClocksEventReasons}, or its older name). */
    public long clockEvents() {
        library.requireOpen();
        calls.check(
                NvmlFunction.DEVICE_GET_CURRENT_CLOCKS_EVENT_REASONS,
                PFN_nvmlDeviceGetCurrentClocksEventReasons.invoke(
                        calls.address(NvmlFunction.DEVICE_GET_CURRENT_CLOCKS_EVENT_REASONS), device, number));
        return number.get(nvml_h.C_LONG_LONG, 0);
    }

    /**
     * Degrees Celsius of the chip ({@code nvmlDeviceGetTemperatureV}; in drivers that do not have it,
     * {@code nvmlDeviceGetTemperature}).
     */
    public int temperature() {
        library.requireOpen();
        if (!newTemperature) {
            calls.check(
                    NvmlFunction.DEVICE_GET_TEMPERATURE,
                    PFN_nvmlDeviceGetTemperature.invoke(
                            calls.address(NvmlFunction.DEVICE_GET_TEMPERATURE),
                            device,
                            nvml_h.NVML_TEMPERATURE_GPU(),
                            number));
            return number.get(nvml_h.C_INT, 0);
        }
        nvmlTemperature_v1_t.version(temperature, nvml_h.nvmlTemperature_v1());
        nvmlTemperature_v1_t.sensorType(temperature, nvml_h.NVML_TEMPERATURE_GPU());
        calls.check(
                NvmlFunction.DEVICE_GET_TEMPERATURE_V,
                PFN_nvmlDeviceGetTemperatureV.invoke(
                        calls.address(NvmlFunction.DEVICE_GET_TEMPERATURE_V), device, temperature));
        return nvmlTemperature_v1_t.temperature(temperature);
    }
}
