package dev.panamark.driver.cupti;

import dev.panamark.raw.cupti.CUpti_Device_GetChipName_Params;
import dev.panamark.raw.cupti.CUpti_Profiler_DeInitialize_Params;
import dev.panamark.raw.cupti.CUpti_Profiler_DeviceSupported_Params;
import dev.panamark.raw.cupti.CUpti_Profiler_GetCounterAvailability_Params;
import dev.panamark.raw.cupti.CUpti_Profiler_Host_ConfigAddMetrics_Params;
import dev.panamark.raw.cupti.CUpti_Profiler_Host_Deinitialize_Params;
import dev.panamark.raw.cupti.CUpti_Profiler_Host_EvaluateToGpuValues_Params;
import dev.panamark.raw.cupti.CUpti_Profiler_Host_GetBaseMetrics_Params;
import dev.panamark.raw.cupti.CUpti_Profiler_Host_GetConfigImageSize_Params;
import dev.panamark.raw.cupti.CUpti_Profiler_Host_GetConfigImage_Params;
import dev.panamark.raw.cupti.CUpti_Profiler_Host_GetMetricProperties_Params;
import dev.panamark.raw.cupti.CUpti_Profiler_Host_GetNumOfPasses_Params;
import dev.panamark.raw.cupti.CUpti_Profiler_Host_GetSubMetrics_Params;
import dev.panamark.raw.cupti.CUpti_Profiler_Host_GetSupportedChips_Params;
import dev.panamark.raw.cupti.CUpti_Profiler_Host_Initialize_Params;
import dev.panamark.raw.cupti.CUpti_Profiler_Initialize_Params;
import dev.panamark.raw.cupti.CUpti_RangeProfiler_CounterDataImage_Initialize_Params;
import dev.panamark.raw.cupti.CUpti_RangeProfiler_CounterData_GetRangeInfo_Params;
import dev.panamark.raw.cupti.CUpti_RangeProfiler_DecodeData_Params;
import dev.panamark.raw.cupti.CUpti_RangeProfiler_Disable_Params;
import dev.panamark.raw.cupti.CUpti_RangeProfiler_Enable_Params;
import dev.panamark.raw.cupti.CUpti_RangeProfiler_GetCounterDataInfo_Params;
import dev.panamark.raw.cupti.CUpti_RangeProfiler_GetCounterDataSize_Params;
import dev.panamark.raw.cupti.CUpti_RangeProfiler_PopRange_Params;
import dev.panamark.raw.cupti.CUpti_RangeProfiler_PushRange_Params;
import dev.panamark.raw.cupti.CUpti_RangeProfiler_SetConfig_Params;
import dev.panamark.raw.cupti.CUpti_RangeProfiler_Start_Params;
import dev.panamark.raw.cupti.CUpti_RangeProfiler_Stop_Params;
import dev.panamark.raw.cupti.cupti_h;
import java.lang.foreign.MemoryLayout;

/**
 * Functions of CUPTI that are used here. Most take one structure, whose first field is the size that the caller knows: what
 * the header's {@code STRUCT_SIZE} says, which is less than {@code sizeof} where a small field ends it.
 */
