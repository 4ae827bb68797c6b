package dev.panamark.kernel;

import static dev.panamark.kernel.KernelFiles.CPU;
import static dev.panamark.kernel.KernelFiles.DESIGN;
import static dev.panamark.kernel.KernelFiles.H100;
import static dev.panamark.kernel.KernelFiles.SAXPY;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever is done to a kernel file, nothing but a KernelFileException with a message comes out. */
class MutationTest {
    private static final byte[] ODD = "{}[]:,&*!|>'\"%@`#\t\0\n-?$()<=".getBytes(StandardCharsets.UTF_8);

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void truncatedAtEveryByte(boolean small, @TempDir Path dir) throws IOException {
        byte[] good = bytes(small);
        KernelFiles.write(dir, SAXPY);
        int refused = 0;
        for (int length = 0; length < good.length; length++) {
            refused += survives(dir, Arrays.copyOf(good, length)) ? 0 : 1;
        }
        // All but cuts in the last line, or in a comment behind it, lose something that must be there.
        int lastLine = new String(good, StandardCharsets.UTF_8).stripTrailing().lastIndexOf('\n');
        assertTrue(refused >= lastLine, refused + " of " + good.length + " refused");
    }

    @Test
    void linesDeletedAndDoubled(@TempDir Path dir) throws IOException {
        KernelFiles.write(dir, SAXPY);
        List<String> lines = DESIGN.lines().toList();
        int refused = 0;
        for (int i = 0; i < lines.size(); i++) {
            List<String> without = new ArrayList<>(lines);
            without.remove(i);
            refused += survives(dir, String.join("\n", without).getBytes(StandardCharsets.UTF_8)) ? 0 : 1;
            List<String> twice = new ArrayList<>(lines);
            twice.add(i, lines.get(i));
            refused += survives(dir, String.join("\n", twice).getBytes(StandardCharsets.UTF_8)) ? 0 : 1;
        }
        assertTrue(refused > lines.size() / 2, refused + " refused");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void bytesChangedAtRandom(long seed, @TempDir Path dir) throws IOException {
        KernelFiles.write(dir, SAXPY);
        Random random = new Random(seed);
        int refused = 0;
        int tries = 700;
        for (int i = 0; i < tries; i++) {
            byte[] bytes = bytes(random.nextBoolean()).clone();
            for (int edits = 1 + random.nextInt(3); edits > 0; edits--) {
                int at = random.nextInt(bytes.length);
                switch (random.nextInt(3)) {
                    case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                    case 1 -> bytes[at] = ODD[random.nextInt(ODD.length)];
                    default -> {
                        int from = random.nextInt(bytes.length);
                        int length = Math.min(random.nextInt(20), bytes.length - Math.max(at, from));
                        System.arraycopy(bytes.clone(), from, bytes, at, length);
                    }
                }
            }
            refused += survives(dir, bytes) ? 0 : 1;
        }
        assertTrue(refused > tries / 3, refused + " refused");
    }

    private static byte[] bytes(boolean small) {
        return (small ? SAXPY : DESIGN).getBytes(StandardCharsets.UTF_8);
    }

    /** Whether the file is taken and all its first problem's values can be computed. */
    private static boolean survives(Path dir, byte[] bytes) throws IOException {
        Path file = Files.write(dir.resolve("k.yaml"), bytes);
        try {
            Kernel kernel = Kernel.read(file);
            assertTrue(kernel.describe().lines().allMatch(l -> l.length() <= 110), kernel::describe);
            for (DeviceValues device : List.of(H100, CPU)) {
                Problem problem = kernel.problems(device.backend(), List.of(), Optional.empty())
                        .getFirst();
                kernel.instance(problem, device);
            }
            return true;
        } catch (KernelFileException e) {
            assertTrue(String.valueOf(e.getMessage()).startsWith(file.toString()), e.getMessage());
            return false;
        } catch (RuntimeException | StackOverflowError e) {
            return fail(new String(bytes, StandardCharsets.UTF_8), e);
        }
    }
}
