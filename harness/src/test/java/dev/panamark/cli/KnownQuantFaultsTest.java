package dev.panamark.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.kernel.Kernel;
import dev.panamark.result.Row;
import dev.panamark.result.Status;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Faults that were reported of real libraries, planted in the built-in kernels by changing one text of their source. Each
 * is found, and the unchanged kernel is right on the same problem with the same inputs.
 */
class KnownQuantFaultsTest {
    private static final String FOLDER = "/panamark-kernels/";
    private static final Pattern IMAGE = Pattern.compile("file: (\\w+\\.c)");

    @TempDir
    Path folder;

    private Session session;

    @BeforeEach
    void start() {
        Session.needsCompiler();
        session = new Session(folder);
        for (String header : List.of("panamark_cpu.h", "stream.h")) {
            session.file(header, builtin(header));
        }
    }

    /** One text that is replaced by another. */
    record Edit(String from, String to) {
        String in(String text) {
            assertEquals(2, text.split(Pattern.quote(from), -1).length, () -> "once: " + from);
            return text.replace(from, to);
        }
    }

    /**
     * A fault.
     *
     * @param report what it stands for
     * @param kernel kernel file without its ending
     * @param source the C file or header that has the fault
     * @param fault what makes it wrong
     * @param problem changes of the kernel file that bring the fault to light, for the right kernel too
     * @param axes values of axes
     */
    record Planted(String report, String kernel, String source, Edit fault, List<Edit> problem, List<String> axes) {
        @Override
        public String toString() {
            return report;
        }
    }

    private static Planted planted(
            String report, String kernel, String source, Edit fault, List<Edit> problem, String... axes) {
        return new Planted(report, kernel, source, fault, problem, List.of(axes));
    }

