package dev.panamark.cli;

import static dev.panamark.result.Rows.value;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.panamark.result.Metric;
import dev.panamark.result.Row;
import dev.panamark.result.RunResult;
import dev.panamark.result.Source;
import dev.panamark.result.Status;
import dev.panamark.result.Tags;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The main job: built-in kernels on the host CPU, right, with a time, on the shipped schema. */
class RunTest {
    private static final String SMALL = "batch=2 seq=64 kv_len=64 rows=16 cols=256 mib=1 chain=256 in=256 out=256";

    @TempDir
    Path folder;

    private Session session;
    private Path json;

    @BeforeEach
    void start() {
        Session.needsCompiler();
        session = new Session(folder);
        json = session.path("result.json");
    }

    /** On the host only. */
    private Session.Ended run(String axes, String... more) {
        List<String> args = new ArrayList<>(List.of("run", "-d", "cpu:0", "--json", json.toString()));
        for (String axis : axes.split(" ", -1)) {
            args.addAll(List.of("-a", axis));
        }
        args.addAll(List.of(more));
        return session.run(args.toArray(String[]::new));
    }

    @Test
    void whereNoDeviceIsNamedTheHostIsMeasuredAndAGpuEmulated() {
        Session.Ended ended =
                session.run(("run --json " + json + " -b kv.gather.paged -a kv_len=64 --min-time 10ms --budget 15s")
                        .split(" ", -1));
        assertEquals(0, ended.code(), () -> ended.out() + ended.err());
        List<Row> rows = session.rows(json);
        assertEquals(
                List.of("cpu:0", "emu:h100-sxm"), rows.stream().map(Row::device).toList());
        assertTrue(value(rows.getFirst(), Tags.TIME_MEDIAN) > 0);
        assertNull(
                Objects.requireNonNull(rows.getLast().metric(Tags.TIME_MEDIAN)).value());
        Metric sectors = Objects.requireNonNull(rows.getLast().metric(Tags.GLOBAL_SECTORS_PER_REQUEST));
        assertEquals(Source.EMULATED, sectors.source());
        assertTrue(ended.out().contains("cpu:0 ·") && ended.out().contains("emu:h100-sxm ·"), ended::out);
        assertFalse(ended.err().contains("emulated only"), ended::err);
    }

    @Test
    void everyBuiltInKernelIsRightAndTheResultFitsItsSchema() throws Exception {
        Session.Ended ended = run(SMALL, "--budget", "40s", "--min-time", "10ms");
        assertEquals(0, ended.code(), () -> ended.out() + ended.err());

        RunResult run = session.result(json);
        TreeSet<String> names = new TreeSet<>();
        for (Row row : run.rows()) {
            names.add(row.kernel());
            assertEquals(Status.OK, row.status(), () -> row.kernel() + ": " + row.reason());
            double time = value(row, Tags.TIME_MEDIAN);
            Metric median = Objects.requireNonNull(row.metric(Tags.TIME_MEDIAN));
            assertNotNull(median.ci95(), () -> row.kernel() + ": " + median.note());
            assertTrue(median.ci95().lo() <= time && time <= median.ci95().hi());
            if (!row.kernel().startsWith("ceiling.")) {
                assertTrue(value(row, Tags.UTIL_CEILING) > 0);
                assertTrue(value(row, Tags.RATE_LAYER_TOKENS) > 0);
            }
        }
        assertEquals(
                List.of(
                        "attention.decode.naive",
                        "attention.decode.one_pass",
                        "attention.decode.split_kv",
                        "attention.prefill.blocked",
                        "attention.prefill.naive",
                        "ceiling.bandwidth",
                        "ceiling.flops",
                        "kv.append.scalar",
                        "kv.append.vector",
                        "kv.gather.contiguous",
                        "kv.gather.paged",
                        "kv.gather.paged_scalar",
                        "kv.gather.vllm",
                        "kv.gather.vllm_scalar",
                        "quant.fp8.dequantize",
                        "quant.fp8.dequantize_scalar",
                        "quant.fp8.quantize",
                        "quant.fp8.quantize_scalar",
                        "quant.int4.dequantize",
                        "quant.int4.dequantize_scalar",
                        "quant.int4.quantize",
                        "quant.int4.quantize_scalar",
                        "quant.w4a16_gemm.scalar",
                        "quant.w4a16_gemv.scalar",
                        "quant.w4a16_gemv.vector"),
                List.copyOf(names));

        List<Error> faults = schema().validate(Files.readString(json), InputFormat.JSON);
        assertEquals(List.of(), faults);

        for (String line : ended.out().lines().toList()) {
            assertTrue(line.codePointCount(0, line.length()) <= 120, line);
        }
        // One line for each finished row, and nothing else, on standard error.
        assertEquals(
                run.rows().size(),
                ended.err().lines().filter(l -> l.startsWith("[")).count(),
                ended::err);
    }

