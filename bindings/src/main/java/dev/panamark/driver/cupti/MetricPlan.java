package dev.panamark.driver.cupti;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * How metrics of a chip are collected.
 *
 * @param chip of which they are
 * @param metrics with their suffixes
 * @param config CUPTI's image of it, which the profiler takes; read only
 * @param passes how often the same work must be done, as not all can be counted at once; at least 1
 */
public record MetricPlan(String chip, List<String> metrics, MemorySegment config, int passes) {
    /** Copies the names. */
    public MetricPlan {
        metrics = List.copyOf(metrics);
    }
}
