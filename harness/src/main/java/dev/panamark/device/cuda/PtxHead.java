package dev.panamark.device.cuda;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a PTX text says of itself, as far as messages tell it.
 *
 * @param version of the PTX language
 * @param target {@code sm_90}
 */
record PtxHead(String version, String target) {
    private static final Pattern VERSION = Pattern.compile("(?m)^\\s*\\.version\\s+([0-9.]+)");
    private static final Pattern TARGET = Pattern.compile("(?m)^\\s*\\.target\\s+(sm_[0-9]+[af]?)");
    private static final Pattern ENTRY = Pattern.compile("\\.entry\\s+([A-Za-z_$%][A-Za-z0-9_$]*)");

    /** Of a text; empty for what is none, as a cubin. */
    static Optional<PtxHead> of(String text) {
        Matcher version = VERSION.matcher(text);
        Matcher target = TARGET.matcher(text);
        return version.find() && target.find()
                ? Optional.of(new PtxHead(version.group(1), target.group(1)))
                : Optional.empty();
    }

    /** Names of the kernels in a text. */
    static List<String> entries(String text) {
        return ENTRY.matcher(text).results().map(r -> r.group(1)).distinct().toList();
    }

    String text() {
        return "PTX " + version + " and " + target;
    }
}
