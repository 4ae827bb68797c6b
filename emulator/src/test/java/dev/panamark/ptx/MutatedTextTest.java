package dev.panamark.ptx;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Texts changed by chance are refused with a place or run to an end or a fault; nothing else may happen. {@code
 * -Dptx.mutated.texts} says how many.
 */
@SuppressWarnings("EnumOrdinal") // Counts by kind, within one run.
class MutatedTextTest {
    private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9_$%.]+|\\s+|.", Pattern.DOTALL);

    @Test
    void neitherCrashNorHang() {
        int count = Integer.getInteger("ptx.mutated.texts", 1000);
        long first = Long.getLong("ptx.mutated.first", 0);
        List<String> texts = new ArrayList<>(List.of(Texts.resource("benchmark.ptx")));
        for (long seed = 0; seed < 5; seed++) {
            texts.add(RandomKernel.of(seed));
        }
        int[] ends = new int[End.values().length];
        for (long seed = first; seed < first + count; seed++) {
            Random random = new Random(seed);
            String text = mutated(texts.get(random.nextInt(texts.size())), random);
            try {
                ends[run(text).ordinal()]++;
            } catch (RuntimeException | Error e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
        // Without these the test would pass if nothing was ever refused or ran to its end.
        int refused = ends[End.REFUSED.ordinal()];
        int complete = ends[End.COMPLETE.ordinal()];
        assertTrue(refused >= count / 20, refused + " of " + count + " texts were refused");
        assertTrue(complete >= count / 20, complete + " of " + count + " launches came to their end");
    }

    private static String mutated(String text, Random random) {
        List<String> tokens = new ArrayList<>();
        Matcher matcher = TOKEN.matcher(text);
        while (matcher.find()) {
            tokens.add(matcher.group());
        }
        int changes = 1 + random.nextInt(3);
        for (int i = 0; i < changes; i++) {
            int at = random.nextInt(tokens.size());
            switch (random.nextInt(7)) {
                case 0 -> tokens.remove(at);
                case 1 -> tokens.add(at, tokens.get(random.nextInt(tokens.size())));
                case 2, 3 -> tokens.set(at, tokens.get(random.nextInt(tokens.size())));
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

    private enum End {
        REFUSED,
        FAULT,
        COMPLETE
    }

    private static End run(String text) {
        PtxModule module;
        try {
            module = PtxModule.load("mutated.ptx", text);
        } catch (PtxException e) {
            return End.REFUSED;
        }
        if (module.kernels().isEmpty()) {
            return End.REFUSED;
        }
        try (Run run = new Run("mutated.ptx", text)) {
            KernelInfo kernel = module.kernels().getLast();
            Parameters parameters = Parameters.of(kernel);
            for (KernelInfo.Parameter parameter : kernel.parameters()) {
                switch (parameter.bytes()) {
                    case 8 -> parameters.add(run.buffer(1L << 14));
                    case 4 -> parameters.add(16);
                    default -> parameters.add(new byte[parameter.bytes()]);
                }
            }
            LaunchOptions options = LaunchOptions.plain()
                    .instructions(200_000)
                    .time(Duration.ofSeconds(5))
                    .counting(true);
            try {
                run.linked.launch(kernel.name(), Extent.of(2), Extent.of(64), 0, parameters.bytes(), options);
                return End.COMPLETE;
            } catch (KernelFault e) {
                return End.FAULT;
            } catch (IllegalArgumentException e) {
                // The shape of the launch no longer fits; anything else has another message.
                if (!String.valueOf(e.getMessage()).startsWith("launch of ")) {
                    throw e;
                }
                return End.REFUSED;
            }
        } catch (OutOfDeviceMemory e) {
            return End.REFUSED;
        }
    }
}
