package dev.panamark.telemetry;

import dev.panamark.result.Interval;
import dev.panamark.result.Metric;
import dev.panamark.result.Source;
import dev.panamark.result.Tag;
import dev.panamark.result.Tags;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.OptionalDouble;
import java.util.SequencedMap;

/**
 * What launches cost, by one meter or by all that add up to a device. Each metric has a value, with a 95 % interval of
 * what is random where that can be told, or the reason why not; the sensors' own error is apart, in
 * {@code systematic}.
 *
 * @param meter its id; for a sum the ids joined by {@code +}; empty where nothing was metered
 * @param gross J of one launch, idle share included ({@link Tags#ENERGY_GROSS})
 * @param idle J that the idle device takes in the time of one launch ({@link Tags#ENERGY_IDLE})
 * @param net gross less idle ({@link Tags#ENERGY_NET})
 * @param power W while it ran, on average ({@link Tags#POWER_AVERAGE})
 * @param window s of one window under load, the mean of all; NaN where there was none
 * @param trials windows under load
 * @param launches that ended in them, with fractions at the ends
 * @param updatePeriod s between updates as measured, the longest where several meters add up; NaN where unknown
 * @param method how readings became joules
 * @param scope which part of the machine is in it
 * @param systematic what is known of the sensors' own error
 * @param flags what to know about the values
 * @param parts the single meters of a sum, then others of the device that count some of its joules again; empty for a
 *     single meter
 */
public record LaunchEnergy(
        String meter,
        Metric gross,
        Metric idle,
        Metric net,
        Metric power,
        double window,
        int trials,
        double launches,
        double updatePeriod,
        String method,
        String scope,
        String systematic,
        List<String> flags,
        List<LaunchEnergy> parts) {

    /** Copies the lists. */
    public LaunchEnergy {
        flags = List.copyOf(flags);
        parts = List.copyOf(parts);
    }

    /** The same with one more thing to know. */
    LaunchEnergy withFlag(String flag) {
        List<String> more = new ArrayList<>(flags);
        more.add(flag);
        return new LaunchEnergy(
                meter,
                gross,
                idle,
                net,
                power,
                window,
                trials,
                launches,
                updatePeriod,
                method,
                scope,
                systematic,
                more,
                parts);
    }

    /** Nothing was metered. */
    public static LaunchEnergy missing(String reason) {
        return new LaunchEnergy(
                "",
                Tags.ENERGY_GROSS.missing(reason),
                Tags.ENERGY_IDLE.missing(reason),
                Tags.ENERGY_NET.missing(reason),
                Tags.POWER_AVERAGE.missing(reason),
                Double.NaN,
                0,
                0,
                Double.NaN,
                "",
                "",
                "",
                List.of(),
                List.of());
    }

    /**
     * The metrics of a row by the paths of their tags, with details of how they came about.
     *
     * @param tokens of one launch; empty where the kernel file counts none
     */
    public SequencedMap<String, Metric> metrics(OptionalDouble tokens) {
        SequencedMap<String, Metric> out = new LinkedHashMap<>();
        out.put(Tags.POWER_AVERAGE.path(), detailed(power));
        out.put(Tags.ENERGY_GROSS.path(), detailed(gross));
        out.put(Tags.ENERGY_IDLE.path(), detailed(idle));
        out.put(Tags.ENERGY_NET.path(), detailed(net));
        out.put(Tags.TOKENS_PER_JOULE_GROSS.path(), perJoule(Tags.TOKENS_PER_JOULE_GROSS, tokens, gross));
        out.put(Tags.TOKENS_PER_JOULE_NET.path(), perJoule(Tags.TOKENS_PER_JOULE_NET, tokens, net));
        return out;
    }

    private Metric detailed(Metric metric) {
        if (meter.isEmpty()) {
            return metric;
        }
        Metric out = metric.withDetail("meter", meter)
                .withDetail("scope", scope)
                .withDetail("method", method)
                .withDetail("systematic", systematic);
        if (Double.isFinite(updatePeriod)) {
            out = out.withDetail("update_period_s", updatePeriod);
        }
        if (Double.isFinite(window)) {
            out = out.withDetail("window_s", window)
                    .withDetail("windows", trials)
                    .withDetail("launches", launches);
        }
        return flags.isEmpty() ? out : out.withDetail("flags", flags);
    }

    private static Metric perJoule(Tag tag, OptionalDouble tokens, Metric joules) {
        if (tokens.isEmpty()) {
            return tag.missing("the kernel file counts no tokens (work.tokens)");
        }
        Double value = joules.value();
        if (value == null) {
            return tag.missing(String.valueOf(joules.reason()));
        }
        if (!(value > 0)) {
            return tag.missing("the energy of a launch is not above 0, so there is no ratio to it");
        }
        Metric out = tag.value(tokens.getAsDouble() / value, Source.COMPUTED);
        Interval ci = joules.ci95();
        out = joules.n() == null ? out : out.withN(joules.n());
        return ci == null || ci.lo() <= 0
                ? out
                : out.withCi95(tokens.getAsDouble() / ci.hi(), tokens.getAsDouble() / ci.lo());
    }
}
