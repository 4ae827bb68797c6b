package dev.panamark.driver.cupti;

import dev.panamark.driver.cuda.CudaContext;
import dev.panamark.ffi.OwnedHandle;
import dev.panamark.raw.cupti.CUpti_RangeProfiler_CounterDataImage_Initialize_Params;
import dev.panamark.raw.cupti.CUpti_RangeProfiler_CounterData_GetRangeInfo_Params;
import dev.panamark.raw.cupti.CUpti_RangeProfiler_DecodeData_Params;
import dev.panamark.raw.cupti.CUpti_RangeProfiler_Enable_Params;
import dev.panamark.raw.cupti.CUpti_RangeProfiler_GetCounterDataInfo_Params;
import dev.panamark.raw.cupti.CUpti_RangeProfiler_GetCounterDataSize_Params;
import dev.panamark.raw.cupti.CUpti_RangeProfiler_PushRange_Params;
import dev.panamark.raw.cupti.CUpti_RangeProfiler_SetConfig_Params;
import dev.panamark.raw.cupti.CUpti_RangeProfiler_Start_Params;
import dev.panamark.raw.cupti.CUpti_RangeProfiler_Stop_Params;
import dev.panamark.raw.cupti.cupti_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The range profiler while it is enabled (cupti_range_profiler.h): one range of the caller's (CUPTI_UserRange), which the
 * caller replays (CUPTI_UserReplay).
 */
final class RangeSession implements AutoCloseable {
    /** Passes beyond those of the plan after which CUPTI is taken not to come to an end. */
    private static final int SPARE_PASSES = 2;

    private final CuptiCalls calls;
    private final MemorySegment object;
    private final OwnedHandle handle;

    /** Of what the profiler holds until it is disabled. */
    private final Arena images = Arena.ofAuto();

    private boolean submitted;

    private RangeSession(CuptiCalls calls, MemorySegment object, OwnedHandle owner) {
        this.calls = calls;
        this.object = object;
        this.handle = owner.child("the enabled profiler", () -> call(CuptiFunction.RANGE_PROFILER_DISABLE));
    }

