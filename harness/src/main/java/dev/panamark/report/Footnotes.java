package dev.panamark.report;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Numbered remarks; the same text always has the same mark. */
final class Footnotes {
    /** A number that stands alone: not the 16 of f16. */
    private static final Pattern NUMBER =
            Pattern.compile("(?<![\\w.,\u2013-])\\d+(?:\\.\\d+)?(?![\\w\u2013-]|[.,]\\d)");

    private final SequencedMap<String, Note> notes = new LinkedHashMap<>();

    /** The mark for a text: a superscript number. */
    String mark(String text) {
        String line = Text.line(text);
        return notes.computeIfAbsent(line, t -> new Note(notes.size() + 1, line)).mark;
    }

    /** The marks for several texts, ascending with commas between them. Texts that differ in numbers only share a mark. */
    String marks(Collection<String> texts) {
        return texts.stream()
                .map(this::shared)
                .distinct()
                .sorted(Comparator.comparingInt(note -> note.number))
                .map(note -> note.mark)
                .collect(Collectors.joining(","));
    }

    private Note shared(String text) {
        String line = Text.line(text);
        Note note = notes.computeIfAbsent(pattern(line), t -> new Note(notes.size() + 1, line));
        note.widen(line);
        return note;
    }

    /** What texts have in common that differ in numbers only. */
    static String pattern(String text) {
        return NUMBER.matcher(Text.line(text)).replaceAll("\0");
    }

    /** Texts by mark, in the order of numbers; two may be the same, where a range came to one number. */
    SequencedMap<String, String> all() {
        SequencedMap<String, String> all = new LinkedHashMap<>();
        notes.values().forEach(note -> all.put(note.mark, note.text()));
        return all;
    }

    /** A text, each number of which may have become a range. */
    private static final class Note {
        private final int number;
        private final String mark;
        private final String first;
        private final List<String> least = new ArrayList<>();
        private final List<String> most = new ArrayList<>();

        Note(int number, String first) {
            this.number = number;
            this.mark = superscript(number);
            this.first = first;
        }

        void widen(String other) {
            Matcher number = NUMBER.matcher(other);
            for (int i = 0; number.find(); i++) {
                String found = number.group();
                if (i == least.size()) {
                    least.add(found);
                    most.add(found);
                } else if (Double.parseDouble(found) < Double.parseDouble(least.get(i))) {
                    least.set(i, found);
                } else if (Double.parseDouble(found) > Double.parseDouble(most.get(i))) {
                    most.set(i, found);
                }
            }
        }

        String text() {
            if (least.isEmpty()) {
                return first;
            }
            Matcher number = NUMBER.matcher(first);
            StringBuilder out = new StringBuilder();
            for (int i = 0; number.find(); i++) {
                String range = least.get(i).equals(most.get(i)) ? least.get(i) : least.get(i) + "\u2013" + most.get(i);
                number.appendReplacement(out, Matcher.quoteReplacement(range));
            }
            return number.appendTail(out).toString();
        }
    }

    static String superscript(int n) {
        StringBuilder out = new StringBuilder();
        for (char c : Integer.toString(n).toCharArray()) {
            out.append("\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079".charAt(c - '0'));
        }
        return out.toString();
    }
}
