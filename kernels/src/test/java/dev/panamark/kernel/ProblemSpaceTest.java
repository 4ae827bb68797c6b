package dev.panamark.kernel;

import static dev.panamark.kernel.KernelFiles.assertHas;
import static dev.panamark.kernel.KernelFiles.fault;
import static dev.panamark.kernel.KernelFiles.read;
import static dev.panamark.kernel.KernelFiles.saxpy;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProblemSpaceTest {
    private static final String ZIPPED = saxpy("  n: [1000, 2000]\n", """
              n: {values: [1000, 2000, 1000], cpu: [10, 20]}
              heads: {values: [1, 2, 3], cpu: [4, 5]}
              kv_heads: [8, 4]
            zip: [[n, heads]]
            """)
            .replace("  dtype: [f32]\n", "")
            .replace("  tile: {values: [64], cpu: [128, 256]}\n", "")
            .replace("let:\n", "let:\n  tile: 4\n")
            .replace("$dtype", "f32");

    private static List<String> problems(Kernel kernel, String backend, Optional<Model> model, String... overrides) {
        return kernel
                .problems(
                        backend,
                        Arrays.stream(overrides).map(AxisOverride::parse).toList(),
                        model)
                .stream()
                .map(Problem::toString)
                .toList();
    }

    private static List<String> problems(Kernel kernel, String backend, String... overrides) {
        return problems(kernel, backend, Optional.empty(), overrides);
    }

    @Test
    void everyCombinationTheLastAxisFastest(@TempDir Path dir) {
        Kernel kernel = read(dir, KernelFiles.SAXPY);
        assertEquals(List.of("n=1000 dtype=f32 tile=64", "n=2000 dtype=f32 tile=64"), problems(kernel, "cuda"));
        assertEquals(
                List.of(
                        "n=1000 dtype=f32 tile=128",
                        "n=1000 dtype=f32 tile=256",
                        "n=2000 dtype=f32 tile=128",
                        "n=2000 dtype=f32 tile=256"),
                problems(kernel, "cpu"));
        assertEquals(
                List.of("n=7 dtype=f16 tile=64", "n=7 dtype=bf16 tile=64"),
                problems(kernel, "cuda", "dtype=f16,bf16", "n=7"));
        assertTrue(kernel.hasAxis("tile"));
        assertFalse(kernel.hasAxis("blocks"));
    }

    @Test
    void zippedAxesGoTogether(@TempDir Path dir) {
        Kernel kernel = read(dir, ZIPPED);
        assertEquals(
                List.of(
                        "n=1000 heads=1 kv_heads=8",
                        "n=1000 heads=1 kv_heads=4",
                        "n=2000 heads=2 kv_heads=8",
                        "n=2000 heads=2 kv_heads=4",
                        "n=1000 heads=3 kv_heads=8",
                        "n=1000 heads=3 kv_heads=4"),
                problems(kernel, "cuda"));
        assertEquals(
                List.of("n=10 heads=4 kv_heads=1", "n=20 heads=5 kv_heads=1"), problems(kernel, "cpu", "kv_heads=1"));
        assertEquals(
                List.of("n=1 heads=9 kv_heads=8", "n=2 heads=7 kv_heads=8"),
                problems(kernel, "cuda", "n=1,2", "heads=9,7", "kv_heads=8"));
    }

    @Test
    void zippedAxesOfDifferentLengths(@TempDir Path dir) {
        assertHas(
                fault(() -> problems(read(dir, ZIPPED), "cuda", "heads=1,2")),
                "-a heads=1,2: axes n and heads of demo.saxpy.plain go together",
                "(n: 3, heads: 2)",
                "expected as many values for each");
        assertHas(
                fault(() -> read(dir, ZIPPED.replace("cpu: [4, 5]", "cpu: [4, 5, 6]"))),
                "zip[0]: zipped axes differ in length on cpu (n: 2, heads: 3)");
        assertHas(
                fault(() -> read(dir, ZIPPED.replace("[[n, heads]]", "[[n, head]]"))),
                "zip[0][1]: unknown axis 'head'; did you mean 'heads' or 'kv_heads'?");
        assertHas(fault(() -> read(dir, ZIPPED.replace("[[n, heads]]", "[[n]]"))), "zip[0]: zips 1 axis");
        assertHas(
                fault(() -> read(dir, ZIPPED.replace("[[n, heads]]", "[[n, heads], [n, kv_heads]]"))),
                "zip[1][0]: axis 'n' is zipped twice");
        assertHas(
                fault(() -> read(dir, ZIPPED.replace("[[n, heads]]", "[[heads, n, heads]]"))),
                "zip[0][2]: axis 'heads' is zipped twice");
    }

    @Test
    void overridesThatDoNotFit(@TempDir Path dir) {
        Kernel kernel = read(dir, KernelFiles.SAXPY);
        assertHas(
                fault(() -> problems(kernel, "cpu", "tyle=3")),
                "-a tyle=3: kernel demo.saxpy.plain has no axis 'tyle'; did you mean 'tile'?",
                "n, dtype, tile");
        assertHas(
                fault(() -> problems(kernel, "cpu", "kv_len=3")),
                "-a kv_len=3: kernel demo.saxpy.plain has no axis 'kv_len'; there are: n, dtype, tile");
        assertHas(
                fault(() -> problems(kernel, "cpu", "n=f16")),
                "-a n=f16: axis 'n' of demo.saxpy.plain takes whole numbers such as 1000, not [f16]");
        assertHas(fault(() -> problems(kernel, "cpu", "n=1.5")), "takes whole numbers");
        assertHas(fault(() -> problems(kernel, "cpu", "dtype=8")), "takes words such as f32");
        assertHas(fault(() -> problems(kernel, "cpu", "n=1", "n=2")), "-a n=2: axis 'n' is given twice");
        assertHas(
                fault(() -> problems(kernel, "cpu", "n=1:2000", "tile=1:2000")),
                "axes: make more than 100000 problems of demo.saxpy.plain");
    }

    @Test
    void aModelSetsTheAxesThatExistAndAnOverrideWins(@TempDir Path dir) {
        Optional<Model> llama = Optional.of(Model.named("llama3-8b"));
        Kernel attention = read(dir, KernelFiles.DESIGN);
        assertEquals(
                List.of("batch=1 heads=48 kv_heads=8 head_dim=128 kv_len=512 page=16 dtype=f16 kv_dtype=f16"),
                problems(
                        attention,
                        "cpu",
                        Optional.of(Model.named("mixtral-8x22b")),
                        "batch=1",
                        "page=16",
                        "dtype=f16",
                        "kv_dtype=f16"));
        assertHas(problems(attention, "cpu", llama, "heads=4").getFirst(), "heads=4 kv_heads=8 head_dim=128");
        // heads is zipped with n, so the model's 32 stands beside each n.
        assertEquals(
                List.of("n=1000 heads=32 kv_heads=8", "n=2000 heads=32 kv_heads=8", "n=1000 heads=32 kv_heads=8"),
                problems(read(dir, ZIPPED), "cuda", llama));
        // A kernel without such axes is left alone.
        assertEquals(
                List.of("n=1000 dtype=f32 tile=64", "n=2000 dtype=f32 tile=64"),
                problems(read(dir, KernelFiles.SAXPY), "cuda", llama));
    }
}
