package dev.panamark.ptx;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Texts changed by chance are refused with a place, or come to the same end in both engines; nothing else may happen.
 * {@code -Dptx.mutated.texts} says how many.
 */
class MutatedTextTest {
    private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9_$%.]+|\\s+|.", Pattern.DOTALL);

    /** Long texts, and short ones that are taken more often. */
    private final List<List<String>> files = new ArrayList<>();

    private final List<List<String>> kernels = new ArrayList<>();

    @Test
    void neitherCrashNorHang() {
        for (String file : List.of("benchmark.ptx", "tiles.ptx", "grid.ptx")) {
            files.add(tokens(Texts.resource(file)));
        }
        for (long seed = 0; seed < 20; seed++) {
            kernels.add(tokens(RandomKernel.of(seed)));
        }
        OpcodesTest.supported()
                .flatMap(opcode -> References.of(opcode).stream())
                .forEach(reference -> kernels.add(tokens(new OpcodeKernel(reference).text())));
        long count = Long.getLong("ptx.mutated.texts", 20_000);
        long first = Long.getLong("ptx.mutated.first", 0);
        long[] ends = new Fuzz("mutated", false, 20_000, this::text).run(first, count);
        // Without these the test would pass if nothing was ever refused or ran to its end.
        assertTrue(ends[0] >= count / 20, ends[0] + " of " + count + " texts were refused");
        assertTrue(ends[2] >= count / 20, ends[2] + " of " + count + " launches came to their end");
    }

    private static List<String> tokens(String text) {
        List<String> tokens = new ArrayList<>();
        Matcher matcher = TOKEN.matcher(text);
        while (matcher.find()) {
            tokens.add(matcher.group());
        }
        return tokens;
    }

    private String text(long seed) {
        Random random = new Random(seed);
        List<List<String>> from = random.nextInt(50) == 0 ? files : kernels;
        List<String> tokens = new ArrayList<>(from.get(random.nextInt(from.size())));
        int changes = 1 + random.nextInt(3);
        for (int i = 0; i < changes; i++) {
            List<String> other = random.nextBoolean() ? tokens : kernels.get(random.nextInt(kernels.size()));
            int at = random.nextInt(tokens.size());
            switch (random.nextInt(7)) {
                case 0 -> tokens.remove(at);
                case 1 -> tokens.add(at, other.get(random.nextInt(other.size())));
                case 2, 3 -> tokens.set(at, other.get(random.nextInt(other.size())));
                case 4 -> tokens.set(at, flipped(tokens.get(at), random));
                case 5 -> tokens.set(at, "" + random.nextLong());
                default -> {
                    int end = Math.min(tokens.size(), at + random.nextInt(40));
                    tokens.subList(at, end).clear();
                }
            }
        }
        return String.join("", tokens);
    }

    private static String flipped(String token, Random random) {
        int at = random.nextInt(token.length());
        return token.substring(0, at) + (char) (token.charAt(at) ^ 1 << random.nextInt(7)) + token.substring(at + 1);
    }
}
