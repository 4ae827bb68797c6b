package dev.panamark.report;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;

/** Numbered remarks; the same text always has the same mark. */
final class Footnotes {
    private final SequencedMap<String, String> marks = new LinkedHashMap<>();

    /** The mark for a text: a superscript number. */
    String mark(String text) {
        return marks.computeIfAbsent(Text.line(text), t -> superscript(marks.size() + 1));
    }

    /** Marks by text, in the order of numbers. */
    Map<String, String> all() {
        return marks;
    }

    static String superscript(int n) {
        StringBuilder out = new StringBuilder();
        for (char c : Integer.toString(n).toCharArray()) {
            out.append("\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079".charAt(c - '0'));
        }
        return out.toString();
    }
}
