package dev.panamark.cli;

import java.util.regex.Pattern;

/** Breaks text into lines at spaces. */
final class Paragraph {
    private static final Pattern SPACE = Pattern.compile("\\s+");

    private Paragraph() {}

    /** Lines of at most {@code width} characters where words allow it, all but the first after {@code indent}. */
    static String wrap(String text, int width, String indent) {
        StringBuilder out = new StringBuilder();
        int column = 0;
        for (String word : SPACE.split(text.strip(), -1)) {
            if (column > 0 && column + 1 + word.length() > width) {
                out.append(System.lineSeparator()).append(indent);
                column = 0;
            } else if (column > 0) {
                out.append(' ');
                column++;
            }
            out.append(word);
            column += word.length();
        }
        return out.toString();
    }
}
