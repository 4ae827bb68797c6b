package dev.panamark.telemetry;

import dev.panamark.stats.Descriptive;
import dev.panamark.stats.MeanInterval;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * A mean over windows with half of the 95 % interval of what is random: Student's t over windows (or over the parts of
 * a single one) and, in quadrature, twice the standard deviation that unsure ends give it.
 *
 * @param value the mean
 * @param half null where there are too few windows or parts
 * @param n windows, or parts of the single one
 */
record Estimate(double value, @Nullable Double half, int n) {
    /** Fewer parts of a single window tell nothing of its spread. */
    static final int FEWEST_PARTS = 4;

    /**
     * Of at least one window without fault.
     *
     * @param windows in the order of measuring
     * @param figure of a stretch, in proportion to energy over time or over launches
     */
    static Estimate of(List<Window> windows, ToDoubleFunction<Window.Stretch> figure) {
        double ends = 0;
        double[] values = new double[windows.size()];
        for (int i = 0; i < values.length; i++) {
            Window w = windows.get(i);
            values[i] = figure.applyAsDouble(new Window.Stretch(w.seconds(), w.joules(), w.launches()));
            ends += square(values[i] * w.edge() / w.seconds());
        }
        double mean = Descriptive.mean(values);
        double unsure = 2 * Math.sqrt(ends) / values.length;
        if (values.length > 1) {
            return new Estimate(
                    mean, Math.hypot(MeanInterval.independent(values).half(), unsure), values.length);
        }
        double[] parts =
                windows.getFirst().stretches().stream().mapToDouble(figure).toArray();
        if (parts.length < FEWEST_PARTS) {
            return new Estimate(mean, null, 1);
        }
        return new Estimate(mean, Math.hypot(MeanInterval.series(parts).half(), unsure), parts.length);
    }

    private static double square(double x) {
        return x * x;
    }
}
