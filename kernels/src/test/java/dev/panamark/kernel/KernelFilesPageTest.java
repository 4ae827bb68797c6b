package dev.panamark.kernel;

import static dev.panamark.kernel.KernelFiles.CPU;
import static dev.panamark.kernel.KernelFiles.assertHas;
import static dev.panamark.kernel.KernelFiles.fault;
import static dev.panamark.kernel.KernelFiles.ready;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example in the documentation is read as it stands there. */
class KernelFilesPageTest {
    private static final Path PAGE = Path.of("../docs/kernel-files.md");

    private static String block(String language) throws IOException {
        Matcher block =
                Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL).matcher(Files.readString(PAGE));
        assertTrue(block.find(), language);
        return block.group(1);
    }

    @Test
    void theExampleWorks(@TempDir Path dir) throws IOException {
        String source = block("c");
        Files.writeString(dir.resolve("saxpy.c"), source);
        Kernel kernel = Kernel.read(Files.writeString(dir.resolve("saxpy.yaml"), block("yaml")));
        assertEquals(4, kernel.problems("cpu", List.of(), Optional.empty()).size());
        Instance it = ready(kernel, CPU);
        Step.Launch launch = (Step.Launch) it.steps().getFirst();
        assertEquals(new Dim3(256, 1, 1), launch.grid()); // 1048576/4096
        assertEquals(List.of("-DTILE=4096"), it.image().options());
        assertHas(
                source, "void " + launch.entry() + "(void **args, const int64_t grid[3], int64_t first, int64_t last)");
        assertEquals(4, launch.args().size());
        for (int i = 0; i < launch.args().size(); i++) {
            assertHas(source, "args[" + i + "]");
        }
    }

    @Test
    void theMessagesAreReal(@TempDir Path dir) throws IOException {
        Files.writeString(dir.resolve("saxpy.c"), block("c"));
        Path file = dir.resolve("saxpy.yaml");
        String page = Files.readString(PAGE);
        String yaml = block("yaml");
        for (List<String> change : List.of(
                List.of("$tile", "$tyle"),
                List.of("grid: [blocks]", "grid: [n/64]"),
                List.of("shape: [n], fill: normal}", "shape: [n]}"))) {
            assertTrue(yaml.contains(change.getFirst()));
            Files.writeString(file, yaml.replace(change.getFirst(), change.getLast()));
            String message = fault(() -> ready(Kernel.read(file), CPU, "n=1000", "tile=10"));
            assertHas(page, message.replace(dir + "/", ""));
        }
        Files.writeString(file, yaml);
        assertHas(page, fault(() -> ready(Kernel.read(file), CPU, "kv_len=3")));
    }

    @Test
    void everyFunctionAndTypeIsNamed() throws IOException {
        String page = Files.readString(PAGE);
        ExpressionSyntax.FUNCTIONS.keySet().forEach(f -> assertHas(page, f));
        ExpressionSyntax.WORK_FUNCTIONS.keySet().forEach(f -> assertHas(page, "`" + f + "(", f));
        assertHas(page, dev.panamark.kernel.format.DataType.tags().replace(",", ""));
        for (OutputCheck.Rule rule : OutputCheck.Rule.values()) {
            assertHas(page, "`" + rule.tag() + "`");
        }
    }
}
