package dev.panamark.driver.cupti;

import dev.panamark.raw.cupti.CUpti_Profiler_Host_ConfigAddMetrics_Params;
import dev.panamark.raw.cupti.CUpti_Profiler_Host_EvaluateToGpuValues_Params;
import dev.panamark.raw.cupti.CUpti_Profiler_Host_GetBaseMetrics_Params;
import dev.panamark.raw.cupti.CUpti_Profiler_Host_GetConfigImageSize_Params;
import dev.panamark.raw.cupti.CUpti_Profiler_Host_GetConfigImage_Params;
import dev.panamark.raw.cupti.CUpti_Profiler_Host_GetMetricProperties_Params;
import dev.panamark.raw.cupti.CUpti_Profiler_Host_GetNumOfPasses_Params;
import dev.panamark.raw.cupti.CUpti_Profiler_Host_GetSubMetrics_Params;
import dev.panamark.raw.cupti.cupti_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;

/**
 * What CUPTI knows of one chip (cupti_profiler_host.h): its metrics, how they are collected, and what collected data amounts
 * to. Needs no GPU. Used by one thread at a time.
 */
public final class CuptiHost implements AutoCloseable {
    private final CuptiCalls calls;
    private final String chip;
    private final MemorySegment availability;
    private final HostObject host;

    CuptiHost(CuptiCalls calls, String chip, MemorySegment availability) {
        this.calls = calls;
        this.chip = chip;
        this.availability = availability;
        this.host = new HostObject(calls, chip, availability);
    }

    /** As CUPTI names it. */
    public String chip() {
        return chip;
    }

