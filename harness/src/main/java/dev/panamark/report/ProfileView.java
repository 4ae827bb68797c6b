package dev.panamark.report;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * A device profile as {@code panamark devices --profiles} shows it.
 *
 * @param name short name
 * @param heading product, design, other names
 * @param figures by label, such as {@code clock tensor}
 */
public record ProfileView(String name, String heading, SequencedMap<String, FigureView> figures) {
    /** Copies, keeping the order. */
    public ProfileView {
        figures = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(figures));
    }

    /**
     * One figure.
     *
     * @param value null where there is none
     * @param unit SI without prefix, or what is counted
     * @param computed whether it follows from other figures
     * @param from its source or formula; without a value, why there is none
     */
    public record FigureView(@Nullable Double value, String unit, boolean computed, String from) {}
}
