package dev.panamark.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.panamark.driver.nvcc.CudaCompiler;
import dev.panamark.ffi.Availability;
import dev.panamark.kernel.Argument;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EmulateCommandTest {
    /** A warp stores to shared memory, stride words apart, and its numbers to out; line 14 is the store. */
    private static final String STRIDED = """
            .version 7.0
            .target sm_80
            .address_size 64
            .visible .entry strided(.param .u64 out, .param .u32 stride)
            {
                .shared .align 4 .b8 s[4096];
                .reg .b32 %r<8>;
                .reg .b64 %rd<4>;
                mov.u32 %r1, %tid.x;
                ld.param.u32 %r2, [stride];
                mul.lo.u32 %r3, %r1, %r2;
                shl.b32 %r3, %r3, 2;
                mov.u32 %r4, s; add.u32 %r5, %r4, %r3;
                st.shared.u32 [%r5], %r1;
                ld.param.u64 %rd1, [out];
                cvta.to.global.u64 %rd1, %rd1;
                mul.wide.u32 %rd2, %r1, 4;
                add.u64 %rd3, %rd1, %rd2;
                st.global.u32 [%rd3], %r1;
                ret;
            }
            """;

    @TempDir
    Path folder;

    private String ptx = "";
    private Session session = new Session(Path.of("."));

    @BeforeEach
    void files() {
        session = new Session(folder).with("COLUMNS", "120");
        ptx = session.file("strided.ptx", STRIDED).toString();
    }

    private Session.Ended emulate(String... args) {
        List<String> all = new ArrayList<>(List.of("emulate"));
        all.addAll(List.of(args));
        return session.run(all.toArray(String[]::new));
    }

    /** 32 banks: words 32 apart lie in one, 33 apart in different ones, 2 apart two in each. */
    @ParameterizedTest
    @CsvSource({"32, 31, 32", "33, 0, 1", "2, 1, 2"})
    void theWorstLineComesFirstWithItsCode(int stride, int conflicts, int wavefronts) {
        Session.Ended ended =
                emulate(ptx, "--grid", "1", "--block", "32", "--arg", "u32[32]", "--arg", "u32:" + stride);
        assertEquals(0, ended.code(), ended::err);
        List<String> lines = ended.out().lines().toList();
        int head = lines.indexOf(
                lines.stream().filter(l -> l.startsWith("line ")).findFirst().orElseThrow());
        String worst = lines.get(head + 1).replaceAll(" +", " ");
        assertTrue(worst.startsWith("ptx:14 "), worst);
        assertTrue(worst.contains(" " + conflicts + " 100 " + wavefronts + " "), worst);
        assertTrue(worst.endsWith(" st.shared.u32 [%r5], %r1;"), worst);
        assertTrue(
                ended.out().contains(conflicts + " of " + wavefronts + " wavefronts are bank conflicts"), ended::out);
        // 32 words one after the other are four sectors.
        assertTrue(ended.out().contains("; 4.00 sectors a request"), ended::out);
    }

    @Test
    void ordersAndNumbersOfLinesAreThoseAskedFor() {
        Session.Ended ended =
                emulate(ptx, "--grid=2", "--block=32,2", "--arg=u32[64]", "--arg=u32:1", "--by=sectors", "--lines=1");
        assertEquals(0, ended.code(), ended::err);
        assertTrue(ended.out().contains("strided: grid 2, block 32x2"), ended::out);
        List<String> places =
                ended.out().lines().filter(l -> l.startsWith("ptx:")).toList();
        assertEquals(1, places.size(), ended::out);
        assertTrue(places.getFirst().startsWith("ptx:19 "), places::getFirst);
        assertTrue(ended.out().contains("lines more (--lines)"), ended::out);
    }

    /** A narrow terminal has the code below the figures. */
    @Test
    void nothingIsWiderThanTheTerminal() {
        for (int width : new int[] {60, 80, 160}) {
            Session.Ended ended = session.with("COLUMNS", Integer.toString(width))
                    .run("emulate", "kv.gather.paged", "-a", "kv_len=32", "-a", "batch=1");
            assertEquals(0, ended.code(), ended::err);
            List<String> table =
                    ended.out().lines().dropWhile(l -> !l.startsWith("line ")).toList();
            assertFalse(table.isEmpty());
            table.forEach(l -> assertTrue(l.length() <= width, l));
            assertTrue(table.stream().anyMatch(l -> l.contains("[")), "code of a built-in kernel");
        }
    }

    @Test
    void jsonHoldsEveryLine() throws IOException {
        Path json = folder.resolve("out.json");
        Session.Ended ended =
                emulate(ptx, "--grid=1", "--block=32", "--arg=u32[32]", "--arg=u32:32", "--lines=1", "--json=" + json);
        assertEquals(0, ended.code(), ended::err);
        Map<String, Long> conflicts = new TreeMap<>();
        long instructions = 0;
        try (JsonParser parser = new JsonFactory().createParser(Files.readString(json))) {
            String line = "";
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token == JsonToken.VALUE_STRING && "line".equals(parser.currentName())) {
                    line = parser.getText();
                } else if (token == JsonToken.VALUE_NUMBER_INT && "conflicts".equals(parser.currentName())) {
                    conflicts.put(line, parser.getLongValue());
                } else if (token == JsonToken.VALUE_NUMBER_INT && "instructions".equals(parser.currentName())) {
                    instructions += parser.getLongValue();
                }
            }
        }
        assertEquals(31, conflicts.get("ptx:14"));
        assertEquals(31, conflicts.values().stream().mapToLong(Long::longValue).sum());
        assertEquals(13 * 32, instructions); // of one warp

        Session.Ended piped = emulate(ptx, "--grid=1", "--block=32", "--arg=u32[32]", "--arg=u32:32", "--json=-");
        assertEquals(Files.readString(json), piped.out());
    }

    /** 32 threads write four bytes each into 64: thread 16 is the first beyond. */
    @Test
    void aFaultNamesItsPlace() {
        Session.Ended ended = emulate(ptx, "--grid=1", "--block=32", "--arg=u32[16]", "--arg=u32:1");
        assertEquals(1, ended.code(), ended::out);
        assertTrue(
                ended.err().contains("kernel strided, line 19, st.global.u32, block (0, 0, 0), thread (16, 0, 0)"),
                ended::err);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "PTX | 2 | does not say how it is launched; give --grid",
                "PTX --grid=1 | 2 | give --block",
                "PTX --grid=0 --block=1 | 2 | --grid: '0', expected one to three whole numbers",
                "PTX --grid=1,2,3,4 --block=1 | 2 | --grid: '1,2,3,4'",
                "PTX --grid=1 --block=many | 2 | --block: 'many'",
                "PTX --grid=1 --block=1 --arg=5 | 2 | --arg '5': '5' is no type",
                "PTX --grid=1 --block=1 --arg=i32 | 2 | --arg 'i32': expected a number such as i32:1024",
                "PTX --grid=1 --block=1 --arg=i32:x | 2 | 'x' is no whole number",
                "PTX --grid=1 --block=1 --arg=i8:256 | 2 | 256 does not fit i8, from -128 to 127",
                "PTX --grid=1 --block=1 --arg=u32:-5 | 2 | -5 does not fit u32, from 0 to 4294967295",
                "PTX --grid=1 --block=1 --arg=i32[4]:0.5 | 2 | '0.5' is no whole number, and i32 holds nothing else",
                "PTX --grid=1 --block=1 --arg=u8[4]:256 | 2 | 256 does not fit u8",
                "PTX --grid=1 --block=1 --arg=f32:1d | 2 | '1d' is no number",
                "PTX --grid=1 --block=1 --arg=f16:1e30 | 2 | 1e30 is beyond the largest f16, 65504.0",
                "PTX --grid=1 --block=1 --arg=f32[4611686018427387904] | 2 | is no shape",
                "PTX --grid=1 --block=1 --arg=f32[] | 2 | '' is no shape",
                "PTX --grid=1 --block=1 --arg=f32[4,0] | 2 | extent 0 is less than 1",
                "PTX --grid=1 --block=1 --arg=f32[99999999999,99999999999] | 2 | is no shape",
                "PTX --grid=1 --block=1 --arg=i32[4]:normal | 2 | normal is for floating-point types",
                "PTX --grid=1 --block=1 --arg=f32[4]:ones | 2 | 'ones' is no number",
                "PTX --grid=1 --block=1 --arg=u32[4] | 1 | takes 2 arguments, not 1",
                "PTX --grid=1 --block=1 --arg=u32[4] --arg=u64:1 | 1 | argument 1 of strided takes 8 bytes",
                "PTX --grid=1 --block=2048 --arg=u32[4] --arg=u32:1 | 1 | 2048",
                "PTX --grid=1 --block=32 --arg=u32[32] --arg=u32:99 | 1 | shared",
                "PTX --grid=1 --block=1 --entry=other | 1 | no kernel 'other'; it has strided",
                "PTX --grid=1 --block=1 --arg=f32[9000000000000] --arg=u32:1 | 1 | arg0",
                "PTX --grid=1 --block=1 --shared=-1 | 2 | --shared must be 0 or more bytes, not -1",
                "PTX --grid=1 --block=1 --option=-DN=1 | 2 | --option is for a .cu file",
                "PTX --grid=1 --block=1 -a n=4 | 2 | -a is for kernel files",
                "PTX --grid=1 --block=1 --lines=-2 | 2 | --lines must be 0 or more, not -2",
                "PTX --grid=1 --block=1 --by=colour | 2 | colour",
                "PTX --grid=1 --block=1 --check=memory | 2 | --check: 'memory', expected some of mem, init, race, sync, or all",
                "PTX --grid=1 --block=1 --check= | 2 | --check: ''",
                "PTX --grid=1 --block=1 --check=all --explain | 2 | --check looks for faults instead of counting",
                "PTX --grid=1 --block=1 --json=a --html=a | 2 | --json and --html write to 'a'",
                "PTX --grid=1 --block=1 --html=/no/such/folder/x.html | 2 | there is no folder",
                "PTX --grid=1 --block=1 --compare=kv.gather.paged | 2 | --grid is for a .cu or .ptx file; kv.gather.paged",
                "attention.prefill.tiled --compare=attention.prefil | 2 | 'attention.prefil' is no kernel file",
                "attention.prefill.tiled --compare=ceiling.flops -a seq=64 | 2 | no selected kernel has an axis 'seq'",
                "PTX --grid=1 --block=1 --json=/no/such/folder/x.json | 2 | there is no folder",
                "nothing.ptx --grid=1 --block=1 | 2 | nothing.ptx does not exist",
                "nothing.yaml | 2 | nothing.yaml does not exist",
                "attention.prefill.tiled --grid=1 | 2 | --grid is for a .cu or .ptx file",
                "attention.prefill.* | 2 | kernels, expected one: attention.prefill",
                "attention.prefil | 2 | 'attention.prefil' is no kernel file (.yaml), CUDA source (.cu), PTX text (.ptx) or name",
                "attention.prefill.tiled -a head_dim=3 | 2 | where",
                "attention.prefill.tiled -a heds=3 | 2 | no selected kernel has an axis 'heds'; they have batch, causal",
                "kv.append.scalar | 2 | has no image for emu",
                "quant.fp8.quantize_native -d emu:a100-sxm-80 | 2 | is for sm_89 or newer, and the device is sm_80",
                "kv.gather.paged -d cpu:0 | 2 | cpu:0 is not emulated",
                "kv.gather.paged -d emu:nope | 3 | there is no device emu:nope"
            })
    void badInputIsTold(String line, int code, String what) {
        Session.Ended ended = emulate(line.replace("PTX", ptx).split(" ", -1));
        assertEquals(code, ended.code(), () -> ended.err() + ended.out());
        assertTrue(ended.err().contains(what), ended::err);
        assertFalse(ended.hasStackTrace(), ended::err);
        assertFalse(ended.err().contains("fault of Panamark"), ended::err);
    }

    /** 18446744073709551615 and 0x20 are whole numbers; 010 is ten. */
    @Test
    void wholeNumbersAreReadAsTheyAreWritten() {
        assertEquals(
                new Argument.Scalar("u64", -1, 8),
                LaunchArgument.parse("u64:18446744073709551615", 0).argument());
        assertEquals(
                new Argument.Scalar("i32", 0xffff_fffbL, 4),
                LaunchArgument.parse("i32:-5", 0).argument());
        assertEquals(
                new Argument.Scalar("i32", 10, 4),
                LaunchArgument.parse("i32:010", 0).argument());
        assertEquals(
                new Argument.Scalar("u8", 32, 1),
                LaunchArgument.parse("u8:0x20", 0).argument());
    }

    /** What a shell would execute is refused before nvcc, which gives names to one, sees it. */
    @Test
    void aNameThatAShellWouldChangeIsRefused() {
        String odd = session.file("k$(touch pwned).cu", "extern \"C\" __global__ void k() {}")
                .toString();
        Session.Ended ended = emulate(odd, "--grid=1", "--block=1");
        assertEquals(1, ended.code(), ended::err);
        Assumptions.assumeFalse(ended.err().contains("has to be compiled"), "no CUDA toolkit here");
        assertTrue(ended.err().contains("a name that a shell would change"), ended::err);
        assertFalse(Files.exists(Path.of("pwned")));
    }

    /** The second stride steps over the end of shared memory; the first one's counts are written all the same. */
    @Test
    void whatWasCountedBeforeAFaultIsWritten() throws IOException {
        String yaml = session.file("strided.yaml", """
                        format: panamark.kernel/1
                        kernel: mine.strided
                        purpose: test
                        axes: {stride: [32, 99]}
                        images: {cuda: strided.ptx}
                        buffers: {out: {type: u32, shape: [32], role: output, check: {rule: exact}}}
                        steps:
                          - {entry: strided, grid: [1], block: [32], args: [out, {u32: stride}]}
                        work: {reads: 0, writes: bytes(out)}
                        check: {oracle: true}
                        """).toString();
        Path json = folder.resolve("part.json");
        Session.Ended ended = emulate(yaml, "--json=" + json);
        assertEquals(1, ended.code(), ended::err);
        assertTrue(ended.err().contains("shared"), ended::err);
        String written = Files.readString(json);
        assertTrue(written.contains("\"problem\": \"stride=32\"") && !written.contains("stride=99"), written);
    }

    @Test
    void aTextOfSeveralKernelsNeedsAName() {
        String two = session.file(
                        "two.ptx",
                        STRIDED + STRIDED.substring(STRIDED.indexOf(".visible")).replace("strided", "other"))
                .toString();
        Session.Ended ended = emulate(two, "--grid=1", "--block=1");
        assertEquals(2, ended.code(), ended::err);
        assertTrue(ended.err().contains("has 2 kernels; name one with --entry: strided, other"), ended::err);
        assertEquals(
                0,
                emulate(two, "--grid=1", "--block=32", "--entry=other", "--arg=u32[32]", "--arg=u32:1")
                        .code());
    }

    /** Reads what the thread at the other end of the block wrote, without a barrier; lines 11 and 14. */
    private static final String REVERSED = """
            .version 7.0
            .target sm_80
            .address_size 64
            .visible .entry reversed(.param .u64 in, .param .u64 out)
            {
                .shared .align 4 .b8 s[256];
                .reg .b32 %r<8>; .reg .b64 %rd<8>;
                mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; ld.param.u64 %rd2, [in]; add.u64 %rd2, %rd2, %rd1;
                ld.global.u32 %r2, [%rd2];
                shl.b32 %r3, %r1, 2; mov.u32 %r4, s; add.u32 %r5, %r4, %r3;
                st.shared.u32 [%r5], %r2;
                BARRIER
                xor.b32 %r6, %r3, 252; add.u32 %r6, %r4, %r6;
                ld.shared.u32 %r7, [%r6];
                ld.param.u64 %rd3, [out]; add.u64 %rd3, %rd3, %rd1;
                st.global.u32 [%rd3], %r7;
                ret;
            }
            """;

    private String reversed(boolean right) {
        String barrier = right ? "bar.sync 0;" : "";
        return session.file((right ? "right" : "wrong") + ".ptx", REVERSED.replace("BARRIER", barrier))
                .toString();
    }

    @Test
    void aRaceIsToldWithBothLines() {
        Session.Ended ended = emulate(
                reversed(false), "--grid=1", "--block=64", "--arg=u32[64]:iota", "--arg=u32[64]:none", "--check=all");
        assertEquals(1, ended.code(), ended::err);
        String out = ended.out();
        assertTrue(out.contains("faults found (looked for: mem, init, race, sync)"), out);
        assertTrue(out.contains("race: read-after-write"), out);
        assertTrue(out.contains("at ptx:14, block (0, 0, 0), thread (32, 0, 0)"), out);
        assertTrue(out.contains("after ptx:11, block (0, 0, 0), thread (31, 0, 0)"), out);
        assertTrue(out.contains("ld.shared.u32 %r7, [%r6];"), out);
        assertFalse(out.contains("init: "), out);
        Session.Ended twin = emulate(
                reversed(true), "--grid=1", "--block=64", "--arg=u32[64]:iota", "--arg=u32[64]:none", "--check=all");
        assertEquals(0, twin.code(), twin::err);
        assertTrue(twin.out().contains("no faults found (looked for: mem, init, race, sync)"), twin.out());
    }

    @Test
    void onlyWhatIsAskedForIsLookedFor() {
        String file = reversed(false);
        Session.Ended ended =
                emulate(file, "--grid=1", "--block=64", "--arg=u32[64]:none", "--arg=u32[64]:none", "--check=init");
        assertEquals(1, ended.code(), ended::err);
        assertTrue(ended.out().contains("init: uninitialised-read, 64 times"), ended.out());
        assertTrue(ended.out().contains("byte 0 of 'arg0' of 256 bytes"), ended.out());
        assertFalse(ended.out().contains("race"), ended.out());
    }

    @Test
    void faultsAreWrittenAsJson() throws IOException {
        Path json = folder.resolve("faults.json");
        Session.Ended ended = emulate(
                reversed(false),
                "--grid=1",
                "--block=96",
                "--arg=u32[64]:iota",
                "--arg=u32[96]",
                "--check=mem,race",
                "--json=" + json);
        assertEquals(1, ended.code(), ended::err);
        JsonNode kernel = new ObjectMapper().readTree(json.toFile()).at("/kernels/0");
        assertEquals("[\"mem\",\"race\"]", kernel.get("checks").toString());
        JsonNode fault = kernel.get("faults")
                .valueStream()
                .filter(f -> f.get("check").asText().equals("mem"))
                .findFirst()
                .orElseThrow();
        assertEquals("out-of-bounds", fault.get("kind").asText());
        assertEquals("ptx:9", fault.at("/at/line").asText());
        assertEquals("(64, 0, 0)", fault.at("/at/thread").asText());
        assertEquals("ld.global.u32 %r2, [%rd2];", fault.at("/at/code").asText());
        assertTrue(
                fault.get("text").asText().contains("0 bytes after the end of 'arg0' of 256 bytes"), fault::toString);
        assertTrue(fault.get("other").isNull());
    }

    /** An output of 8 numbers, of which thread 1 writes a NaN and thread 7 does not write its own. */
    @Test
    void outputsAreLookedAtWhenTheKernelHasRun() {
        session.file("part.ptx", """
                .version 7.0
                .target sm_80
                .address_size 64
                .visible .entry part(.param .u64 out)
                {
                    .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f32 %f<4>; .reg .pred %p<4>;
                    mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; ld.param.u64 %rd2, [out]; add.u64 %rd2, %rd2, %rd1;
                    setp.eq.u32 %p1, %r1, 1; setp.eq.u32 %p2, %r1, 7;
                    selp.f32 %f1, 0f7FC00000, 0f3F800000, %p1;
                    @!%p2 st.global.f32 [%rd2], %f1;
                    ret;
                }
                """);
        session.file("part.yaml", """
                format: panamark.kernel/1
                kernel: mine.part
                purpose: writes a part of its output
                axes: {n: [8]}
                images: {cuda: [{file: part.ptx}]}
                buffers:
                  out: {type: f32, shape: [n], role: output, check: {atol: 0}}
                steps: [{entry: part, grid: [1], block: [n], args: [out]}]
                work: {flops: {f32: n}, reads: n, writes: bytes(out)}
                check: {oracle: true}
                """);
        Session.Ended ended = emulate(folder.resolve("part.yaml").toString(), "--check=all");
        String out = ended.out();
        assertEquals(1, ended.code(), () -> ended.err() + out);
        assertTrue(out.contains("4 of the 32 bytes of output 'out' were never written; the first are at out[7]"), out);
        assertTrue(out.contains("output 'out' is NaN at out[1]"), out);
        assertTrue(out.contains("at ptx:10"), out);
    }

    /** Words 32 apart: rows of 128 bytes, which 4 bytes of padding spread over all banks. */
    @Test
    void theSuggestedPaddingRemovesAllConflicts() throws IOException {
        Path json = folder.resolve("explained.json");
        Session.Ended ended =
                emulate(ptx, "--grid=1", "--block=32", "--arg=u32[32]", "--arg=u32:32", "--explain", "--json=" + json);
        assertEquals(0, ended.code(), ended::err);
        String out = ended.out();
        assertTrue(out.contains("ptx:14: 31 excess wavefronts in 1 store of 4 bytes a lane"), out);
        assertTrue(out.contains("bank 0 is wanted by lanes 0-31 in 32 different words"), out);
        assertTrue(out.contains("pad each row of 128 bytes by 4 bytes: 31 \u2192 0 excess wavefronts"), out);
        JsonNode remedy =
                new ObjectMapper().readTree(json.toFile()).at("/kernels/0/explanation/bank_conflicts/0/remedies/0");
        int padded = (remedy.get("row_bytes").asInt() + remedy.get("pad_bytes").asInt()) / 4;
        Session.Ended again =
                emulate(ptx, "--grid=1", "--block=32", "--arg=u32[32]", "--arg=u32:" + padded, "--explain");
        assertTrue(again.out().contains("0 of 1 wavefronts are bank conflicts"), again.out());
        assertTrue(again.out().contains("bank conflicts of the last block of each launch\n  none"), again.out());
    }

    /** The layouts that are suggested for the tiled kernel, put into its source. */
    @Test
    void theSuggestedLayoutsRemoveTheConflictsOfTheTiledKernel() throws IOException {
        Assumptions.assumeTrue(hasNvcc(), "no nvcc to compile changed sources");
        Path json = folder.resolve("tiled.json");
        Session.Ended ended = emulate("attention.prefill.tiled", "-a", "seq=64", "--explain", "--json=" + json);
        assertEquals(0, ended.code(), ended::err);
        JsonNode conflict = new ObjectMapper().readTree(json.toFile()).at("/kernels/0/explanation/bank_conflicts/0");
        assertTrue(conflict.get("conflicts").asInt() > 0, conflict::toString);
        Path sources = Path.of("..", "kernels", "src", "main", "resources", "panamark-kernels");
        Path copy = folder.resolve("kernels");
        try (Stream<Path> all = Files.walk(sources)) {
            for (Path from : all.toList()) {
                Path to = copy.resolve(sources.relativize(from).toString());
                if (Files.isDirectory(from)) {
                    Files.createDirectories(to);
                } else {
                    Files.copy(from, to);
                }
            }
        }
        Path source = copy.resolve("attention/prefill_tiled.cu");
        String text = Files.readString(source);
        for (JsonNode remedy : conflict.get("remedies")) {
            // Pieces are of 16 bytes there, and rows of 128 where a head has 64 halves.
            assertEquals(128, remedy.get("row_bytes").asInt());
            String changed = remedy.get("kind").asText().equals("pad")
                    ? text.replace(
                            "(LAYOUT == 1)",
                            String.valueOf(remedy.get("pad_bytes").asInt() / 16))
                    : text.replace(
                            "LAYOUT == 2 ? number ^ row % 8 : number",
                            "number ^ row / " + remedy.get("rows_repeat") + " % " + remedy.get("rows_period"));
            assertNotEquals(text, changed);
            assertEquals(0, remedy.get("after").asInt());
            Files.writeString(source, changed);
            Path file = copy.resolve("attention/prefill_tiled.yaml");
            Files.writeString(file, Files.readString(file).replace("kernel: attention.", "kernel: mine."));
            Session.Ended again =
                    emulate(copy.resolve("attention/prefill_tiled.yaml").toString(), "-a", "seq=64");
            assertEquals(0, again.code(), again::err);
            assertTrue(again.out().contains("; 0 of "), again.out());
        }
        assertEquals(2, conflict.get("remedies").size());
    }

    private static boolean hasNvcc() {
        return CudaCompiler.find(System.getenv()) instanceof Availability.Available;
    }

    @Test
    void twoKernelsStandSideBySide() {
        Session.Ended ended = emulate(ptx, "--grid=1", "--block=32", "--arg=u32[32]", "--arg=u32:32", "--compare", ptx);
        assertEquals(0, ended.code(), ended::err);
        String row = ended.out()
                .lines()
                .filter(l -> l.startsWith("shared: bank conflicts"))
                .findFirst()
                .orElseThrow();
        assertEquals("shared: bank conflicts 31 31 1", row.replaceAll(" +", " "));
        Session.Ended both =
                session.with("COLUMNS", "80").run("emulate", "kv.gather.paged", "--compare", "kv.gather.paged_scalar");
        assertEquals(0, both.code(), both::err);
        String head =
                both.out().lines().filter(l -> l.endsWith("B / A")).findFirst().orElseThrow();
        assertTrue(head.contains("A: kv.gather.paged") && head.contains("ather.paged_scalar"), head);
        int table = both.out().indexOf(head);
        assertTrue(both.out().substring(table).lines().allMatch(l -> l.length() <= 80), both.out());
    }

    @Test
    void thePageHoldsTheSourceAndNothingToRun() throws IOException {
        Path page = folder.resolve("page.html");
        Session.Ended ended =
                emulate(ptx, "--grid=1", "--block=32", "--arg=u32[32]", "--arg=u32:32", "--explain", "--html=" + page);
        assertEquals(0, ended.code(), ended::err);
        String html = Files.readString(page);
        assertTrue(html.startsWith("<!doctype html>"), html);
        assertTrue(html.contains("--c:1.000"), html);
        assertTrue(html.contains("<td>31</td><td>32</td>"), html);
        assertTrue(html.contains("mov.u32 %r4, s; add.u32 %r5, %r4, %r3;"), html);
        assertTrue(html.contains("pad each row of 128 bytes by 4 bytes"), html);
        assertFalse(html.contains("<script") || html.contains("http"), html);
        String odd = session.file("odd.ptx", STRIDED.replace("ret;", "ret; // </td><script>alert(1)</script>"))
                .toString();
        Session.Ended escaped = emulate(odd, "--grid=1", "--block=32", "--arg=u32[32]", "--arg=u32:32", "--html=-");
        assertTrue(escaped.out().contains("&lt;/td&gt;&lt;script&gt;"), escaped.out());
        assertFalse(escaped.out().contains("<script"), escaped.out());
    }

    @Test
    void whatAKernelPrintsIsShown() {
        String printing = session.file("printing.ptx", """
                        .version 7.0
                        .target sm_80
                        .address_size 64
                        .extern .func (.param .b32 status) vprintf (.param .b64 format, .param .b64 args);
                        .global .align 1 .b8 text[4] = {104, 105, 10, 0};
                        .visible .entry printing()
                        {
                            .reg .b32 %r<4>; .reg .b64 %rd<4>;
                            mov.u64 %rd1, text; cvta.global.u64 %rd1, %rd1; mov.u64 %rd2, 0;
                            { .param .b64 a; .param .b64 b; .param .b32 r;
                              st.param.b64 [a], %rd1; st.param.b64 [b], %rd2;
                              call.uni (r), vprintf, (a, b); ld.param.b32 %r1, [r]; }
                            ret;
                        }
                        """).toString();
        Session.Ended ended = emulate(printing, "--grid=1", "--block=1");
        assertEquals(0, ended.code(), ended::err);
        assertTrue(ended.err().contains("hi\n"), ended::err);
    }
}
