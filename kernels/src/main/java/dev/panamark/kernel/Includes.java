package dev.panamark.kernel;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Finds the {@code #include} lines of C, C++ and what is made of them. */
final class Includes {
    private static final Pattern SPLICE = Pattern.compile("\\\\\r?\n");

    /** Literals are taken whole, so that what looks like a comment inside one is none. */
    private static final Pattern TOKEN = Pattern.compile(
            "R\"([^(\\s\"\\\\]*)\\(.*?\\)\\1\"" // a raw string
                    + "|\"(?:\\\\.|[^\"\\\\\n])*+\"|'(?:\\\\.|[^'\\\\\n])*+'"
                    + "|(//[^\n]*|/\\*.*?(?:\\*/|\\z))",
            Pattern.DOTALL);

    private static final Pattern INCLUDE =
            Pattern.compile("(?m)^[ \t]*#[ \t]*(?:include|include_next|import)[ \t]*(?:\"([^\"\n]+)\"|<([^>\n]+)>)");

    private Includes() {}

    /**
     * One line.
     *
     * @param name as it stands there
     * @param quoted whether in quotes; in angle brackets otherwise
     */
    record Include(String name, boolean quoted) {}

    /** Those of a text, in order. */
    static List<Include> in(byte[] text) {
        // One character a byte, so that no encoding is wrong; only names are decoded.
        String code =
                SPLICE.matcher(new String(text, StandardCharsets.ISO_8859_1)).replaceAll("");
        String bare = TOKEN.matcher(code)
                .replaceAll(m -> m.group(2) == null ? java.util.regex.Matcher.quoteReplacement(m.group()) : " ");
        return INCLUDE.matcher(bare).results().map(Includes::include).toList();
    }

    private static Include include(MatchResult found) {
        boolean quoted = found.group(1) != null;
        String name = quoted ? found.group(1) : found.group(2);
        return new Include(new String(name.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8), quoted);
    }
}
