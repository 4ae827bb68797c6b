package dev.panamark.cli;

import dev.panamark.report.ExplanationText;
import dev.panamark.report.FaultsList;
import dev.panamark.report.LineView;
import dev.panamark.report.SourceHtml;
import dev.panamark.report.SourceView;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** What {@code panamark emulate} found, as one HTML page. */
final class EmulateHtml {
    /** Columns at which its texts are broken; the page breaks them further. */
    private static final int COLUMNS = 120;

    private EmulateHtml() {}

    static String render(String device, List<EmulatedKernel> kernels) {
        return SourceHtml.render(
                kernels.stream().map(kernel -> page(device, kernel)).toList());
    }

    private static SourceHtml.Page page(String device, EmulatedKernel kernel) {
        List<String> facts = new ArrayList<>(EmulatedText.launches(kernel.instance()));
        List<List<String>> sections = new ArrayList<>();
        kernel.counted().ifPresent(counted -> facts.addAll(EmulatedText.counts(counted)));
        kernel.explanation()
                .ifPresent(explanation -> sections.add(section(
                        "what holds it back",
                        ExplanationText.render(explanation, kernel.source()::line, 0, COLUMNS, false))));
        if (!kernel.checks().isEmpty()) {
            sections.add(section("faults", FaultsList.render(kernel.faults(), kernel.checks(), 0, COLUMNS, false)));
        }
        return new SourceHtml.Page(
                EmulatedText.title(device, kernel.instance()),
                facts,
                LineView.total(kernel.lines()),
                sources(kernel),
                sections);
    }

    private static List<String> section(String title, String text) {
        List<String> lines = new ArrayList<>(List.of(title));
        text.lines().forEach(lines::add);
        return lines;
    }

    /** Files in the order in which their lines cost most. */
    private static List<SourceView> sources(EmulatedKernel kernel) {
        Map<String, SortedMap<Integer, LineView>> files = new LinkedHashMap<>();
        for (LineView line : kernel.lines()) {
            int colon = line.place().lastIndexOf(':');
            try {
                int number = Integer.parseInt(line.place().substring(colon + 1));
                files.computeIfAbsent(line.place().substring(0, Math.max(0, colon)), name -> new TreeMap<>())
                        .put(number, line);
            } catch (NumberFormatException e) {
                // a place without a line belongs to no file
            }
        }
        List<SourceView> out = new ArrayList<>();
        files.forEach(
                (name, lines) -> out.add(new SourceView(name, kernel.source().file(name), lines)));
        return out;
    }
}