    static Stream<Planted> faults() {
        Edit tiny = new Edit("fill: normal}\n", "fill: {normal: {stdev: 1e-23}}}\n");
        Edit constant = new Edit("fill: normal}\n", "fill: {constant: 0.3}}\n");
        return Stream.of(
                planted(
                        "aiter #2608: page numbers cut to 16 bits (a cache of 70,000 pages of one token)",
                        "kv/gather_paged",
                        "gather_paged.c",
                        new Edit("(int64_t)row[p]", "(int64_t)(uint16_t)row[p]"),
                        List.of(),
                        "batch=1",
                        "kv_heads=1",
                        "head_dim=8",
                        "kv_len=70000",
                        "page=1"),
                planted(
                        "vllm #1486: an offset overflows; 16 bits here, since 2 GiB are too much for a test",
                        "kv/gather_scalar",
                        "gather_scalar.c",
                        new Edit("id * 2 + at.y", "(int64_t)(int16_t)(id * 2 + at.y) & 0x7fff"),
                        List.of(),
                        "batch=1",
                        "kv_heads=1",
                        "head_dim=8",
                        "kv_len=40000",
                        "page=1"),
                planted(
                        "vllm #31282: the last page is taken for full, its unused slots for tokens",
                        "kv/gather_paged",
                        "gather_paged.c",
                        new Edit("pm_min(room, len - token)", "room"),
                        List.of(),
                        "kv_len=64",
                        "shortest=0.2"),
                planted(
                        "FlashMLA #11: the rows of a sequence of length 0 are never written",
                        "kv/gather_vllm",
                        "gather_vllm.c",
                        new Edit("if (room > valid) {", "if (room > valid && lens[at.y] > 0) {"),
                        List.of(new Edit("min: ceil(shortest*kv_len), max: kv_len", "min: 0, max: 1")),
                        "kv_len=16"),
                planted(
                        "vllm #31282: the new token goes to the position of the length, one too far",
                        "kv/append_scalar",
                        "append_scalar.c",
                        new Edit("position = lens[at.y] - 1;", "position = lens[at.y] % (pages * page);"),
                        List.of(),
                        "batch=4",
                        "kv_len=31"),
                planted(
                        "flashinfer #2595: amax² of a block of about 1e-23 is 0, and what is divided by it NaN",
                        "quant/fp8_quantize",
                        "quantize.h",
                        new Edit(
                                "float scale = amax / max;",
                                "float scale = amax / max * (amax * amax) / (amax * amax);"),
                        List.of(tiny),
                        "rows=4",
                        "cols=256",
                        "granularity=block128"),
                planted(
                        "Model-Optimizer #1633: beyond the range comes NaN instead of 448",
                        "quant/fp8_quantize_scalar",
                        "fp8_quantize_scalar.c",
                        new Edit("magnitude = LARGEST;", "return sign | (magnitude > 464 ? 0x7f : 0x7e);"),
                        List.of(new Edit("\"e4m3\", 448,", "\"e4m3\", 512,")),
                        "rows=4",
                        "cols=256"),
                planted(
                        "petit-kernel #3: e4m3fnuz read with the bias of e4m3, which makes all half as large",
                        "quant/fp8_dequantize",
                        "fp8_format.h",
                        new Edit("#define BIAS 8", "#define BIAS 7"),
                        List.of(),
                        "rows=4",
                        "cols=256",
                        "format=e4m3fnuz"),
                planted(
                        "AWQ words read in plain order",
                        "quant/int4_dequantize_scalar",
                        "int4.h",
                        new Edit("c % 2 * 16 + c % 8 / 2 * 4", "c % 8 * 4"),
                        List.of(),
                        "rows=128",
                        "cols=64",
                        "packing=awq"),
                planted(
                        "AWQ words multiplied in plain order",
                        "quant/w4a16_gemv",
                        "w4a16_gemv.c",
                        new Edit("nibble < 4 ? 2 * nibble : 2 * nibble - 7", "nibble"),
                        List.of(),
                        "in=128",
                        "out=128"),
                planted(
                        "vllm #38966: zero points of GPTQ v2 taken for those of v1",
                        "quant/int4_dequantize",
                        "int4.h",
                        new Edit("#define STORED_LESS 0\ntypedef uint32_t", "#define STORED_LESS 1\ntypedef uint32_t"),
                        List.of(),
                        "rows=128",
                        "cols=64",
                        "packing=gptq_v2"),
                planted(
                        "vllm #38966: the same in a product",
                        "quant/w4a16_gemv_scalar",
                        "int4.h",
                        new Edit("#define STORED_LESS 0\ntypedef uint32_t", "#define STORED_LESS 1\ntypedef uint32_t"),
                        List.of(),
                        "in=128",
                        "out=64",
                        "packing=gptq_v2"),
                planted(
                        "a tie that the product with an inverse decides: every quotient here is half a code from two",
                        "quant/int4_quantize",
                        "int4_quantize.c",
                        new Edit("if (memcmp(&unsure, &sure, sizeof sure) != 0) {", "if (i < 0) {"),
                        List.of(new Edit("fill: normal}\n", "fill: {iota: {start: -7.5, step: 1}}}\n")),
                        "rows=1",
                        "cols=16",
                        "group=16",
                        "symmetric=false"),
                planted(
                        "KIVI: a group whose numbers are all the same divides 0 by 0",
                        "quant/int4_quantize_scalar",
                        "int4_quantize_scalar.c",
                        new Edit("float low = 0, high = 0;", "float low = own[0], high = own[0];"),
                        List.of(constant),
                        "rows=4",
                        "cols=256",
                        "symmetric=false"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("faults")
    void isFoundAndTheGoodKernelIsRight(Planted planted) {
        Path json = session.path("result.json");
        List<String> args = new ArrayList<>(List.of("run", "-b", "mine.*", "--json", json.toString(), "--once", "-q"));
        for (String name : List.of("good", "bad")) {
            args.addAll(List.of("-k", kernel(planted, name).toString()));
        }
        planted.axes().forEach(axis -> args.addAll(List.of("-a", axis)));
        Session.Ended ended = session.run(args.toArray(String[]::new));
        assertFalse(ended.hasStackTrace(), () -> ended.out() + ended.err());
        assertEquals(1, ended.code(), () -> ended.out() + ended.err());

        List<Row> rows = session.rows(json);
        assertEquals(
                List.of("mine.good.kernel", "mine.bad.kernel"),
                rows.stream().map(Row::kernel).toList());
        Row good = rows.getFirst();
        Row bad = rows.getLast();
        assertEquals(Status.OK, good.status(), () -> "unchanged: " + good.reason());
        assertEquals(Status.WRONG, bad.status(), () -> String.valueOf(bad.reason()));
        assertEquals(good.problem(), bad.problem());
        assertTrue(String.valueOf(bad.reason()).contains("expected"), bad::toString);
    }

    /** The kernel in a folder of its own, where only the bad one has the fault. */
    private Path kernel(Planted planted, String name) {
        String family = planted.kernel().substring(0, planted.kernel().indexOf('/') + 1);
        if (family.equals("quant/")) {
            for (String header : List.of("quantize.h", "fp8.h", "fp8_format.h", "int4.h", "real.h")) {
                session.file(name + "/" + header, builtin(family + header));
            }
        }
        String yaml = builtin(planted.kernel() + ".yaml")
                .replaceAll("(?m)^  cuda: .*\n", "") // faults are planted in C
                .replaceFirst("\nkernel: .*\n", "\nkernel: mine." + name + ".kernel\n");
        for (Edit edit : planted.problem()) {
            yaml = edit.in(yaml);
        }
        for (String source : Stream.of(image(yaml), planted.source()).distinct().toList()) {
            String text = builtin(family + source);
            boolean changed = name.equals("bad") && source.equals(planted.source());
            session.file(name + "/" + source, changed ? planted.fault().in(text) : text);
        }
        return session.file(name + "/kernel.yaml", yaml);
    }

    /** The C file of a kernel file. */
    private static String image(String yaml) {
        Matcher found = IMAGE.matcher(yaml);
        assertTrue(found.find(), yaml);
        return found.group(1);
    }

    private static String builtin(String name) {
        try (InputStream in = Kernel.class.getResourceAsStream(FOLDER + name)) {
            return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
