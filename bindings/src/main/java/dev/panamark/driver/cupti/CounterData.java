package dev.panamark.driver.cupti;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** What was counted of one range, in CUPTI's own form; {@link CuptiHost#evaluate} makes figures of it. */
public final class CounterData {
    private final MetricPlan plan;
    private final String range;
    private final int passes;
    private final MemorySegment image;

    /**
     * A copy of it.
     *
     * @param image of the counter data, decoded
     */
    CounterData(MetricPlan plan, String range, int passes, MemorySegment image) {
        this.plan = plan;
        this.range = range;
        this.passes = passes;
        this.image = Arena.ofAuto()
                .allocate(image.byteSize(), CuptiCalls.IMAGE_ALIGNMENT)
                .copyFrom(image)
                .asReadOnly();
    }

    /** By which it was collected. */
    public MetricPlan plan() {
        return plan;
    }

    /** The range's name, as CUPTI tells it. */
    public String range() {
        return range;
    }

    /** How often the work was done. */
    public int passes() {
        return passes;
    }

    MemorySegment image() {
        return image;
    }

    /** Fails where not all of the metrics were collected, or of another chip. */
    void requireCollected(String chip, List<String> metrics) {
        if (!chip.equals(plan.chip())) {
            throw new IllegalArgumentException(
                    "expected what was collected on " + chip + ", not on " + plan.chip() + ", to evaluate");
        }
        if (metrics.isEmpty()) {
            throw new IllegalArgumentException("expected at least one metric to evaluate, not none");
        }
        for (String metric : metrics) {
            if (!plan.metrics().contains(metric)) {
                throw new IllegalArgumentException("metric '" + metric + "' was not collected; "
                        + plan.metrics().size() + " were: " + String.join(", ", plan.metrics()));
            }
        }
    }
}
