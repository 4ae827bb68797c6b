package dev.panamark.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Text on a terminal: how many columns it takes, and how to break it. */
final class Text {
    /** East Asian Width W and F of UAX #11, by blocks: first and last of each, in order. */
    private static final int[] WIDE = {
        0x1100, 0x115F, 0x2E80, 0x303E, 0x3040, 0xA4CF, 0xA960, 0xA97F, 0xAC00, 0xD7A3, 0xF900, 0xFAFF, 0xFE30, 0xFE6F,
        0xFF00, 0xFF60, 0xFFE0, 0xFFE6, 0x1B000, 0x1B2FF, 0x1F300, 0x1FAFF, 0x20000, 0x3FFFD
    };

    private Text() {}

    /** Columns that a text takes: combining marks none, East Asian wide characters and emoji two. */
    static int width(String text) {
        return text.codePoints().map(Text::width).sum();
    }

    private static int width(int c) {
        if (c < 0x300) {
            return 1;
        }
        int type = Character.getType(c);
        if (type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK || type == Character.FORMAT) {
            return 0;
        }
        return isWide(c) || Character.isEmojiPresentation(c) ? 2 : 1;
    }

    private static boolean isWide(int c) {
        int at = Arrays.binarySearch(WIDE, c);
        return at >= 0 || (-at - 1) % 2 == 1;
    }

    /** One line without control characters, which could move the cursor or colour the screen. */
    static String line(String text) {
        StringBuilder out = new StringBuilder();
        text.codePoints().forEach(c -> {
            int type = Character.getType(c);
            if (c == '\n' || c == '\t' || type == Character.LINE_SEPARATOR || type == Character.PARAGRAPH_SEPARATOR) {
                out.append(' ');
            } else if (type == Character.SURROGATE) {
                out.append('\uFFFD');
            } else if (type != Character.CONTROL && type != Character.FORMAT) {
                out.appendCodePoint(c);
            }
        });
        return out.toString().strip();
    }

    /** Filled up with spaces on the right. */
    static String left(String text, int columns) {
        return text + " ".repeat(Math.max(0, columns - width(text)));
    }

    /** As much of the beginning as there is room for, with an ellipsis where that is not all. */
    static String cut(String code, int room) {
        if (width(code) <= room) {
            return code;
        }
        StringBuilder cut = new StringBuilder();
        int width = 0;
        for (int c : code.codePoints().toArray()) {
            width += width(Character.toString(c));
            if (width >= room) {
                break;
            }
            cut.appendCodePoint(c);
        }
        return cut.append('\u2026').toString();
    }

    /** As much of the end as there is room for, after an ellipsis: that of a name says more than its folders. */
    static String tail(String name, int room) {
        int from = 0;
        while (width(name.substring(from)) > (from == 0 ? room : room - 1)) {
            from = name.offsetByCodePoints(from, 1);
        }
        return from == 0 ? name : "\u2026" + name.substring(from);
    }

    /**
     * Puts a text into lines that begin with {@code indent} and end with a line feed, broken at so many columns.
     *
     * @param paint of each, in colour where {@code color} says so; null for none
     */
    static void paragraph(
            StringBuilder out, String indent, String text, int columns, @Nullable Ansi paint, boolean color) {
        for (String part : wrap(text, columns - indent.length())) {
            out.append(indent)
                    .append(paint == null ? part : paint.paint(part, color))
                    .append('\n');
        }
    }

    /** Filled up with spaces on the left. */
    static String right(String text, int columns) {
        return " ".repeat(Math.max(0, columns - width(text))) + text;
    }

    /**
     * Breaks at spaces into lines of at most so many columns; a longer word is broken where the line ends.
     *
     * @param columns at least 2
     */
    static List<String> wrap(String text, int columns) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        int used = 0;
        for (String word : line(text).split(" +", -1)) {
            int wide = width(word);
            if (used > 0 && used + 1 + wide > columns) {
                lines.add(line.toString());
                line.setLength(0);
                used = 0;
            }
            if (used > 0) {
                line.append(' ');
                used++;
            }
            for (int i = 0; i < word.length(); ) {
                int c = word.codePointAt(i);
                if (used + width(c) > columns) {
                    lines.add(line.toString());
                    line.setLength(0);
                    used = 0;
                }
                line.appendCodePoint(c);
                used += width(c);
                i += Character.charCount(c);
            }
        }
        lines.add(line.toString());
        return lines;
    }
}
