package dev.panamark.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SourceClosureTest {
    @TempDir
    Path dir;

    private Path write(String name, String text) throws IOException {
        Path file = dir.resolve(name);
        Files.createDirectories(file.resolveSibling(""));
        return Files.writeString(file, text);
    }

    private static List<String> names(SourceClosure closure, Path root) {
        return closure.files().stream().map(f -> root.relativize(f).toString()).toList();
    }

    private static List<String> includes(String text) {
        return Includes.in(text.getBytes(StandardCharsets.UTF_8)).stream()
                .map(i -> (i.quoted() ? "" : "<>") + i.name())
                .toList();
    }

    @Test
    void filesComeInTheOrderOfReading() throws IOException {
        Path source = write("k/a.cu", "#include \"b.cuh\"\n#include \"../d.cuh\"\n#include <stdint.h>\n");
        write("k/b.cuh", "#pragma once\n#include \"c.cuh\"\n");
        write("k/c.cuh", "#include \"b.cuh\"\n#include \"a.cu\"\n");
        write("d.cuh", "#include \"k/c.cuh\"\n#include \"cuda_fp16.h\"\n");
        SourceClosure closure = SourceClosure.of(source, List.of());
        assertEquals(List.of("k/a.cu", "k/b.cuh", "k/c.cuh", "d.cuh"), names(closure, dir));
        assertEquals(List.of("\"cuda_fp16.h\" in " + dir.resolve("d.cuh")), closure.missing());
    }

    @Test
    void everyFileCountsAndSoDoesOneThatAppears() throws IOException {
        Path source = write("a.c", "#include \"b.h\"\n#include \"late.h\"\n");
        write("b.h", "#include \"c.h\"\n");
        write("c.h", "int c;\n");
        String before = SourceClosure.of(source, List.of()).sha256();
        assertEquals(before, SourceClosure.of(source, List.of()).sha256());
        write("c.h", "int d;\n");
        String changed = SourceClosure.of(source, List.of()).sha256();
        assertNotEquals(before, changed);
        write("late.h", "");
        assertNotEquals(changed, SourceClosure.of(source, List.of()).sha256());
    }

    @Test
    void whereItLiesDoesNotCount() throws IOException {
        for (String place : List.of("here", "there/below")) {
            write(place + "/k/a.cu", "#include \"../b.cuh\"\n");
            write(place + "/b.cuh", "int b;\n");
        }
        assertEquals(
                SourceClosure.of(dir.resolve("here/k/a.cu"), List.of()).sha256(),
                SourceClosure.of(dir.resolve("there/below/k/a.cu"), List.of()).sha256());
    }

    @Test
    void textThatMovesFromOneFileToTheNextIsSeen() throws IOException {
        Path source = write("a.c", "#include \"b.h\"\n#include \"c.h\"\n");
        write("b.h", "int b;\nint c;\n");
        write("c.h", "");
        String before = SourceClosure.of(source, List.of()).sha256();
        write("b.h", "int b;\n");
        write("c.h", "int c;\n");
        assertNotEquals(before, SourceClosure.of(source, List.of()).sha256());
    }

    @Test
    void foldersOfOptionsComeAfterTheFilesOwn() throws IOException {
        Path source = write("k/a.c", "#include \"x.h\"\n#include <y.h>\n#include \"own.h\"\n#include <own.h>\n");
        write("k/own.h", "int beside;\n");
        write("one/own.h", "int one;\n");
        write("one/x.h", "int x;\n");
        write("two/x.h", "int other;\n");
        write("two/y.h", "int y;\n");
        SourceClosure closure = SourceClosure.of(
                source, List.of("-I../one", "-DN=1", "-I", dir.resolve("two").toString()));
        assertEquals(List.of("k/a.c", "one/x.h", "two/y.h", "k/own.h", "one/own.h"), names(closure, dir));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-I../one", "-isystem../one", "-iquote../one", "--include-path=../one"})
    void everyOptionThatNamesAFolderIsFollowed(String option) throws IOException {
        Path source = write("k/a.c", "#include \"x.h\"\n");
        write("one/x.h", "int x;\n");
        String before = SourceClosure.of(source, List.of(option)).sha256();
        write("one/x.h", "int y;\n");
        assertNotEquals(before, SourceClosure.of(source, List.of(option)).sha256());
    }

    @Test
    void includesAreFoundWhereACompilerFindsThem() {
        assertEquals(
                List.of("a.h", "<>b.h", "c.h"), includes("#include \"a.h\"\n  #  include <b.h>\n#include\"c.h\"\n"));
        assertEquals(List.of("after.h"), includes("/* #include \"no.h\"\n#include \"no.h\" */ #include \"after.h\"\n"));
        assertEquals(List.of("b.h"), includes("// #include \"a.h\" \\\n#include \"no.h\"\n#include \"b.h\" // c\n"));
        assertEquals(List.of("a.h"), includes("const char *s = \"/* \\\" //\", c = '\"'; // \"\n#include \"a.h\"\n"));
        assertEquals(List.of("a.h"), includes("auto r = R\"x(\n/* )\" )x\";\n#include \"a.h\"\n"));
        assertEquals(List.of("dir/ä.h"), includes("#inc\\\nlude \"dir/ä.h\"\r\n"));
        assertEquals(List.of(), includes("#include NAME\nint a; #include \"a.h\"\n#define X #include\n"));
        assertEquals(List.of("a.h"), includes("char s[] = \"" + "\\\"x".repeat(300_000) + "\";\n#include \"a.h\"\n"));
        assertEquals(List.of(), includes("/* never ends\n#include \"a.h\"\n"));
    }

    @Test
    void aBinaryIsTakenAsItIs() throws IOException {
        byte[] bytes = "\0ELF\n#include \"a.h\"\n".getBytes(StandardCharsets.US_ASCII);
        Path binary = Files.write(dir.resolve("k.cubin"), bytes);
        assertEquals(List.of(), SourceClosure.of(binary, List.of()).missing());
    }

    @Test
    void aLongChainOfHeadersIsReadAndAnEndlessOneIsRefused() throws IOException {
        for (int i = 0; i < 10_001; i++) {
            write("chain/" + i + ".h", "#include \"" + (i + 1) + ".h\"\n");
        }
        assertEquals(
                10_000,
                SourceClosure.of(dir.resolve("chain/1.h"), List.of()).files().size());
        assertThrows(IOException.class, () -> SourceClosure.of(dir.resolve("chain/0.h"), List.of()));
    }

    @Test
    void builtinsHaveAllTheirHeaders() {
        for (Kernel kernel : Catalogue.builtin(dir).all()) {
            assertEquals(List.of(), missing(Path.of(kernel.file())), kernel.name());
        }
    }

    private static List<String> missing(Path yaml) {
        try (var files = Files.list(yaml.resolveSibling(""))) {
            List<String> missing = new java.util.ArrayList<>();
            for (Path file : files.filter(f -> !f.toString().endsWith(".yaml")).toList()) {
                missing.addAll(SourceClosure.of(file, List.of()).missing());
            }
            return missing;
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
