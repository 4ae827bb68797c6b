package dev.panamark.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Sources of kernels with heat, as one HTML page that needs nothing else. */
public final class SourceHtml {
    /** Lines without counts that are shown around one with them. */
    private static final int AROUND = 4;

    /** A file of so many lines is shown whole. */
    private static final int WHOLE = 120;

    /** Lines that are linked to. */
    private static final int HOTTEST = 6;

    private final StringBuilder out = new StringBuilder();
    private int kernel;

    private SourceHtml() {}

    /**
     * What the page shows of one kernel.
     *
     * @param title device, kernel and problem
     * @param facts lines of text about all of it
     * @param total of all lines
     * @param sections texts with their titles, such as what was found; the first line of each is its title
     */
    public record Page(
            String title, List<String> facts, LineView total, List<SourceView> sources, List<List<String>> sections) {
        /** Copies. */
        public Page {
            facts = List.copyOf(facts);
            sources = List.copyOf(sources);
            sections = List.copyOf(sections);
        }
    }

    /** A way to heat lines. */
    private enum Heat {
        CONFLICTS("bank conflicts"),
        WAVEFRONTS("wavefronts"),
        SECTORS("sectors"),
        INSTRUCTIONS("instructions"),
        DIVERGENCE("divergent branches");

        private final String label;

        Heat(String label) {
            this.label = label;
        }

        long of(LineView line) {
            return switch (this) {
                case CONFLICTS -> line.conflicts();
                case WAVEFRONTS -> line.wavefronts();
                case SECTORS -> line.sectors();
                case INSTRUCTIONS -> line.instructions();
                case DIVERGENCE -> line.divergent();
            };
        }

        String key() {
            return name().toLowerCase(Locale.ROOT).substring(0, 1);
        }
    }

    /** One page for all of them. */
    public static String render(List<Page> pages) {
        SourceHtml html = new SourceHtml();
        html.page(pages);
        return html.out.toString();
    }

