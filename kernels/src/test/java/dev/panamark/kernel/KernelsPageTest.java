package dev.panamark.kernel;

import static dev.panamark.kernel.KernelFiles.assertHas;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The page on the built-in kernels, against the catalogue. */
class KernelsPageTest {
    private static final Pattern TABLE_ROW = Pattern.compile("(?m)^\\| (`\\w+\\.[^|]*) \\| [^|]+ \\| ?(\\w*) ?\\|$");
    private static final Pattern NAME = Pattern.compile("`([\\w.]+)`");

    @TempDir
    static Path cache;

    private static String page = "";
    private static List<Kernel> kernels = List.of();

    @BeforeAll
    static void read() throws IOException {
        page = Files.readString(Path.of("../docs/kernels.md"));
        kernels = Catalogue.builtin(cache).all();
    }

    /** The text under the heading of a kernel's family, such as {@code ## quant}. */
    private static String section(Kernel kernel) {
        String family = kernel.name().substring(0, kernel.name().indexOf('.'));
        Matcher found = Pattern.compile("(?ms)^## " + family + "\\b.*?(?=^## (?!" + family + "\\b)|\\z)")
                .matcher(page);
        assertTrue(found.find(), family);
        return found.group();
    }

    /** Name and kind of tokens, both ways: none is left out, and none is there that does not exist. */
    @Test
    void theTableHasEveryKernelAndWhatItsTokensAre() {
        Map<String, String> written = new TreeMap<>();
        Matcher row = TABLE_ROW.matcher(page);
        while (row.find()) {
            Matcher name = NAME.matcher(row.group(1));
            while (name.find()) {
                written.put(name.group(1), row.group(2));
            }
        }
        Map<String, String> real = new TreeMap<>();
        for (Kernel kernel : kernels) {
            Matcher tokens = Pattern.compile("(?m)^  tokens .*\\((\\w+)\\)$").matcher(kernel.describe());
            real.put(kernel.name(), tokens.find() ? tokens.group(1) : "");
        }
        assertEquals(real, written);
    }

    @Test
    void everyVariantIsExplained() {
        for (Kernel kernel : kernels) {
            String variant = kernel.name().substring(kernel.name().lastIndexOf('.') + 1);
            if (variant.endsWith("scalar")) {
                assertHas(page, "A kernel whose name ends in `scalar`");
            } else {
                assertTrue(
                        Pattern.compile("`(" + Pattern.quote(kernel.name()) + "|" + variant + ")`")
                                .matcher(section(kernel))
                                .find(),
                        kernel.name());
            }
        }
    }

    @Test
    void everyAxisIsExplained() {
        for (Kernel kernel : kernels) {
            for (Axis each : kernel.axes()) {
                String axis = each.name();
                assertTrue(
                        Pattern.compile("\\b" + axis + "\\b")
                                .matcher(section(kernel))
                                .find(),
                        () -> kernel.name() + ": axis " + axis);
            }
        }
    }

    @Test
    void everyReferenceIsNamed() {
        for (Kernel kernel : kernels) {
            Matcher reference = Pattern.compile("(?m)^  reference +(\\S+)$").matcher(kernel.describe());
            assertTrue(reference.find(), kernel.name());
            assertHas(section(kernel), "`" + reference.group(1) + "`");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "attention.prefill.blocked, a block is (\\d+) query rows, -DQUERIES=",
        "quant.int4.quantize, (\\d+) rows are\\s+read at a time, -DROWS=",
    })
    void blocksAreAsLargeAsThePageSays(String name, String sentence, String option) {
        Kernel kernel =
                kernels.stream().filter(k -> k.name().equals(name)).findFirst().orElseThrow();
        Matcher size = Pattern.compile(sentence).matcher(section(kernel));
        assertTrue(size.find(), sentence);
        List<String> options =
                KernelFiles.ready(kernel, KernelFiles.CPU).image().options();
        assertTrue(options.contains(option + size.group(1)), options::toString);
    }
}
