package dev.panamark.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.panamark.kernel.Argument;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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
}
