package dev.panamark.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.result.Row;
import dev.panamark.result.Status;
import dev.panamark.result.Tags;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Faults that were reported of attention kernels in use, planted in kernels for the host CPU: each is found, and the same
 * kernel without it is right at the same shape.
 */
class KnownFaultsTest {
    /** For faults that one launch shows. */
    private static final String ONCE = "--once";

    /** For faults that show only when inputs change between launches. */
    private static final String TIMED = "--budget 4s --min-time 10ms";

    private static final String ABOVE = "above the measured ceiling";

    @TempDir
    Path folder;

    private Session session;

    @BeforeEach
    void start() {
        Session.needsCompiler();
        session = new Session(folder);
    }

    private static Arguments fault(
            int number, String report, String what, String kernel, String axes, String how, String inReason) {
        return Arguments.of(number, report, what, kernel, axes, how, inReason);
    }

    static Stream<Arguments> faults() {
        return Stream.of(
                fault(
                        1,
                        "flashinfer #4299",
                        "of head_dim 72 the last 8 are left out of the scores",
                        "prefill",
                        "head_dim=72 seq=64 keys=64 causal=bottom-right",
                        ONCE,
                        "out["),
                fault(
                        2,
                        "flashinfer #4452",
                        "rows without keys have a log-sum-exp of -49993.98 instead of -inf",
                        "prefill",
                        "seq=24 keys=16 dtype=bf16 causal=bottom-right",
                        ONCE,
                        "lse[0, 0, 0] is -49993.98"),
                fault(
                        3,
                        "flashinfer #3716",
                        "keys that fill the last tile up take part in the softmax",
                        "prefill",
                        "head_dim=128 seq=32 keys=300 dtype=bf16",
                        ONCE,
                        "out["),
                fault(
                        4,
                        "flash-attention #2577",
                        "weights beyond 448 are held there by e4m3 once there are 128 keys",
                        "decode",
                        "head_dim=128 kv_len=128 kv_dtype=e4m3",
                        ONCE,
                        "out["),
                fault(
                        5,
                        "vllm #23813, flash-attention #2250",
                        "sums of a long context are held with 14 bits",
                        "decode",
                        "heads=2 head_dim=16 kv_len=32768 page=256",
                        ONCE,
                        "out["),
                fault(
                        6,
                        "aiter #2720",
                        "every query position has the result of the first",
                        "prefill",
                        "heads=16 seq=3 keys=48 dtype=bf16",
                        ONCE,
                        "out["),
                fault(
                        7,
                        "aiter #2229",
                        "the path for a single query stops early; prefill is right",
                        "prefill",
                        "head_dim=128 seq=1 keys=512",
                        ONCE,
                        "out["),
                fault(
                        8,
                        "aiter #2608",
                        "page numbers are cut to 16 bits, of which there are more than 65,536 here",
                        "decode",
                        "heads=1 head_dim=8 kv_len=70000 page=1",
                        ONCE,
                        "out["),
                fault(
                        9,
                        "vllm #1486, vllm #50427",
                        "the offset into the pool is cut to fewer bits than the pool has elements",
                        "decode",
                        "heads=1 head_dim=64 kv_len=16384 page=16",
                        ONCE,
                        "out["),
                fault(
                        10,
                        "vllm #34570",
                        "a loop over groups of heads runs no times, nothing is written",
                        "prefill",
                        "heads=2 seq=16 keys=16",
                        ONCE,
                        "is NaN, where a finite number is expected"),
                fault(
                        11,
                        "FlashMLA #11, flashinfer #4975",
                        "the row of a sequence of length 0 is not written",
                        "decode",
                        "batch=16 kv_len=3 shortest=0",
                        ONCE,
                        "is NaN, where a finite number is expected"),
                fault(
                        15,
                        "flashinfer-bench-starter-kit #21",
                        "the first result is kept and returned for other inputs",
                        "prefill",
                        "seq=16 keys=16 causal=bottom-right",
                        TIMED,
                        "after the timed launches"),
                // Not one report, but what rules that tolerate a share of outliers accept: with random values an output
                // of length 131,072 has a deviation of sqrt(e / 131072) = 0.0046, within 1e-2 of zero nearly always.
                fault(
                        50,
                        "outlier rules of 5 % at 1e-2",
                        "the output of a long sequence is all zero",
                        "decode",
                        "heads=8 head_dim=16 kv_len=131072 page=256",
                        ONCE,
                        "out["));
    }