    private void page(List<Page> pages) {
        out.append("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
                .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>")
                .append(escape(pages.isEmpty() ? "panamark" : pages.getFirst().title()))
                .append("</title>\n<style>\n")
                .append(STYLE);
        for (Heat heat : Heat.values()) {
            out.append("body:has(#heat-" + heat.key() + ":checked) tr { --heat: var(--" + heat.key() + ", 0); }\n");
            out.append("body:has(#heat-" + heat.key() + ":checked) .hottest." + heat.key() + " { display: block; }\n");
        }
        out.append("</style>\n</head>\n<body>\n");
        heats(pages);
        pages.forEach(this::kernel);
        out.append(
                        "<footer>Counted by emulating the PTX as written, not measured. Heat is a line's share of the most in its")
                .append(" kernel.</footer>\n</body>\n</html>\n");
    }

    /** Which figure heats the lines; at first that of the most interest. */
    private void heats(List<Page> pages) {
        boolean conflicts = pages.stream().anyMatch(page -> page.total().conflicts() > 0);
        Heat first = conflicts ? Heat.CONFLICTS : Heat.SECTORS;
        out.append("<fieldset class=\"heats\"><legend>heat by</legend>\n");
        for (Heat heat : Heat.values()) {
            String id = "heat-" + heat.key();
            out.append("<input type=\"radio\" name=\"heat\" id=\"" + id + "\"" + (heat == first ? " checked" : "")
                    + "><label for=\"" + id + "\">" + heat.label + "</label>\n");
        }
        out.append("</fieldset>\n");
    }

    private void kernel(Page page) {
        kernel++;
        out.append("<section>\n<h1>" + escape(page.title()) + "</h1>\n<ul class=\"facts\">\n");
        page.facts().forEach(fact -> out.append("<li>" + escape(fact.strip()) + "</li>\n"));
        out.append("</ul>\n");
        hottest(page);
        for (List<String> section : page.sections()) {
            out.append("<details open><summary>" + escape(section.getFirst()) + "</summary><pre class=\"text\">");
            section.stream().skip(1).forEach(line -> out.append(escape(line)).append('\n'));
            out.append("</pre></details>\n");
        }
        if (!page.sources().isEmpty()) {
            Map<Heat, Double> most = new EnumMap<>(Heat.class);
            for (Heat heat : Heat.values()) {
                most.put(
                        heat,
                        page.sources().stream()
                                .flatMap(source -> source.counted().values().stream())
                                .mapToDouble(heat::of)
                                .max()
                                .orElse(0));
            }
            page.sources().forEach(source -> source(source, page.total(), most));
        }
        out.append("</section>\n");
    }

    /** Links to the lines with the most of each figure. */
    private void hottest(Page page) {
        for (Heat heat : Heat.values()) {
            List<String> links = page.sources().stream()
                    .flatMap(source -> source.counted().entrySet().stream()
                            .map(line -> new Hot(source.name(), line.getKey(), heat.of(line.getValue()))))
                    .filter(hot -> hot.value() > 0)
                    .sorted(Comparator.comparingLong(Hot::value).reversed())
                    .limit(HOTTEST)
                    .map(hot -> "<a href=\"#" + anchor(hot.file(), hot.line()) + "\">" + escape(hot.file()) + ":"
                            + hot.line() + "</a> " + Numbers.grouped(hot.value()))
                    .toList();
            if (!links.isEmpty()) {
                out.append("<p class=\"hottest " + heat.key() + "\">most " + heat.label + ": "
                        + String.join(", ", links) + "</p>\n");
            }
        }
    }

    private record Hot(String file, int line, long value) {}

    private String anchor(String file, int line) {
        return "k" + kernel + "-" + file.replaceAll("[^A-Za-z0-9]", "-") + "-" + line;
    }

    private void source(SourceView source, LineView total, Map<Heat, Double> most) {
        out.append(
                "<details open class=\"source\"><summary>" + escape(source.name()) + "</summary>\n<div class=\"wide\">"
                        + "<table>\n<thead><tr><th>line</th><th>% instr</th><th>conflicts</th><th>wavefronts</th>"
                        + "<th>sectors/req</th><th>sectors</th><th>% diverge</th><th class=\"code\">code</th></tr></thead>\n<tbody>\n");
        if (source.text().isEmpty()) {
            source.counted()
                    .forEach((number, line) -> row(anchor(source.name(), number), number, line, "", total, most));
        }
        int left = 0;
        for (int number = 1; number <= source.text().size(); number++) {
            if (!isShown(source, number)) {
                left++;
                continue;
            }
            skipped(left);
            left = 0;
            row(
                    anchor(source.name(), number),
                    number,
                    source.counted().get(number),
                    source.text().get(number - 1),
                    total,
                    most);
        }
        skipped(left);
        if (!source.text().isEmpty()) { // of a file that has changed since
            source.counted()
                    .tailMap(source.text().size() + 1)
                    .forEach((number, line) -> row(anchor(source.name(), number), number, line, "", total, most));
        }
        out.append("</tbody>\n</table></div></details>\n");
    }

    private void skipped(int lines) {
        if (lines > 0) {
            out.append("<tr class=\"skipped\"><td colspan=\"8\">\u22ee " + lines + (lines == 1 ? " line" : " lines")
                    + "</td></tr>\n");
        }
    }

    private static boolean isShown(SourceView source, int number) {
        return source.text().size() <= WHOLE
                || !source.counted()
                        .subMap(number - AROUND, number + AROUND + 1)
                        .isEmpty();
    }

    private void row(
            String id, int number, @Nullable LineView line, String code, LineView total, Map<Heat, Double> most) {
        if (line == null) {
            out.append("<tr><td>" + number + "</td><td colspan=\"6\"></td><td class=\"code\">" + escape(code)
                    + "</td></tr>\n");
            return;
        }
        List<String> heats = new ArrayList<>();
        for (Heat heat : Heat.values()) {
            double top = most.getOrDefault(heat, 0.0);
            double share = top == 0 ? 0 : heat.of(line) / top;
            if (share > 0) {
                heats.add("--" + heat.key() + ":" + String.format(Locale.ROOT, "%.3f", share));
            }
        }
        out.append("<tr class=\"counted\" style=\"" + String.join(";", heats) + "\" id=\"" + id + "\"><td>" + number
                + "</td>");
        cell(Numbers.percentDigits((double) line.instructions() / Math.max(1, total.instructions()), 3));
        cell(line.wavefronts() == 0 ? "" : Numbers.grouped(line.conflicts()));
        cell(line.wavefronts() == 0 ? "" : Numbers.grouped(line.wavefronts()));
        cell(line.requests() == 0 ? "" : Numbers.significant((double) line.sectors() / line.requests(), 3));
        cell(line.requests() == 0 ? "" : Numbers.grouped(line.sectors()));
        cell(line.branches() == 0 ? "" : Numbers.percentDigits((double) line.divergent() / line.branches(), 3));
        out.append("<td class=\"code\">" + escape(code) + "</td></tr>\n");
    }

    private void cell(String text) {
        out.append("<td>" + text + "</td>");
    }

    private static String escape(String text) {
        StringBuilder out = new StringBuilder();
        text.codePoints().forEach(c -> {
            switch (c) {
                case '&' -> out.append("&amp;");
                case '<' -> out.append("&lt;");
                case '>' -> out.append("&gt;");
                case '"' -> out.append("&quot;");
                default -> {
                    if (c == '\t' || !Character.isISOControl(c)) {
                        out.appendCodePoint(c);
                    }
                }
            }
        });
        return out.toString();
    }

    private static final String STYLE = """
            :root { color-scheme: light dark; --ink: light-dark(#1b1f24, #e6e6e6); --dim: light-dark(#6a737d, #8d96a0);
              --line: light-dark(#d8dee4, #3a3f45); --back: light-dark(#ffffff, #16181b); --head: light-dark(#f3f5f7, #22262a);
              --hot: light-dark(#e5484d, #d13438); }
            body { margin: 1.5rem; background: var(--back); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; }
            h1 { font-size: 1.15rem; overflow-wrap: anywhere; }
            .facts { padding-left: 1.2rem; }
            .heats { position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; gap: .3rem 1rem; margin: 0;
              border: 1px solid var(--line); border-radius: 6px; background: var(--head); padding: .4rem .8rem; }
            .heats legend { float: left; padding: 0; margin-right: .5rem; color: var(--dim); }
            .heats input { margin: 0 -.7rem 0 0; }
            details { margin: 1rem 0; }
            summary { cursor: pointer; font-weight: 600; overflow-wrap: anywhere; }
            .hottest { display: none; overflow-wrap: anywhere; }
            tr:target td { outline: 2px solid var(--hot); outline-offset: -2px; }
            tr { scroll-margin-top: 5rem; }
            .wide { overflow-x: auto; }
            table { border-collapse: collapse; font-size: 13px; margin-top: .4rem; }
            th { text-align: right; color: var(--dim); font-weight: 500; background: var(--head); }
            th, td { padding: .1rem .6rem; white-space: nowrap; }
            td { text-align: right; font-variant-numeric: tabular-nums; color: var(--dim); }
            tr.counted td { color: var(--ink); }
            tr.counted { background: color-mix(in srgb, var(--hot) calc(var(--heat, 0) * 62%), transparent); }
            td.code, th.code { text-align: left; white-space: pre; tab-size: 4; }
            td.code { font: 12.5px/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
              border-left: 1px solid var(--line); color: var(--ink); }
            tr.skipped td { text-align: left; color: var(--dim); border-block: 1px dashed var(--line); }
            pre.text { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 13px; margin: .4rem 0; }
            footer { color: var(--dim); font-size: 13px; margin-top: 2rem; }
            """;
}
