package dev.panamark.driver.nvcc;

import dev.panamark.driver.compile.CompileException;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What nvcc or NVRTC writes, freed of where it was written: the same source gives the same text on every machine.
 *
 * @param text one character a byte
 */
public record PtxText(String text) {
    /** How texts are changed; part of a cache's key, so that another way gives other files. */
    public static final String RULES = "panamark.ptx/1";

    private static final Pattern VERSION = Pattern.compile("(?m)^\\s*\\.version\\s+([0-9]+\\.[0-9]+)");

    /** An index, a name, and in old versions of nvcc the file's time and size. */
    private static final Pattern FILE =
            Pattern.compile("(?m)^(\\s*\\.file\\s+[0-9]+\\s+)\"([^\"\n]*)\"(?:\\s*,\\s*[0-9]+\\s*,\\s*[0-9]+)?");

    private static final Pattern TOOLKIT = Pattern.compile(".*/bin/\\.\\./(?:targets/[^/]+/)?include/(.*)");
    private static final String BETWEEN_BYTES = "(?:\\s*,\\s*|\\s*\n\\s*\\.b8\\s+)";

    /** The version that it asks for. */
    public String version() {
        Matcher found = VERSION.matcher(text);
        if (!found.find()) {
            throw new CompileException("what the compiler wrote has no .version, so it is no PTX; is it one of CUDA?");
        }
        return found.group(1);
    }

    /** The same with another version. */
    public PtxText asking(String version) {
        Matcher found = VERSION.matcher(text);
        if (!found.find()) {
            throw new CompileException("what the compiler wrote has no .version, so it is no PTX; is it one of CUDA?");
        }
        return new PtxText(text.substring(0, found.start(1)) + version + text.substring(found.end(1)));
    }

    /**
     * The same with names of files that hold on every machine: those found from the source's folder relative to it,
     * headers of the toolkit below {@code $CUDA_HOME/include}; others stay. Times and sizes of files go.
     *
     * @param folder the source's, without symbolic links
     */
    public PtxText withRelativeFiles(Path folder) {
        return withFiles(name -> relative(name, folder));
    }

    /** The same with the names of files that a function makes of theirs. */
    public PtxText withFiles(UnaryOperator<String> renamed) {
        return new PtxText(FILE.matcher(text)
                .replaceAll(m -> Matcher.quoteReplacement(m.group(1) + '"' + renamed.apply(m.group(2)) + '"')));
    }

    private static String relative(String name, Path folder) {
        String below = folder.toString().endsWith("/") ? folder.toString() : folder + "/";
        Matcher toolkit = TOOLKIT.matcher(name);
        if (name.startsWith(below)) {
            return Path.of(name.substring(below.length())).normalize().toString();
        }
        return toolkit.matches() ? "$CUDA_HOME/include/" + toolkit.group(1) : name;
    }

    /**
     * The same with another hash in the names of functions that are local to the source: nvcc takes one of the source's
     * path, which then stands in symbols and, byte by byte, in debug strings.
     *
     * @param source the source's file name
     * @param hash eight hex digits
     */
    public PtxText withModule(String source, String hash) {
        String name = source.replaceAll("[^A-Za-z0-9]", "_");
        String before = "_INTERNAL_";
        String after = "_" + name.length() + "_" + name + "_";
        String symbols = text.replaceAll(before + "[0-9a-f]{8}(?=" + after + ")", before + hash);
        Pattern bytes = Pattern.compile("(" + encoded(before) + BETWEEN_BYTES + ")((?:[0-9]{2,3}" + BETWEEN_BYTES
                + "){8})(?=" + encoded(after) + ")");
        return new PtxText(
                bytes.matcher(symbols).replaceAll(m -> Matcher.quoteReplacement(m.group(1) + digits(m, hash))));
    }

    /** The eight bytes of the second group with those of a hash in their places. */
    private static String digits(MatchResult found, String hash) {
        StringBuilder out = new StringBuilder();
        Matcher each = Pattern.compile("[0-9]{2,3}(" + BETWEEN_BYTES + ")").matcher(found.group(2));
        for (int i = 0; each.find(); i++) {
            out.append((int) hash.charAt(i)).append(each.group(1));
        }
        return out.toString();
    }

    private static String encoded(String ascii) {
        return ascii.chars().mapToObj(Integer::toString).collect(Collectors.joining(BETWEEN_BYTES));
    }
}
