package dev.panamark.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.panamark.result.Row;
import dev.panamark.result.Status;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The conversions of the built-in attention kernels ({@code elements.h}), bit for bit against the Java formats. */
class ElementsTest {
    @TempDir
    Path folder;

    private Session session;

    @BeforeEach
    void start() throws IOException {
        Session.needsCompiler();
        session = new Session(folder);
        for (String name : List.of("panamark_cpu.h", "attention/elements.h")) {
            try (InputStream in = ElementsTest.class.getResourceAsStream("/panamark-kernels/" + name)) {
                session.file(name, new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8));
            }
        }
    }

    private Row convert(String from, String to, String fill, String source) {
        session.file("attention/k.c", """
                #include "elements.h"
                void convert(void **args, const int64_t grid[3], int64_t first, int64_t last) {
                  (void)grid;
                  for (int64_t i = first * 64; i < last * 64; i += %s
                }
                """.formatted(source));
        Path yaml = session.file(
                "attention/k.yaml", """
                format: panamark.kernel/1
                kernel: mine.convert
                purpose: converts every element
                axes:
                  n: [65536]
                images:
                  cpu: [{file: k.c}]
                buffers:
                  x: {type: %s, shape: [n], fill: %s}
                  out: {type: %s, shape: [n], role: output, check: {rule: %s}}
                steps:
                  - {entry: convert, grid: [n/64], args: [x, out]}
                work:
                  reads: bytes(x)
                  writes: bytes(out)
                check: {reference: linear}
                """.formatted(from, fill, to, to.equals("f32") ? "close, atol: 0" : "exact"));
        Path json = session.path("result.json");
        session.run("run", "-q", "--once", "-k", yaml.toString(), "-b", "mine.convert", "--json", json.toString());
        return session.rows(json).getFirst();
    }

    /** Spreads from subnormals to the largest numbers, with ties among them: 6e-8 and 65504 are the ends of f16. */
    @ParameterizedTest
    @CsvSource({"f16, 1", "f16, 1e-7", "f16, 1e-5", "f16, 12000", "bf16, 1", "bf16, 1e-38", "bf16, 5e37"})
    void narrowingRoundsToNearestEven(String type, String stdev) {
        Row row = convert(
                "f32",
                type,
                "{normal: {mean: 0, stdev: " + stdev + "}}",
                "1) PM_OUT(pm_%1$s, args, 1)[i] = pm_narrow_%1$s(PM_IN(float, args, 0)[i]);".formatted(type));
        assertEquals(Status.OK, row.status(), String.valueOf(row.reason()));
    }

    /** Every code, in all likelihood several times; NaN and infinity stay what they are. */
    @ParameterizedTest
    @CsvSource({"f16", "bf16", "e4m3"})
    void wideningIsExact(String type) {
        Row row = convert(
                type,
                "f32",
                "bits",
                "PM_LANES) pm_store(PM_OUT(float, args, 1) + i, pm_widen_%1$s(PM_IN(pm_%1$s, args, 0) + i));"
                        .formatted(type));
        assertEquals(Status.OK, row.status(), String.valueOf(row.reason()));
        row = convert(
                type,
                "f32",
                "bits",
                "1) PM_OUT(float, args, 1)[i] = pm_value_%1$s(PM_IN(pm_%1$s, args, 0)[i]);".formatted(type));
        assertEquals(Status.OK, row.status(), String.valueOf(row.reason()));
    }

    @Test
    void truncationIsNoRounding() {
        Row row = convert(
                "f32",
                "bf16",
                "normal",
                "1) PM_OUT(pm_bf16, args, 1)[i] = (pm_bf16)(PM_IN(uint32_t, args, 0)[i] >> 16);");
        assertEquals(Status.WRONG, row.status());
    }
}
