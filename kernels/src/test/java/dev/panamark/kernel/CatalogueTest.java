package dev.panamark.kernel;

import static dev.panamark.kernel.KernelFiles.assertHas;
import static dev.panamark.kernel.KernelFiles.fault;
import static dev.panamark.kernel.KernelFiles.saxpy;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The built-ins here are the test resources below {@code catalogue/}. */
class CatalogueTest {

    private static Catalogue builtin(Path cache) {
        return Catalogue.builtin(cache, "catalogue");
    }

    private static List<String> names(List<Kernel> kernels) {
        return kernels.stream().map(Kernel::name).toList();
    }

    private static List<Path> below(Path dir) throws IOException {
        try (Stream<Path> all = Files.list(dir)) {
            return all.toList();
        }
    }

    @Test
    void builtinsAreCopiedWhereACompilerFindsThem(@TempDir Path dir) throws IOException {
        Path cache = dir.resolve("deep/cache");
        Catalogue catalogue = builtin(cache);
        assertEquals(List.of("test.copy.plain", "test.copy.twice"), names(catalogue.all()));
        List<Path> folders = below(cache);
        assertEquals(1, folders.size());
        assertTrue(folders.getFirst().getFileName().toString().matches("kernels-[0-9a-f]{16}"));
        Instance it = KernelFiles.ready(catalogue.all().getFirst(), KernelFiles.CPU);
        assertEquals(folders.getFirst().resolve("copy/copy.c"), it.image().file());
        assertTrue(Files.readString(it.image().file()).contains("#include \"../common.h\""));
        assertTrue(Files.isRegularFile(folders.getFirst().resolve("common.h")));
    }

    @Test
    void aDamagedCopyIsRepaired(@TempDir Path cache) throws IOException {
        builtin(cache);
        Path source = below(cache).getFirst().resolve("copy/copy.c");
        String good = Files.readString(source);
        Files.writeString(source, "int edited;\n");
        builtin(cache);
        assertEquals(good, Files.readString(source));
        Files.delete(source);
        builtin(cache);
        assertEquals(good, Files.readString(source));
        assertEquals(1, below(cache).size());
    }

    @Test
    void severalAtOnce(@TempDir Path cache) throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            List<Future<List<String>>> results = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                results.add(threads.submit(() -> names(builtin(cache).all())));
            }
            for (Future<List<String>> result : results) {
                assertEquals(List.of("test.copy.plain", "test.copy.twice"), result.get());
            }
        }
        assertEquals(1, below(cache).size(), "temporary folders are left behind");
    }

    @Test
    void aCacheThatCannotBeWritten(@TempDir Path dir) throws IOException {
        Path file = Files.writeString(dir.resolve("file"), "");
        assertHas(fault(() -> builtin(file)), file + ": the built-in kernels cannot be copied here");
        assertHas(fault(() -> Catalogue.builtin(dir, "nowhere")), "nowhere/index.txt: is missing from the program");
    }

    @Test
    void aUsersFile(@TempDir Path dir) {
        Catalogue catalogue = builtin(dir.resolve("cache"));
        Path file = KernelFiles.write(dir, KernelFiles.SAXPY);
        assertEquals(
                List.of("test.copy.plain", "test.copy.twice", "demo.saxpy.plain"),
                names(catalogue.withFile(file).all()));
        assertEquals(2, catalogue.all().size());
        assertHas(
                fault(() -> catalogue.withFile(file).withFile(file)),
                file + ": kernel: 'demo.saxpy.plain' is the name of the kernel in " + file);
        KernelFiles.write(dir, saxpy("demo.saxpy.plain", "test.copy.plain"));
        assertHas(fault(() -> catalogue.withFile(file)), "kernel: 'test.copy.plain' is the name of the kernel in");
        KernelFiles.write(dir, saxpy("reference: saxpy", "against: test.copy.plian"));
        assertHas(
                fault(() -> catalogue.withFile(file)),
                file + ":23: check.against: unknown kernel 'test.copy.plian'; did you mean 'test.copy.plain'");
        KernelFiles.write(dir, saxpy("reference: saxpy", "against: test.copy.plain"));
        assertEquals(3, catalogue.withFile(file).all().size());
        KernelFiles.write(dir, saxpy("reference: saxpy", "against: demo.saxpy.plain"));
        assertHas(fault(() -> catalogue.withFile(file)), "unknown kernel 'demo.saxpy.plain'");
    }

    @Test
    void globs(@TempDir Path dir) {
        Catalogue catalogue = builtin(dir.resolve("cache")).withFile(KernelFiles.write(dir, KernelFiles.SAXPY));
        assertEquals(3, catalogue.select(List.of()).size());
        assertEquals(3, catalogue.select(List.of("*")).size());
        assertEquals(List.of("test.copy.plain", "test.copy.twice"), names(catalogue.select(List.of("test.*"))));
        assertEquals(
                List.of("test.copy.plain", "demo.saxpy.plain"),
                names(catalogue.select(List.of("demo.saxpy.plain", "*plain"))));
        assertEquals(List.of("test.copy.twice"), names(catalogue.select(List.of("test?copy?t????"))));
        assertHas(
                fault(() -> catalogue.select(List.of("*", "test.copy.plan"))),
                "-b test.copy.plan: matches no kernel; did you mean 'test.copy.plain'?");
        assertHas(fault(() -> catalogue.select(List.of("copy"))), "-b copy: matches no kernel", "'test.copy.plain'");
        assertHas(fault(() -> catalogue.select(List.of("(test|demo).*"))), "-b (test|demo).*: matches no kernel");
    }

    @Test
    void theHashIsOfTheFileItsImagesAndTheirHeaders(@TempDir Path dir) throws IOException {
        String before = KernelFiles.read(dir, KernelFiles.SAXPY).sourceSha256();
        assertEquals(before, KernelFiles.read(dir, KernelFiles.SAXPY).sourceSha256());
        Path file = dir.resolve("k.yaml");
        Files.writeString(dir.resolve("saxpy.c"), "/* another */\n");
        assertNotEquals(before, Kernel.read(file).sourceSha256());
        KernelFiles.write(dir, saxpy("y = a*x + y", "y += a*x"));
        assertNotEquals(before, Kernel.read(file).sourceSha256());

        KernelFiles.write(dir, saxpy("options: [", "options: [-Iinclude, "));
        Files.writeString(dir.resolve("saxpy.c"), "#include \"beside.h\"\n#include <folder.h>\n");
        Files.writeString(dir.resolve("beside.h"), "#define A 1\n");
        Path inFolder = Files.createDirectories(dir.resolve("include")).resolve("folder.h");
        Files.writeString(inFolder, "#define B 1\n");
        String whole = Kernel.read(file).sourceSha256();
        Files.writeString(dir.resolve("beside.h"), "#define A 2\n");
        String another = Kernel.read(file).sourceSha256();
        assertNotEquals(whole, another);
        Files.writeString(inFolder, "#define B 2\n");
        assertNotEquals(another, Kernel.read(file).sourceSha256());
    }
}
