package dev.panamark.measure;

import dev.panamark.device.Profile;
import dev.panamark.ffi.Availability;
import dev.panamark.result.Metric;
import dev.panamark.result.Row;
import dev.panamark.result.Source;
import dev.panamark.result.Tag;
import dev.panamark.result.Tags;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/** What hardware counters told, as metrics of a row. */
public final class ProfileMetrics {
    private ProfileMetrics() {}

    /** Adds all of them, and by whom and how they were read. */
    public static Row.Builder add(Row.Builder row, Profile profile) {
        profile.counts().forEach((path, found) -> {
            Tag tag = Tags.of(path).orElseThrow(() -> new IllegalArgumentException("there is no metric " + path));
            row.metric(tag, metric(tag, found));
        });
        SequencedMap<String, Object> how = new LinkedHashMap<>();
        how.put("by", profile.by());
        profile.passes().ifPresent(passes -> how.put("passes", passes));
        SequencedMap<String, Object> run = new LinkedHashMap<>();
        run.put("counters", how);
        return row.run(run);
    }

    private static Metric metric(Tag tag, Availability<Profile.Count> found) {
        return switch (found) {
            case Availability.Unavailable<Profile.Count> no -> tag.missing(no.text());
            case Availability.Available<Profile.Count>(Profile.Count count) -> {
                Metric metric = tag.value(count.value(), count.plain() ? Source.MEASURED : Source.COMPUTED)
                        .withDetail("formula", count.formula());
                yield count.parts().isEmpty() ? metric : metric.withDetail("parts", new LinkedHashMap<>(count.parts()));
            }
        };
    }
}
