package dev.panamark.measure;

import dev.panamark.result.Metric;
import java.util.List;
import java.util.OptionalDouble;
import java.util.SequencedMap;

/** Measures what launches on one device cost in energy; belongs to a session. Used by one thread. */
public interface EnergyMeasurement {

    /**
     * Seconds that the next rows should have for it, with what is measured once for the device as long as that is not
     * done; 0 where nothing is metered.
     */
    double seconds(int rows);

    /** Of the time that rows have left for sampling and energy, how much of it energy may take. */
    double mostShare();

    /**
     * Measures a load.
     *
     * @param load warmed up, and paused; it is paused afterwards
     * @param seconds that it may take; with fewer than {@link #seconds} windows become shorter, or there is no figure
     * @param tokens of one launch; empty where the kernel file counts none
     * @return never throws for what meters do: reasons are in the metrics
     */
    Energy measure(Load load, double seconds, OptionalDouble tokens);

    /** What there is to say about energy where it was not measured. */
    Energy missing(String reason, OptionalDouble tokens);

    /**
     * The energy of a row.
     *
     * @param metrics by the paths of their tags, each with a value or a reason
     * @param flags what to know about them
     */
    record Energy(SequencedMap<String, Metric> metrics, List<String> flags) {
        /** Copies the list. */
        public Energy {
            flags = List.copyOf(flags);
        }
    }
}
