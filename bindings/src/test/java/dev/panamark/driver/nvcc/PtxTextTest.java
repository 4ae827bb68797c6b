package dev.panamark.driver.nvcc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.panamark.driver.compile.CompileException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PtxTextTest {
    private static final Path FOLDER = Path.of("/home/me/k/attention");

    @Test
    void onlyTheVersionLineChanges() {
        PtxText nine = new PtxText("//\n// .version of what\n\n.version 9.0\n.target sm_80\n// .version 9.0\n");
        assertEquals("9.0", nine.version());
        assertEquals(
                "//\n// .version of what\n\n.version 7.0\n.target sm_80\n// .version 9.0\n",
                nine.asking("7.0").text());
    }

    @Test
    void whatHasNoVersionIsNoPtx() {
        assertThrows(CompileException.class, () -> new PtxText("ELF").version());
    }

    /** The names are as nvcc 13.0 writes them, the last with time and size as PTX allows and old versions did. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            "/home/me/k/attention/prefill.cu"                                          | "prefill.cu"
            "/home/me/k/attention/../common.cuh"                                       | "../common.cuh"
            "/home/me/k/attention/./in/../own.cuh"                                     | "own.cuh"
            "/home/me/k/attention2/x.cuh"                                              | "/home/me/k/attention2/x.cuh"
            "/usr/include/math.h"                                                      | "/usr/include/math.h"
            "/usr/local/cuda-13.0/bin/../targets/x86_64-linux/include/crt/math.hpp"    | "$CUDA_HOME/include/crt/math.hpp"
            "/opt/cuda/bin/../include/cuda_fp16.hpp"                                   | "$CUDA_HOME/include/cuda_fp16.hpp"
            "/home/me/k/attention/prefill.cu", 1600000000, 4711                        | "prefill.cu"
            """)
    void filesAreNamedFromTheSource(String written, String expected) {
        PtxText text = new PtxText("\t.file\t1 " + written + "\n\t.loc\t1 2 3\n");
        assertEquals(
                "\t.file\t1 " + expected + "\n\t.loc\t1 2 3\n",
                text.withRelativeFiles(FOLDER).text());
    }

    @Test
    void theHashOfThePathGoesFromSymbolsAndFromBytes() {
        String local = "_ZN24_INTERNAL_0c6ac7%s_4_a_cu_k3fooEi";
        // The bytes end a line after the third digit, as those of nvcc may anywhere.
        PtxText text = new PtxText("call " + local.formatted("82") + ";\n_INTERNAL_01234567_4_b_cu_k\n"
                + bytes(local.formatted("82"), 18) + "\n");
        String other = "_ZN24_INTERNAL_beef12%s_4_a_cu_k3fooEi";
        assertEquals(
                "call " + other.formatted("34") + ";\n_INTERNAL_01234567_4_b_cu_k\n" + bytes(other.formatted("34"), 18)
                        + "\n",
                text.withModule("a.cu", "beef1234").text());
    }

    private static String bytes(String text, int first) {
        return ".b8 " + codes(text.substring(0, first)) + "\n.b8 " + codes(text.substring(first)) + ",0";
    }

    private static String codes(String text) {
        return text.chars().mapToObj(Integer::toString).collect(Collectors.joining(","));
    }

    @Test
    void bytesThatAreNoAsciiStay() {
        byte[] bytes = {
            '/', '/', (byte) 0xe9, (byte) 0xff, '\n', '.', 'v', 'e', 'r', 's', 'i', 'o', 'n', ' ', '8', '.', '1'
        };
        PtxText text = new PtxText(new String(bytes, StandardCharsets.ISO_8859_1));
        assertEquals("8.1", text.version());
        assertEquals(
                text,
                new PtxText(new String(
                        text.asking("8.1").text().getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.ISO_8859_1)));
    }
}