    private static Schema schema() throws Exception {
        try (InputStream in = RunResult.class.getResourceAsStream(RunResult.SCHEMA_RESOURCE)) {
            return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                    .getSchema(
                            new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8),
                            InputFormat.JSON);
        }
    }

    /** Work by hand: 4 · heads · head_dim · pairs, with seq (seq + 1) / 2 pairs under a causal mask. */
    @Test
    void ratesAreWorkOverTime() {
        Session.Ended ended = run(
                "seq=64",
                "-b",
                "attention.prefill.blocked",
                "--model",
                "llama3-8b",
                "--budget",
                "8s",
                "--min-time",
                "10ms");
        assertEquals(0, ended.code(), ended::err);
        Row row = session.rows(json).getFirst();
        assertEquals(32L, row.problem().get("heads"));
        assertEquals(8L, row.problem().get("kv_heads"));
        assertEquals(128L, row.problem().get("head_dim"));
        double time = value(row, Tags.TIME_MEDIAN);
        double flops = 4.0 * 32 * 128 * (64 * 65 / 2);
        assertEquals(flops / time, value(row, Tags.RATE_FLOPS), 1e-9 * flops / time);
        double bytes = 4.0 * 64 * (128 * (32 + 8 + 8 + 32) + 32); // and a log-sum-exp for each row and head
        assertEquals(bytes / time, value(row, Tags.RATE_BYTES), 1e-9 * bytes / time);
        assertEquals(64 / time, value(row, Tags.RATE_LAYER_TOKENS), 1e-9 * 64 / time);
        assertEquals(64 / time / 32, value(row, Tags.RATE_TOKENS), 1e-9 * 64 / time);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-b attention.prefill.* -a seq=1,2,7,48,49,143,144,145,200 -a head_dim=8,40,80",
                "-b attention.prefill.* -a seq=33 -a heads=6 -a kv_heads=1,2,3,6 -a batch=2",
                "-b attention.prefill.* -a seq=1,50,130 -a kv_len=1,97 -a causal=none,bottom-right -a window=-1,40",
                "-b attention.prefill.* -a seq=70 -a kv_len=100 -a dtype=f16,bf16 -a head_dim=72 -a softcap=0,5",
                "-b attention.decode.naive,attention.decode.split_kv -a heads=6 -a kv_heads=2 -a head_dim=40 -a kv_len=1,70"
                        + " -a shortest=0 -a kv_dtype=f16,e4m3,i8,int4 -a scales=head,token",
                "-b attention.decode.* -a batch=2 -a heads=7 -a kv_heads=1,7 -a head_dim=72 -a kv_len=300 -a page=1,256"
                        + " -a dtype=f32",
                "-b attention.decode.split_kv -a batch=2 -a kv_len=200 -a shortest=0 -a splits=1,2,3,9",
                "-b kv.gather.paged* -a kv_len=1,17,300 -a page=1,16,256 -a layout=nhd,hnd -a shortest=0",
                "-b kv.gather.paged* -a kv_len=33 -a kv_heads=3 -a head_dim=5 -a layout=nhd,hnd -a dtype=f16,f32",
                "-b kv.gather.paged* -a kv_len=65 -a page=8 -a order=sequential,random -a batch=3",
                "-b kv.gather.vllm* -a kv_len=1,17,300 -a page=1,16,24 -a shortest=0,1 -a batch=2",
                "-b kv.gather.vllm* -a kv_len=33 -a kv_heads=3 -a head_dim=8,24 -a dtype=f16,f32,bf16",
                "-b kv.gather.contiguous -a kv_len=1,63,64,65,300 -a dtype=f16,f32,bf16",
                "-b kv.append.* -a kv_len=1,16,17 -a batch=3 -a layout=nhd,hnd -a shortest=0,1",
                "-b kv.append.* -a kv_len=20 -a kv_heads=3 -a head_dim=5 -a dtype=f16,f32 -a page=1,8",
                "-b quant.fp8.quantize* -a rows=1,9 -a cols=384 -a granularity=tensor,token,head,token-head,block128",
                "-b quant.fp8.quantize* -a rows=3 -a cols=330 -a heads=6 -a granularity=tensor,token,head,token-head",
                "-b quant.fp8.quantize* -a rows=3 -a cols=256 -a format=e4m3,e5m2,e4m3fnuz,e5m2fnuz -a fnuz_max=224,240",
                "-b quant.fp8.dequantize* -a rows=9 -a cols=384 -a granularity=tensor,token,head,token-head,block128",
                "-b quant.fp8.dequantize* -a rows=3 -a cols=330 -a format=e4m3,e5m2,e4m3fnuz,e5m2fnuz -a dtype=f32,f16,bf16",
                "-b quant.int4.quantize* -a rows=1,9 -a cols=384 -a group=32,64,128,-1,6 -a symmetric=true,false",
                "-b quant.int4.quantize* -a rows=128 -a cols=8,136 -a packing=awq,gptq_v1,gptq_v2 -a symmetric=true,false",
                "-b quant.int4.quantize* -a rows=96 -a cols=72 -a packing=awq,gptq_v1 -a group=32,-1",
                "-b quant.int4.dequantize* -a rows=9 -a cols=384 -a group=32,-1,6 -a dtype=f32,f16,bf16",
                "-b quant.int4.dequantize* -a rows=128 -a cols=8,136 -a packing=awq,gptq_v1,gptq_v2 -a group=32,-1",
                "-b quant.w4a16_gemv.* -a in=256 -a out=8,128,200,384 -a packing=awq,gptq_v1,gptq_v2 -a group=64,-1",
                "-b ceiling.bandwidth -a mib=1,3 -a reads=1,2,5 -a writes=1,2",
                "-b ceiling.flops -a chain=1,7,1000"
            })
    void oddShapesAreRightToo(String line) {
        assertRight(line);
    }

    /**
     * Vectors are as wide as the host's, and some loops have instructions of the host in them; what stands in for both on
     * other hosts is tested here, with a compiler that knows nothing of this one.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "-b attention.prefill.* -a seq=1,50,150 -a kv_len=0,97 -a head_dim=40 -a dtype=f32,f16,bf16 -a window=-1,30",
                "-b attention.decode.* -a batch=2 -a heads=6 -a kv_heads=2 -a head_dim=40 -a kv_len=70 -a shortest=0"
                        + " -a kv_dtype=f16,e4m3,i8,int4",
                "-b kv.* -a kv_len=33 -a kv_heads=3 -a head_dim=8 -a batch=2 -a shortest=0",
                "-b quant.fp8.* -a rows=3 -a cols=330 -a heads=6 -a format=e4m3,e5m2fnuz -a dtype=f32,f16,bf16",
                "-b quant.int4.* -a rows=128 -a cols=384 -a group=32,6 -a packing=plain,awq,gptq_v1 -a symmetric=true,false"
                        + " -a dtype=f32,f16",
                "-b quant.w4a16_gemv.* -a in=256 -a out=200 -a packing=awq,gptq_v1,gptq_v2 -a group=64"
            })
    void kernelsAreRightWithoutTheHostsVectorUnits(String line) {
        String real = System.getenv().getOrDefault("CC", "cc");
        Path plain = session.file("plain-cc", """
                #!/bin/sh
                case " $* " in *=native*) echo "unknown option" >&2; exit 1 ;; esac
                exec %s "$@"
                """.formatted(real));
        assertTrue(plain.toFile().setExecutable(true));
        session.with("CC", plain.toString());
        assertRight(line);
        assertFalse(session.result(json).kernels().toString().contains("native"));
    }

    private void assertRight(String line) {
        Session.Ended ended = session.run(("run -d cpu:0 --once -q --json " + json + " " + line).split(" ", -1));
        List<Row> rows = session.rows(json);
        assertTrue(rows.size() >= 3, "the line expands");
        for (Row row : rows) {
            assertTrue(
                    row.status() == Status.OK || row.status() == Status.SKIPPED,
                    () -> row.kernel() + " " + row.problem() + ": " + row.reason());
        }
        assertTrue(rows.stream().anyMatch(r -> r.status() == Status.OK));
        assertEquals(0, ended.code(), ended::err);
    }

    @Test
    void anotherSeedGivesOtherInputs() {
        List<Double> errors = new ArrayList<>();
        for (String seed : List.of("1", "1", "2")) {
            run("seq=64", "-b", "attention.prefill.naive", "--once", "-q", "--seed", seed);
            errors.add(value(session.rows(json).getFirst(), Tags.ERROR_MAX_ABS));
        }
        assertEquals(errors.get(0), errors.get(1));
        assertFalse(errors.get(0).equals(errors.get(2)), errors::toString);
    }

    @Test
    void rowsWhoseTimeIsSpentAreSkippedAndSaid() {
        StringBuilder lengths = new StringBuilder("kv_len=1000");
        for (int n = 1001; n < 1300; n++) {
            lengths.append(',').append(n);
        }
        Session.Ended ended = run(lengths.toString(), "-b", "kv.gather.contiguous", "--budget", "1s", "-q");
        assertEquals(4, ended.code(), ended::err);
        List<Row> rows = session.rows(json);
        assertEquals(300, rows.size());
        assertEquals(Status.OK, rows.getFirst().status());
        Row last = rows.getLast();
        assertEquals(Status.SKIPPED, last.status());
        assertTrue(String.valueOf(last.reason()).contains("--budget"), last::toString);
    }

    @Test
    void severalInvocationsGiveTheMedianOfFreshProcesses() {
        Session.Ended ended = run(
                "kv_len=64", "-b", "kv.gather.paged", "--invocations", "3", "--budget", "25s", "--min-time", "10ms");
        assertEquals(0, ended.code(), ended::err);
        List<Row> rows = session.rows(json);
        assertEquals(4, rows.size());
        double[] medians = rows.stream()
                .limit(3)
                .mapToDouble(r -> value(r, Tags.TIME_MEDIAN))
                .sorted()
                .toArray();
        Row all = rows.getLast();
        assertEquals(null, all.invocation());
        assertEquals(medians[1], value(all, Tags.TIME_MEDIAN));
        Metric time = Objects.requireNonNull(all.metric(Tags.TIME_MEDIAN));
        assertNotNull(time.ci95());
        assertEquals(3L, time.n());
        assertEquals(
                List.of(0, 1, 2), rows.stream().limit(3).map(Row::invocation).toList());
        assertEquals(
                1,
                ended.out().lines().filter(l -> l.startsWith("kv.gather.paged")).count(),
                ended::out);
    }

    @Test
    void theRowsOfAKilledRunAreKept() throws Exception {
        Path journal = session.file("result.json.journal", "what an earlier run had measured");
        Session.Ended ended = run("kv_len=64", "-b", "kv.gather.paged", "--budget", "6s", "--min-time", "10ms");
        assertEquals(0, ended.code(), ended::err);
        assertTrue(ended.err().contains("result.json.journal.1"), ended::err);
        assertEquals(
                "what an earlier run had measured", Files.readString(journal.resolveSibling("result.json.journal.1")));
        assertFalse(Files.exists(journal), "the result holds all of this run's journal");
    }

    @Test
    void standardOutputCarriesOnlyWhatWasAskedFor() {
        Session.Ended csv = session.run(
                "run -d cpu:0 -b kv.gather.paged -a kv_len=64 --budget 6s --min-time 10ms -q --csv -".split(" ", -1));
        assertEquals(0, csv.code(), csv::err);
        assertEquals("", csv.err());
        assertEquals(2, csv.out().lines().count(), csv::out);
        assertTrue(csv.out().startsWith("device,kernel,"), csv::out);
    }

    @Test
    void aNoisyRowCountsOnlyWhenAsked() {
        // No row of real samples has a noise of exactly zero, and none is below a millionth.
        Session.Ended ended = run(
                "kv_len=64",
                "-b",
                "kv.gather.paged",
                "--budget",
                "8s",
                "--min-time",
                "10ms",
                "-q",
                "--max-noise",
                "0.0001%");
        assertEquals(4, ended.code(), ended::err);
        assertEquals(Status.OK, session.rows(json).getFirst().status());
    }

    @Test
    void devicesListAndDoctorLook() {
        Session.Ended devices = session.run("devices");
        assertEquals(0, devices.code());
        assertTrue(devices.out().startsWith("cpu:0"), devices::out);
        Session.Ended list = session.run("list", "kv.gather.*");
        assertEquals(0, list.code());
        assertTrue(list.out().contains("kv.gather.paged") && list.out().contains("axis page"), list::out);
        Session.Ended doctor = session.run("doctor");
        assertEquals(0, doctor.code());
        assertTrue(doctor.out().contains("ok    cpu:0"), doctor::out);
        Session.Ended models = session.run("list", "--models");
        assertTrue(models.out().contains("llama3-8b"), models::out);
    }
}
