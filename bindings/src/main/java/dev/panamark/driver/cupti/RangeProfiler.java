package dev.panamark.driver.cupti;

import dev.panamark.driver.cuda.CudaContext;
import dev.panamark.ffi.Availability;
import dev.panamark.ffi.OwnedHandle;
import dev.panamark.raw.cupti.CUpti_Device_GetChipName_Params;
import dev.panamark.raw.cupti.CUpti_Profiler_DeviceSupported_Params;
import dev.panamark.raw.cupti.CUpti_Profiler_GetCounterAvailability_Params;
import dev.panamark.raw.cupti.cupti_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Counts what a device does in one context (cupti_target.h, cupti_profiler_target.h, cupti_range_profiler.h). The context is
 * current on the calling thread, whichever that is. The profiler is enabled only within {@link #collect} and {@link #probe}.
 * A process has one profiler at a time: closing it ends CUPTI's profiling.
 */
public final class RangeProfiler implements AutoCloseable {
    private final CuptiCalls calls;
    private final CudaContext context;
    private final OwnedHandle handle;

    private RangeProfiler(CuptiCalls calls, CudaContext context) {
        this.calls = calls;
        this.context = context;
        this.handle = context.own(
                "the profiler of " + context.device(), () -> call(calls, CuptiFunction.PROFILER_DE_INITIALIZE));
    }

    static RangeProfiler of(CuptiCalls calls, CudaContext context) {
        requireCurrent(context);
        // Where CUPTI does not reach the driver, this says so; the other calls would crash.
        call(calls, CuptiFunction.PROFILER_INITIALIZE);
        return new RangeProfiler(calls, context);
    }

    private static void requireCurrent(CudaContext context) {
        if (!context.isCurrent()) {
            throw new IllegalStateException("expected the context of " + context.device()
                    + " to be current on this thread; call makeCurrent() of it before");
        }
    }

    private static void call(CuptiCalls calls, CuptiFunction function) {
        try (Arena arena = Arena.ofConfined()) {
            calls.call(function, CuptiCalls.parameters(function, arena), "");
        }
    }

    private void requireUsable() {
        handle.requireOpen();
        requireCurrent(context);
    }

    /** The device's chip, {@code GH100} ({@code cuptiDeviceGetChipName}). */
    public String chip() {
        requireUsable();
        CuptiFunction function = CuptiFunction.DEVICE_GET_CHIP_NAME;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment parameters = CuptiCalls.parameters(function, arena);
            CUpti_Device_GetChipName_Params.deviceIndex(
                    parameters, context.device().ordinal());
            calls.call(function, parameters, context.device().toString());
            return CUpti_Device_GetChipName_Params.pChipName(parameters).getString(0);
        }
    }

    /**
     * Whether counters of the device can be read at all ({@code cuptiProfilerDeviceSupported}): the device, or every part of
     * it that is not supported. Whether this user may read them only {@link #probe} tells.
     */
    public Availability<String> support() {
        requireUsable();
        CuptiFunction function = CuptiFunction.PROFILER_DEVICE_SUPPORTED;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment parameters = CuptiCalls.parameters(function, arena);
            CUpti_Profiler_DeviceSupported_Params.cuDevice(
                    parameters, context.device().handle());
            CUpti_Profiler_DeviceSupported_Params.api(parameters, cupti_h.CUPTI_PROFILER_RANGE_PROFILING());
            calls.call(function, parameters, context.device().toString());
            return DeviceSupport.of(context.device().toString(), parameters);
        }
    }

    /**
     * CUPTI's image of the counters that the context has ({@code cuptiProfilerGetCounterAvailability}), for
     * {@link Cupti#host(String, MemorySegment)}; read only.
     */
    public MemorySegment counterAvailability() {
        requireUsable();
        CuptiFunction function = CuptiFunction.PROFILER_GET_COUNTER_AVAILABILITY;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment parameters = CuptiCalls.parameters(function, arena);
            CUpti_Profiler_GetCounterAvailability_Params.ctx(parameters, context.handle());
            calls.call(function, parameters, "the image's size was asked for");
            long bytes = CUpti_Profiler_GetCounterAvailability_Params.counterAvailabilityImageSize(parameters);
            MemorySegment image = Arena.ofAuto().allocate(bytes, CuptiCalls.IMAGE_ALIGNMENT);
            CUpti_Profiler_GetCounterAvailability_Params.pCounterAvailabilityImage(parameters, image);
            calls.call(function, parameters, "an image of " + bytes + " bytes was asked for");
            return image.asReadOnly();
        }
    }

    /**
     * Enables the profiler for a moment, so that what forbids it shows before anything is measured
     * ({@code cuptiRangeProfilerEnable}).
     *
     * @throws CuptiException where counters cannot be read, with what to do
     */
    public void probe() {
        requireUsable();
        RangeSession.enable(calls, context, handle).close();
    }

    /**
     * Counts what the device does in one range. The same work is done as often as the plan has passes, each time as if for the
     * first time.
     *
     * @param plan of metrics of this device's chip
     * @param range as CUPTI shall call it
     * @param pass does the work: the same launches each time, and waits for them
     * @param between is run between two passes, and restores what the work changes of its own input
     * @throws CollectionException where CUPTI drops the range or does not come to an end
     */
    public CounterData collect(MetricPlan plan, String range, Runnable pass, Runnable between) {
        String chip = chip();
        if (!plan.chip().equals(chip)) {
            throw new IllegalArgumentException("expected a plan of " + chip + ", not of " + plan.chip());
        }
        try (RangeSession session = RangeSession.enable(calls, context, handle)) {
            MemorySegment image = session.configure(plan);
            int passes = session.replay(plan.passes(), range, pass, between);
            session.decode();
            return new CounterData(plan, session.onlyRange(image), passes, image);
        }
    }

    /** Gives CUPTI's initialization back, once ({@code cuptiProfilerDeInitialize}). */
    @Override
    public void close() {
        handle.close();
    }
}
