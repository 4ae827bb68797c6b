package dev.panamark.driver.cupti;

/**
 * What CUPTI tells of a metric.
 *
 * @param kind of it
 * @param description a few words
 * @param unit of the hardware that counts it, {@code sm}
 * @param dimension of its values, {@code gpc_cycle}; may be empty
 */
public record MetricProperties(MetricKind kind, String description, String unit, String dimension) {}