@SuppressWarnings("ImmutableEnumChecker") // layouts never change
public enum CuptiFunction {
    GET_VERSION("cuptiGetVersion"),
    GET_RESULT_STRING("cuptiGetResultString"),
    GET_ERROR_MESSAGE("cuptiGetErrorMessage"),
    DEVICE_GET_CHIP_NAME(
            "cuptiDeviceGetChipName",
            CUpti_Device_GetChipName_Params.layout(),
            cupti_h.CUpti_Device_GetChipName_Params_STRUCT_SIZE()),
    PROFILER_INITIALIZE(
            "cuptiProfilerInitialize",
            CUpti_Profiler_Initialize_Params.layout(),
            cupti_h.CUpti_Profiler_Initialize_Params_STRUCT_SIZE()),
    PROFILER_DE_INITIALIZE(
            "cuptiProfilerDeInitialize",
            CUpti_Profiler_DeInitialize_Params.layout(),
            cupti_h.CUpti_Profiler_DeInitialize_Params_STRUCT_SIZE()),
    PROFILER_DEVICE_SUPPORTED(
            "cuptiProfilerDeviceSupported",
            CUpti_Profiler_DeviceSupported_Params.layout(),
            cupti_h.CUpti_Profiler_DeviceSupported_Params_STRUCT_SIZE()),
    PROFILER_GET_COUNTER_AVAILABILITY(
            "cuptiProfilerGetCounterAvailability",
            CUpti_Profiler_GetCounterAvailability_Params.layout(),
            cupti_h.CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE()),
    HOST_INITIALIZE(
            "cuptiProfilerHostInitialize",
            CUpti_Profiler_Host_Initialize_Params.layout(),
            cupti_h.CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE()),
    HOST_DEINITIALIZE(
            "cuptiProfilerHostDeinitialize",
            CUpti_Profiler_Host_Deinitialize_Params.layout(),
            cupti_h.CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE()),
    HOST_GET_SUPPORTED_CHIPS(
            "cuptiProfilerHostGetSupportedChips",
            CUpti_Profiler_Host_GetSupportedChips_Params.layout(),
            cupti_h.CUpti_Profiler_Host_GetSupportedChips_Params_STRUCT_SIZE()),
    HOST_GET_BASE_METRICS(
            "cuptiProfilerHostGetBaseMetrics",
            CUpti_Profiler_Host_GetBaseMetrics_Params.layout(),
            cupti_h.CUpti_Profiler_Host_GetBaseMetrics_Params_STRUCT_SIZE()),
    HOST_GET_SUB_METRICS(
            "cuptiProfilerHostGetSubMetrics",
            CUpti_Profiler_Host_GetSubMetrics_Params.layout(),
            cupti_h.CUpti_Profiler_Host_GetSubMetrics_Params_STRUCT_SIZE()),
    HOST_GET_METRIC_PROPERTIES(
            "cuptiProfilerHostGetMetricProperties",
            CUpti_Profiler_Host_GetMetricProperties_Params.layout(),
            cupti_h.CUpti_Profiler_Host_GetMetricProperties_Params_STRUCT_SIZE()),
    HOST_CONFIG_ADD_METRICS(
            "cuptiProfilerHostConfigAddMetrics",
            CUpti_Profiler_Host_ConfigAddMetrics_Params.layout(),
            cupti_h.CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE()),
    HOST_GET_CONFIG_IMAGE_SIZE(
            "cuptiProfilerHostGetConfigImageSize",
            CUpti_Profiler_Host_GetConfigImageSize_Params.layout(),
            cupti_h.CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE()),
    HOST_GET_CONFIG_IMAGE(
            "cuptiProfilerHostGetConfigImage",
            CUpti_Profiler_Host_GetConfigImage_Params.layout(),
            cupti_h.CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE()),
    HOST_GET_NUM_OF_PASSES(
            "cuptiProfilerHostGetNumOfPasses",
            CUpti_Profiler_Host_GetNumOfPasses_Params.layout(),
            cupti_h.CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE()),
    HOST_EVALUATE_TO_GPU_VALUES(
            "cuptiProfilerHostEvaluateToGpuValues",
            CUpti_Profiler_Host_EvaluateToGpuValues_Params.layout(),
            cupti_h.CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE()),
    RANGE_PROFILER_ENABLE(
            "cuptiRangeProfilerEnable",
            CUpti_RangeProfiler_Enable_Params.layout(),
            cupti_h.CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE()),
    RANGE_PROFILER_DISABLE(
            "cuptiRangeProfilerDisable",
            CUpti_RangeProfiler_Disable_Params.layout(),
            cupti_h.CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE()),
    RANGE_PROFILER_GET_COUNTER_DATA_SIZE(
            "cuptiRangeProfilerGetCounterDataSize",
            CUpti_RangeProfiler_GetCounterDataSize_Params.layout(),
            cupti_h.CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE()),
    RANGE_PROFILER_COUNTER_DATA_IMAGE_INITIALIZE(
            "cuptiRangeProfilerCounterDataImageInitialize",
            CUpti_RangeProfiler_CounterDataImage_Initialize_Params.layout(),
            cupti_h.CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE()),
    RANGE_PROFILER_SET_CONFIG(
            "cuptiRangeProfilerSetConfig",
            CUpti_RangeProfiler_SetConfig_Params.layout(),
            cupti_h.CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE()),
    RANGE_PROFILER_START(
            "cuptiRangeProfilerStart",
            CUpti_RangeProfiler_Start_Params.layout(),
            cupti_h.CUpti_RangeProfiler_Start_Params_STRUCT_SIZE()),
    RANGE_PROFILER_PUSH_RANGE(
            "cuptiRangeProfilerPushRange",
            CUpti_RangeProfiler_PushRange_Params.layout(),
            cupti_h.CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE()),
    RANGE_PROFILER_POP_RANGE(
            "cuptiRangeProfilerPopRange",
            CUpti_RangeProfiler_PopRange_Params.layout(),
            cupti_h.CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE()),
    RANGE_PROFILER_STOP(
            "cuptiRangeProfilerStop",
            CUpti_RangeProfiler_Stop_Params.layout(),
            cupti_h.CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE()),
    RANGE_PROFILER_DECODE_DATA(
            "cuptiRangeProfilerDecodeData",
            CUpti_RangeProfiler_DecodeData_Params.layout(),
            cupti_h.CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE()),
    RANGE_PROFILER_GET_COUNTER_DATA_INFO(
            "cuptiRangeProfilerGetCounterDataInfo",
            CUpti_RangeProfiler_GetCounterDataInfo_Params.layout(),
            cupti_h.CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE()),
    RANGE_PROFILER_COUNTER_DATA_GET_RANGE_INFO(
            "cuptiRangeProfilerCounterDataGetRangeInfo",
            CUpti_RangeProfiler_CounterData_GetRangeInfo_Params.layout(),
            cupti_h.CUpti_RangeProfiler_CounterData_GetRangeInfo_Params_STRUCT_SIZE());

    private final String symbol;
    private final MemoryLayout layout;
    private final long size;

    CuptiFunction(String symbol) {
        this(symbol, MemoryLayout.structLayout(), 0);
    }

    CuptiFunction(String symbol, MemoryLayout layout, long size) {
        this.symbol = symbol;
        this.layout = layout;
        this.size = size;
    }

    /** As the library exports it and the manual names it. */
    public String symbol() {
        return symbol;
    }

    /** Its structure; empty where it takes none. */
    MemoryLayout layout() {
        return layout;
    }

    /** Bytes that its structure says to be of; 0 where it takes none. */
    long size() {
        return size;
    }
}