    @ParameterizedTest(name = "{1}: {2}")
    @MethodSource("faults")
    void aKnownFaultIsFoundAndTheKernelWithoutItIsRight(
            int number, String report, String what, String kernel, String axes, String how, String inReason)
            throws URISyntaxException {
        Row good = run(kernel, 0, axes, how, 0);
        assertEquals(Status.OK, good.status(), () -> "without the fault: " + good.reason());
        Row bad = run(kernel, number, axes, how, 1);
        assertEquals(Status.WRONG, bad.status(), () -> report + ": " + what);
        String reason = String.valueOf(bad.reason());
        assertTrue(reason.contains(inReason), () -> report + ": '" + inReason + "' is not in: " + reason);
    }

    /**
     * flashinfer #1638: lengths vary, and the flops are counted as if all were full; more than 2,000 TFLOP/s were reported.
     * The output is right, so nothing but the rate can show it: it is above the ceiling that the same run measured.
     */
    @Test
    void flopsOfLengthsThatAreNotThereAreRemarked() throws URISyntaxException {
        String axes =
                "fault=0,13 heads=8 head_dim=8 kv_len=1048576 page=256 shortest=1e-6 longest=1e-6 chain=1024 reads=1 mib=4";
        String how = "-b ceiling.* --budget 15s --min-time 10ms";
        List<Row> rows = rows("decode", axes, how, 0);
        Row good = rows.getFirst();
        Row bad = rows.getLast();
        for (Row row : List.of(good, bad)) {
            assertEquals(Status.OK, row.status(), row::reason);
        }
        assertTrue(share(good) < 1.05, () -> "counted rightly: " + share(good));
        assertTrue(good.flags().stream().noneMatch(f -> f.startsWith(ABOVE)), good.flags()::toString);
        assertTrue(share(bad) > 1.05, () -> "counted wrongly: " + share(bad));
        assertTrue(bad.flags().stream().anyMatch(f -> f.startsWith(ABOVE)), bad.flags()::toString);
    }

    private static double share(Row row) {
        return Objects.requireNonNull(
                Objects.requireNonNull(row.metric(Tags.UTIL_CEILING)).value(), row::toString);
    }

    /** Each run has a budget of its own, so that a slow machine does not leave out the second. */
    private Row run(String kernel, int fault, String axes, String how, int code) throws URISyntaxException {
        Row row = rows(kernel, "fault=" + fault + " " + axes, how, code).getFirst();
        assertEquals((long) fault, row.problem().get("fault"));
        return row;
    }

    /** The rows of the kernel with faults. */
    private List<Row> rows(String kernel, String axes, String how, int code) throws URISyntaxException {
        URL file = Objects.requireNonNull(KnownFaultsTest.class.getResource("/known-faults/" + kernel + ".yaml"));
        Path json = session.path("result.json");
        List<String> args =
                new ArrayList<>(List.of("run", "-q", "-k", Path.of(file.toURI()).toString()));
        args.addAll(List.of("-b", "faulty.*", "--json", json.toString()));
        for (String axis : axes.split(" ", -1)) {
            args.addAll(List.of("-a", axis));
        }
        args.addAll(List.of(how.split(" ", -1)));
        Session.Ended ended = session.run(args.toArray(String[]::new));
        assertEquals(code, ended.code(), ended::err);
        return session.rows(json).stream()
                .filter(row -> row.kernel().startsWith("faulty."))
                .toList();
    }
}