    /** Names without suffixes ({@code cuptiProfilerHostGetBaseMetrics}). */
    public List<String> baseMetrics(MetricKind kind) {
        CuptiFunction function = CuptiFunction.HOST_GET_BASE_METRICS;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment parameters = host.parameters(function, arena);
            CUpti_Profiler_Host_GetBaseMetrics_Params.metricType(parameters, kind.code());
            calls.call(function, parameters, chip);
            return CuptiCalls.texts(
                    CUpti_Profiler_Host_GetBaseMetrics_Params.ppMetricNames(parameters),
                    CUpti_Profiler_Host_GetBaseMetrics_Params.numMetrics(parameters));
        }
    }

    /**
     * Suffixes that a metric is collected with, {@code .avg.per_cycle_active} ({@code cuptiProfilerHostGetSubMetrics}).
     *
     * @param metric with or without a suffix
     * @throws UnknownMetricException where the chip has none of this name
     */
    public List<String> subMetrics(String metric) {
        MetricKind kind = properties(metric).kind();
        CuptiFunction function = CuptiFunction.HOST_GET_SUB_METRICS;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment parameters = host.parameters(function, arena);
            CUpti_Profiler_Host_GetSubMetrics_Params.metricType(parameters, kind.code());
            CUpti_Profiler_Host_GetSubMetrics_Params.pMetricName(parameters, arena.allocateFrom(metric));
            calls.call(function, parameters, metric + " of " + chip);
            return CuptiCalls.texts(
                    CUpti_Profiler_Host_GetSubMetrics_Params.ppSubMetrics(parameters),
                    CUpti_Profiler_Host_GetSubMetrics_Params.numOfSubmetrics(parameters));
        }
    }

    /**
     * What CUPTI tells of a metric ({@code cuptiProfilerHostGetMetricProperties}).
     *
     * @param metric with or without a suffix
     * @throws UnknownMetricException where the chip has none of this name
     */
    public MetricProperties properties(String metric) {
        return find(metric)
                .orElseThrow(() -> new UnknownMetricException(metric, chip + " has no metric '" + metric + "'"));
    }

    /** Whether the chip has a metric that can be collected by this name, which is one with a suffix. */
    public boolean has(String metric) {
        return hasSuffix(metric) && find(metric).isPresent();
    }

    private static boolean hasSuffix(String metric) {
        return metric.indexOf('.') >= 0;
    }

    /** Empty where the chip has none of this name, of which the header says that the status is this one. */
    private Optional<MetricProperties> find(String metric) {
        CuptiFunction function = CuptiFunction.HOST_GET_METRIC_PROPERTIES;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment parameters = host.parameters(function, arena);
            CUpti_Profiler_Host_GetMetricProperties_Params.pMetricName(parameters, arena.allocateFrom(metric));
            int status = calls.status(function, parameters);
            if (status == cupti_h.CUPTI_ERROR_INVALID_METRIC_NAME()) {
                return Optional.empty();
            }
            if (status != cupti_h.CUPTI_SUCCESS()) {
                throw calls.failure(function, status, metric + " of " + chip);
            }
            return Optional.of(new MetricProperties(
                    MetricKind.of(CUpti_Profiler_Host_GetMetricProperties_Params.metricType(parameters)),
                    text(CUpti_Profiler_Host_GetMetricProperties_Params.pDescription(parameters)),
                    text(CUpti_Profiler_Host_GetMetricProperties_Params.pHwUnit(parameters)),
                    text(CUpti_Profiler_Host_GetMetricProperties_Params.pDimUnit(parameters))));
        }
    }

    private static String text(MemorySegment characters) {
        return characters.address() == 0 ? "" : characters.getString(0);
    }

    /**
     * How metrics are collected together ({@code cuptiProfilerHostConfigAddMetrics}, {@code …GetConfigImageSize},
     * {@code …GetConfigImage}, {@code …GetNumOfPasses}).
     *
     * @param metrics with suffixes; at least one
     * @throws UnknownMetricException naming the first that cannot be collected
     */
    public MetricPlan plan(List<String> metrics) {
        if (metrics.isEmpty()) {
            throw new IllegalArgumentException("expected at least one metric of " + chip + " to plan, not none");
        }
        // CUPTI refuses the whole list without saying which name is none.
        metrics.forEach(this::requireCollectable);
        // An object keeps what was added to it before, and takes nothing more after a failure: each plan has its own.
        try (Arena arena = Arena.ofConfined();
                HostObject fresh = new HostObject(calls, chip, availability)) {
            add(fresh, metrics, arena);
            MemorySegment config = config(fresh, arena);
            return new MetricPlan(chip, metrics, config, passes(config, arena));
        }
    }

    private void requireCollectable(String metric) {
        properties(metric);
        if (!hasSuffix(metric)) {
            throw new UnknownMetricException(
                    metric,
                    "metric '" + metric + "' of " + chip + " is collected with a suffix: "
                            + String.join(", ", subMetrics(metric)));
        }
    }

    private void add(HostObject fresh, List<String> metrics, Arena arena) {
        CuptiFunction function = CuptiFunction.HOST_CONFIG_ADD_METRICS;
        MemorySegment parameters = fresh.parameters(function, arena);
        CUpti_Profiler_Host_ConfigAddMetrics_Params.ppMetricNames(parameters, CuptiCalls.texts(metrics, arena));
        CUpti_Profiler_Host_ConfigAddMetrics_Params.numMetrics(parameters, metrics.size());
        calls.call(function, parameters, about(metrics));
    }

    private String about(List<String> metrics) {
        return String.join(", ", metrics) + " of " + chip;
    }

    private MemorySegment config(HostObject fresh, Arena arena) {
        CuptiFunction asking = CuptiFunction.HOST_GET_CONFIG_IMAGE_SIZE;
        MemorySegment size = fresh.parameters(asking, arena);
        calls.call(asking, size, chip);
        long bytes = CUpti_Profiler_Host_GetConfigImageSize_Params.configImageSize(size);
        CuptiFunction function = CuptiFunction.HOST_GET_CONFIG_IMAGE;
        MemorySegment config = Arena.ofAuto().allocate(bytes, CuptiCalls.IMAGE_ALIGNMENT);
        MemorySegment parameters = fresh.parameters(function, arena);
        CUpti_Profiler_Host_GetConfigImage_Params.configImageSize(parameters, bytes);
        CUpti_Profiler_Host_GetConfigImage_Params.pConfigImage(parameters, config);
        calls.call(function, parameters, chip);
        return config.asReadOnly();
    }

    private int passes(MemorySegment config, Arena arena) {
        CuptiFunction function = CuptiFunction.HOST_GET_NUM_OF_PASSES;
        MemorySegment parameters = CuptiCalls.parameters(function, arena);
        CUpti_Profiler_Host_GetNumOfPasses_Params.configImageSize(parameters, config.byteSize());
        CUpti_Profiler_Host_GetNumOfPasses_Params.pConfigImage(parameters, config);
        calls.call(function, parameters, chip);
        return Math.toIntExact(CUpti_Profiler_Host_GetNumOfPasses_Params.numOfPasses(parameters));
    }

    /**
     * Values of metrics in what was collected ({@code cuptiProfilerHostEvaluateToGpuValues}), in the order of the names; NaN
     * where CUPTI has no value.
     *
     * @param data what was collected by a plan of this chip
     * @param rangeIndex from 0 on
     * @param metrics of the plan, all or some of them
     */
    public double[] evaluate(CounterData data, int rangeIndex, List<String> metrics) {
        data.requireCollected(chip, metrics);
        CuptiFunction function = CuptiFunction.HOST_EVALUATE_TO_GPU_VALUES;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment values = arena.allocate(cupti_h.C_DOUBLE, metrics.size());
            MemorySegment parameters = host.parameters(function, arena);
            CUpti_Profiler_Host_EvaluateToGpuValues_Params.pCounterDataImage(parameters, data.image());
            CUpti_Profiler_Host_EvaluateToGpuValues_Params.counterDataImageSize(
                    parameters, data.image().byteSize());
            CUpti_Profiler_Host_EvaluateToGpuValues_Params.rangeIndex(parameters, rangeIndex);
            CUpti_Profiler_Host_EvaluateToGpuValues_Params.ppMetricNames(parameters, CuptiCalls.texts(metrics, arena));
            CUpti_Profiler_Host_EvaluateToGpuValues_Params.numMetrics(parameters, metrics.size());
            CUpti_Profiler_Host_EvaluateToGpuValues_Params.pMetricValues(parameters, values);
            values.fill((byte) 0xff); // NaN, in case that one is left out
            calls.call(function, parameters, "range " + rangeIndex + ", " + about(metrics));
            return values.toArray(ValueLayout.JAVA_DOUBLE);
        }
    }

    /** Gives CUPTI's object back, once ({@code cuptiProfilerHostDeinitialize}). */
    @Override
    public void close() {
        host.close();
    }
}