    /** What ends something that was begun, and does not hide the failure of what came between. */
    private interface Ending extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * {@code cuptiRangeProfilerEnable}.
     *
     * @param owner is closed after the session
     */
    static RangeSession enable(CuptiCalls calls, CudaContext context, OwnedHandle owner) {
        CuptiFunction function = CuptiFunction.RANGE_PROFILER_ENABLE;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment parameters = CuptiCalls.parameters(function, arena);
            CUpti_RangeProfiler_Enable_Params.ctx(parameters, context.handle());
            calls.call(function, parameters, context.device().toString());
            return new RangeSession(calls, CUpti_RangeProfiler_Enable_Params.pRangeProfilerObject(parameters), owner);
        }
    }

    /**
     * Tells the profiler what to count and where to ({@code cuptiRangeProfilerSetConfig}).
     *
     * @return the image for the counter data
     */
    MemorySegment configure(MetricPlan plan) {
        MemorySegment image = counterData(plan.metrics());
        MemorySegment config = images.allocate(plan.config().byteSize(), CuptiCalls.IMAGE_ALIGNMENT)
                .copyFrom(plan.config());
        CuptiFunction function = CuptiFunction.RANGE_PROFILER_SET_CONFIG;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment parameters = parameters(function, arena);
            CUpti_RangeProfiler_SetConfig_Params.configSize(parameters, config.byteSize());
            CUpti_RangeProfiler_SetConfig_Params.pConfig(parameters, config);
            CUpti_RangeProfiler_SetConfig_Params.counterDataImageSize(parameters, image.byteSize());
            CUpti_RangeProfiler_SetConfig_Params.pCounterDataImage(parameters, image);
            CUpti_RangeProfiler_SetConfig_Params.range(parameters, cupti_h.CUPTI_UserRange());
            CUpti_RangeProfiler_SetConfig_Params.replayMode(parameters, cupti_h.CUPTI_UserReplay());
            CUpti_RangeProfiler_SetConfig_Params.maxRangesPerPass(parameters, 1);
            CUpti_RangeProfiler_SetConfig_Params.numNestingLevels(parameters, (short) 1);
            CUpti_RangeProfiler_SetConfig_Params.minNestingLevel(parameters, (short) 1);
            // What Stop tells of the next pass is set here only where another process goes on, says the manual.
            CUpti_RangeProfiler_SetConfig_Params.passIndex(parameters, 0);
            CUpti_RangeProfiler_SetConfig_Params.targetNestingLevel(parameters, (short) 1);
            calls.call(function, parameters, plan.metrics().size() + " metrics");
        }
        return image;
    }

    private MemorySegment counterData(List<String> metrics) {
        try (Arena arena = Arena.ofConfined()) {
            CuptiFunction asking = CuptiFunction.RANGE_PROFILER_GET_COUNTER_DATA_SIZE;
            MemorySegment size = parameters(asking, arena);
            CUpti_RangeProfiler_GetCounterDataSize_Params.pMetricNames(size, CuptiCalls.texts(metrics, arena));
            CUpti_RangeProfiler_GetCounterDataSize_Params.numMetrics(size, metrics.size());
            CUpti_RangeProfiler_GetCounterDataSize_Params.maxNumOfRanges(size, 1);
            CUpti_RangeProfiler_GetCounterDataSize_Params.maxNumRangeTreeNodes(size, 1);
            calls.call(asking, size, metrics.size() + " metrics");
            long bytes = CUpti_RangeProfiler_GetCounterDataSize_Params.counterDataSize(size);
            MemorySegment image = images.allocate(bytes, CuptiCalls.IMAGE_ALIGNMENT);
            CuptiFunction function = CuptiFunction.RANGE_PROFILER_COUNTER_DATA_IMAGE_INITIALIZE;
            MemorySegment parameters = parameters(function, arena);
            CUpti_RangeProfiler_CounterDataImage_Initialize_Params.counterDataSize(parameters, bytes);
            CUpti_RangeProfiler_CounterDataImage_Initialize_Params.pCounterData(parameters, image);
            calls.call(function, parameters, bytes + " bytes");
            return image;
        }
    }

    /** Does the work until all passes are submitted; returns how often. */
    int replay(int planned, String range, Runnable pass, Runnable between) {
        int most = planned + SPARE_PASSES;
        for (int done = 1; done <= most; done++) {
            if (done > 1) {
                between.run();
            }
            once(range, pass);
            if (submitted) {
                return done;
            }
        }
        throw new CollectionException("CUPTI planned " + planned + " passes and asks for more after " + most
                + "; report it with the versions of CUPTI and the driver");
    }

    private void once(String range, Runnable pass) {
        call(CuptiFunction.RANGE_PROFILER_START);
        try (Ending _ = this::stop) {
            push(range);
            try (Ending _ = () -> call(CuptiFunction.RANGE_PROFILER_POP_RANGE)) {
                pass.run();
            }
        }
    }

    private void call(CuptiFunction function) {
        try (Arena arena = Arena.ofConfined()) {
            calls.call(function, parameters(function, arena), "");
        }
    }

    /** The structure of a function on this session's object, which all such structures have in the same place. */
    private MemorySegment parameters(CuptiFunction function, Arena arena) {
        MemorySegment parameters = CuptiCalls.parameters(function, arena);
        CUpti_RangeProfiler_Start_Params.pRangeProfilerObject(parameters, object);
        return parameters;
    }

    private void push(String range) {
        CuptiFunction function = CuptiFunction.RANGE_PROFILER_PUSH_RANGE;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment parameters = parameters(function, arena);
            CUpti_RangeProfiler_PushRange_Params.pRangeName(parameters, arena.allocateFrom(range));
            calls.call(function, parameters, "range " + range);
        }
    }

    private void stop() {
        CuptiFunction function = CuptiFunction.RANGE_PROFILER_STOP;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment parameters = parameters(function, arena);
            calls.call(function, parameters, "");
            submitted = CUpti_RangeProfiler_Stop_Params.isAllPassSubmitted(parameters) != 0;
        }
    }

    /** Brings what the device counted into the image ({@code cuptiRangeProfilerDecodeData}). */
    void decode() {
        CuptiFunction function = CuptiFunction.RANGE_PROFILER_DECODE_DATA;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment parameters = parameters(function, arena);
            calls.call(function, parameters, "");
            long dropped = CUpti_RangeProfiler_DecodeData_Params.numOfRangeDropped(parameters);
            if (dropped != 0) {
                throw new CollectionException("CUPTI dropped the range (it says " + dropped
                        + "), so nothing was counted; report it with the versions of CUPTI and the driver");
            }
        }
    }

    /**
     * The name of the one range that was decoded ({@code cuptiRangeProfilerGetCounterDataInfo},
     * {@code cuptiRangeProfilerCounterDataGetRangeInfo}).
     */
    String onlyRange(MemorySegment image) {
        CuptiFunction counting = CuptiFunction.RANGE_PROFILER_GET_COUNTER_DATA_INFO;
        CuptiFunction naming = CuptiFunction.RANGE_PROFILER_COUNTER_DATA_GET_RANGE_INFO;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment count = CuptiCalls.parameters(counting, arena);
            CUpti_RangeProfiler_GetCounterDataInfo_Params.pCounterDataImage(count, image);
            CUpti_RangeProfiler_GetCounterDataInfo_Params.counterDataImageSize(count, image.byteSize());
            calls.call(counting, count, "");
            long ranges = CUpti_RangeProfiler_GetCounterDataInfo_Params.numTotalRanges(count);
            if (ranges != 1) {
                throw new CollectionException("CUPTI counted " + ranges + " ranges, where there was 1");
            }
            MemorySegment name = CuptiCalls.parameters(naming, arena);
            CUpti_RangeProfiler_CounterData_GetRangeInfo_Params.pCounterDataImage(name, image);
            CUpti_RangeProfiler_CounterData_GetRangeInfo_Params.counterDataImageSize(name, image.byteSize());
            CUpti_RangeProfiler_CounterData_GetRangeInfo_Params.rangeIndex(name, 0);
            CUpti_RangeProfiler_CounterData_GetRangeInfo_Params.rangeDelimiter(name, arena.allocateFrom("/"));
            calls.call(naming, name, "range 0");
            return CUpti_RangeProfiler_CounterData_GetRangeInfo_Params.rangeName(name)
                    .getString(0);
        }
    }

    /** {@code cuptiRangeProfilerDisable}, which gives everything of the session back. */
    @Override
    public void close() {
        handle.close();
    }
}
