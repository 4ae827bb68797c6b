package dev.panamark.measure;

import dev.panamark.ffi.Availability;
import java.util.List;
import java.util.SequencedMap;

/**
 * How a row was timed and what came of it.
 *
 * @param mode state of the caches that launches found
 * @param warmth the launches before
 * @param samples the times
 * @param clock what was read
 * @param conditions what held the device still, or why nothing did; JSON values
 * @param with kernels whose samples were taken in turns with these
 * @param warnings what else may have disturbed the times
 * @param floor time of an empty kernel with the same grids
 */
record Sampling(
        Mode mode,
        WarmUp.Warmth warmth,
        Track.Samples samples,
        String clock,
        SequencedMap<String, Object> conditions,
        List<String> with,
        List<String> warnings,
        Availability<Floor.Time> floor) {
    Sampling {
        with = List.copyOf(with);
        warnings = List.copyOf(warnings);
    }
}
