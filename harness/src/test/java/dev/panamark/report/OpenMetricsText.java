package dev.panamark.report;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads OpenMetrics text as strictly as the specification is written (version 1.0, "Text format" and its ABNF), of the
 * types counter, gauge and info; anything else is refused. Shares nothing with what writes it.
 */
final class OpenMetricsText {
    private static final Pattern META = Pattern.compile("# (TYPE|UNIT|HELP) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)");
    private static final Pattern SAMPLE =
            Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(.*)\\})? (\\S+)(?: (\\S+))?");
    private static final Pattern LABEL =
            Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\\n]|\\\\[\\\\\"n])*)\"(,|$)");
    private static final Pattern NUMBER = Pattern.compile("[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?");

    /** One sample. */
    record Sample(String name, Map<String, String> labels, double value) {}

    private final List<Sample> samples = new ArrayList<>();
    private final Set<String> finished = new HashSet<>();
    private final Set<String> seen = new HashSet<>();
    private String family = "";
    private String type = "";
    private final Set<String> metas = new HashSet<>();
    private boolean sampled;

    private OpenMetricsText() {}

    /** All samples of a text; throws an IllegalArgumentException for one that is not OpenMetrics. */
    static List<Sample> parse(String text) {
        require(text.endsWith("\n# EOF\n") || text.equals("# EOF\n"), "no '# EOF' at the end");
        String body = text.substring(0, text.length() - "# EOF\n".length());
        OpenMetricsText parser = new OpenMetricsText();
        if (!body.isEmpty()) {
            for (String line : body.substring(0, body.length() - 1).split("\n", -1)) {
                parser.line(line);
            }
        }
        return parser.samples;
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalArgumentException(what);
        }
    }

    private void line(String line) {
        require(!line.isEmpty(), "an empty line");
        require(!line.contains("\r"), "a carriage return");
        if (line.startsWith("#")) {
            Matcher m = META.matcher(line);
            require(m.matches(), "neither TYPE, UNIT nor HELP: " + line);
            meta(m.group(1), m.group(2), m.group(3));
        } else {
            sample(line);
        }
    }

    private void meta(String kind, String name, String value) {
        if (!name.equals(family)) {
            require(finished.add(name), name + " comes twice");
            family = name;
            type = "";
            metas.clear();
            sampled = false;
        }
        require(!sampled, kind + " of " + name + " comes after a sample of it");
        require(metas.add(kind), "a second " + kind + " of " + name);
        switch (kind) {
            case "TYPE" -> {
                require(Set.of("counter", "gauge", "info").contains(value), "no type: " + value);
                type = value;
            }
            case "UNIT" -> {
                require(value.matches("[a-zA-Z0-9_:]+"), "no unit: " + value);
                require(name.endsWith("_" + value), name + " does not end with its unit " + value);
                require(!type.equals("info"), "an info has no unit");
            }
            default -> require(!value.replaceAll("\\\\[\\\\n\"]", "").contains("\\"), "a bad escape: " + value);
        }
    }

    private void sample(String line) {
        Matcher m = SAMPLE.matcher(line);
        require(m.matches(), "no sample: " + line);
        require(m.group(4) == null, "no timestamps are expected here: " + line);
        String suffix = switch (type) {
            case "counter" -> "_total";
            case "gauge" -> "";
            case "info" -> "_info";
            default -> throw new IllegalArgumentException("a sample before its TYPE: " + line);
        };
        require(m.group(1).equals(family + suffix), m.group(1) + " is no sample of the " + type + " " + family);
        Map<String, String> labels = labels(m.group(2) == null ? "" : m.group(2));
        require(seen.add(m.group(1) + labels), "the same sample twice: " + line);
        require(NUMBER.matcher(m.group(3)).matches(), "no number: " + m.group(3));
        double value = Double.parseDouble(m.group(3));
        require(!type.equals("counter") || value >= 0, "a counter is not negative: " + line);
        require(!type.equals("info") || value == 1, "an info is 1: " + line);
        sampled = true;
        samples.add(new Sample(m.group(1), labels, value));
    }

    private static Map<String, String> labels(String text) {
        Map<String, String> labels = new LinkedHashMap<>();
        int at = 0;
        Matcher m = LABEL.matcher(text);
        while (at < text.length()) {
            require(m.find(at) && m.start() == at, "no label at " + text.substring(at));
            String value = m.group(2).replace("\\n", "\n").replace("\\\"", "\"").replace("\\\\", "\\");
            require(labels.put(m.group(1), value) == null, "label " + m.group(1) + " twice");
            at = m.end();
            require(!m.group(3).equals(",") || at < text.length(), "a comma at the end of labels");
        }
        return labels;
    }
}
