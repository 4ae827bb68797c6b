package dev.panamark.driver.cupti;

import dev.panamark.raw.cupti.cupti_h;

/** Kinds of metrics, which have suffixes of their own (CUpti_MetricType, cupti_profiler_host.h). */
public enum MetricKind {
    /** What units count: {@code .sum}, {@code .avg.per_cycle_active} and many more. */
    COUNTER(cupti_h.CUPTI_METRIC_TYPE_COUNTER()),
    /** One counter by another: {@code .ratio}, {@code .pct}, {@code .max_rate}. */
    RATIO(cupti_h.CUPTI_METRIC_TYPE_RATIO()),
    /** The largest share of a peak among several counters: {@code .avg.pct_of_peak_sustained_elapsed} and the like. */
    THROUGHPUT(cupti_h.CUPTI_METRIC_TYPE_THROUGHPUT());

    private final int code;

    MetricKind(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    static MetricKind of(int code) {
        for (MetricKind kind : values()) {
            if (kind.code == code) {
                return kind;
            }
        }
        throw new IllegalStateException(
                "CUPTI told of a metric of type " + code
                        + ", where cupti_profiler_host.h has 0 (counter), 1 (ratio) and 2 (throughput); report it with CUPTI's version");
    }
}
