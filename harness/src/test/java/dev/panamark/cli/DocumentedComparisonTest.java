package dev.panamark.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.compare.Comparison;
import dev.panamark.compare.FailRule;
import dev.panamark.compare.Runs;
import dev.panamark.compare.Verdict;
import dev.panamark.device.profile.DeviceProfiles;
import dev.panamark.result.ResultFile;
import dev.panamark.result.Row;
import dev.panamark.result.RunResult;
import dev.panamark.result.Status;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pages on comparing and on profiles show what the program prints, and name all there is. */
class DocumentedComparisonTest {
    private static final double[] BEFORE = {1.0022, 0.9994, 1.0, 1.0011, 0.9983};
    private static final double[] AFTER = {0.9992, 1.0018, 1.0006, 0.9987, 1.0};

    @TempDir
    Path folder;

    private static List<Row> rows(String kernel, long seq, String image, double median, double[] shape) {
        double[] medians = new double[shape.length];
        for (int i = 0; i < medians.length; i++) {
            medians[i] = median * shape[i];
        }
        return Runs.invocations("cpu:0", kernel, seq, image, medians);
    }

    private static Row wrong() {
        return Row.builder("cpu:0", "quant.fp8.quantize", "sha256:1c", Runs.map("n", 4096L), "hot")
                .invocation(0)
                .status(Status.WRONG, "output q, element [17, 3]: got 5, expected 4 (rule exact, seed 42)")
                .build();
    }

    private static RunResult run(String compiler, RunResult rows) {
        return new RunResult(
                RunResult.SCHEMA,
                List.of("run", "--invocations", "5"),
                rows.started(),
                rows.started(),
                rows.host(),
                rows.devices(),
                List.of(Runs.map(
                        "kernel", "attention.prefill.blocked", "image", "sha256:" + compiler, "compiler", compiler)),
                42,
                rows.rows());
    }

    private String printed() {
        Session session = new Session(folder);
        ResultFile.write(
                run(
                        "gcc 14.2.0",
                        Runs.run(
                                rows("attention.prefill.blocked", 256, "sha256:0a", 1.725e-3, BEFORE),
                                rows("attention.prefill.blocked", 512, "sha256:0a", 6.83e-3, BEFORE),
                                rows("kv.gather.paged", 1024, "sha256:0b", 2.514e-3, BEFORE),
                                rows("quant.fp8.quantize", 4096, "sha256:0c", 4.189e-3, BEFORE))),
                session.path("before.json"));
        ResultFile.write(
                run(
                        "gcc 15.1.0",
                        Runs.run(
                                rows("attention.prefill.blocked", 256, "sha256:1a", 1.725e-3 * 1.042, AFTER),
                                rows("attention.prefill.blocked", 512, "sha256:1a", 6.83e-3 * 0.913, AFTER),
                                rows("kv.gather.paged", 1024, "sha256:0b", 2.514e-3 * 1.0005, AFTER),
                                List.of(wrong()))),
                session.path("after.json"));
        Session.Ended ended = session.run(
                "compare",
                session.path("before.json").toString(),
                session.path("after.json").toString(),
                "--fail-on",
                "slower:3%");
        assertEquals(1, ended.code(), ended::err);
        return (ended.out() + ended.err()).replace(folder + "/", "");
    }

    @Test
    void theTableIsWhatIsPrinted() throws Exception {
        String page = Files.readString(Path.of("../docs/compare.md"));
        Matcher m = Pattern.compile("```\n(BASE: .*?)```", Pattern.DOTALL).matcher(page);
        assertTrue(m.find(), "docs/compare.md shows a table");
        assertEquals(printed(), m.group(1));
    }

    @Test
    void everyRuleAndVerdictIsExplained() throws Exception {
        String page = Files.readString(Path.of("../docs/compare.md"));
        for (FailRule.Kind kind : FailRule.Kind.values()) {
            assertTrue(page.contains("`" + kind.name().toLowerCase(Locale.ROOT)), kind.name());
        }
        for (Verdict verdict : Verdict.values()) {
            assertTrue(page.contains("`" + verdict.word("time/device/median") + "`"), verdict.name());
            assertTrue(page.contains("`" + verdict.word("energy/gross") + "`"), verdict.name());
        }
        for (Comparison.Why why : Comparison.Why.values()) {
            assertTrue(page.contains("`" + why.name().toLowerCase(Locale.ROOT) + "`"), why.name());
        }
    }

    @Test
    void everyProfileIsNamed() throws Exception {
        String page = Files.readString(Path.of("../docs/profiles.md"));
        DeviceProfiles.shipped().all().forEach(p -> assertTrue(page.contains("`" + p.name() + "`"), p.name()));
    }
}
