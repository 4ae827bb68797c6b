package dev.panamark.kernel;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** Finds the names that a person may have meant. */
final class Near {
    private static final int MOST = 3;
    private static final int LISTED = 30;

    private Near() {}

    /** Up to three names close to {@code word}, nearest first. */
    static List<String> names(String word, Collection<String> known) {
        int allowed = Math.max(1, word.length() / 3);
        return known.stream()
                .filter(k -> distance(word, k) <= allowed || (word.length() >= 3 && k.contains(word)))
                .sorted(Comparator.<String>comparingInt(k -> distance(word, k)).thenComparing(k -> k))
                .limit(MOST)
                .toList();
    }

    /** {@code "; did you mean 'x'?"} when something is near, otherwise {@code "; there are: a, b"}. */
    static String hint(String word, Collection<String> known) {
        List<String> near = names(word, known);
        if (!near.isEmpty()) {
            return "; did you mean " + near.stream().map(n -> "'" + n + "'").collect(Collectors.joining(" or ")) + "?";
        }
        if (known.isEmpty()) {
            return "; there are none";
        }
        return "; there are: "
                + known.stream().limit(LISTED).collect(Collectors.joining(", "))
                + (known.size() > LISTED ? ", …" : "");
    }

    /** Edit distance that also counts two swapped neighbours as one edit; case does not count. */
    private static int distance(String one, String other) {
        String a = one.toLowerCase(java.util.Locale.ROOT);
        String b = other.toLowerCase(java.util.Locale.ROOT);
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    d[i][j] = i + j;
                    continue;
                }
                int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                d[i][j] = Math.min(d[i - 1][j - 1] + change, 1 + Math.min(d[i - 1][j], d[i][j - 1]));
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
                }
            }
        }
        return d[a.length()][b.length()];
    }
}
