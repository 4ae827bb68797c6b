package dev.panamark.report;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A file of a kernel's source with what its lines did.
 *
 * @param name of the file
 * @param text its lines; empty where it is not at hand
 * @param counted by number of the line, from 1 on
 */
public record SourceView(String name, List<String> text, SortedMap<Integer, LineView> counted) {
    /** Copies. */
    public SourceView {
        text = List.copyOf(text);
        counted = new TreeMap<>(Map.copyOf(counted));
    }
}
