package dev.panamark.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Everything a person can get wrong before anything is measured: one message, the right exit code, no stack trace. */
class BadInputTest {
    @TempDir
    Path folder;

    private Session session;

    @BeforeEach
    void start() {
        session = new Session(folder);
    }

    private void refused(int code, List<String> args, String... parts) {
        Session.Ended ended = session.run(args.toArray(String[]::new));
        assertEquals(code, ended.code(), () -> ended.out() + ended.err());
        assertFalse(ended.hasStackTrace(), ended::err);
        assertEquals("", ended.out(), "standard output carries the answer only");
        for (String part : parts) {
            assertTrue(ended.err().contains(part), () -> "'" + part + "' is not in: " + ended.err());
        }
    }

    static Stream<Arguments> commandLines() {
        return Stream.of(
                Arguments.of(2, List.of("run", "-a", "sequence=5"), List.of("sequence", "seq")),
                Arguments.of(2, List.of("run", "-a", "seq"), List.of("-a seq")),
                Arguments.of(2, List.of("run", "-a", "seq=1:2:0"), List.of("seq=1:2:0")),
                Arguments.of(2, List.of("run", "-a", "seq=99999999999999999999"), List.of("99999999999999999999")),
                Arguments.of(2, List.of("run", "-b", "attention.prefil.naive"), List.of("attention.prefill.naive")),
                Arguments.of(2, List.of("run", "-b", "nothing*"), List.of("-b nothing*")),
                Arguments.of(2, List.of("run", "--model", "llama3-8bb"), List.of("llama3-8b")),
                Arguments.of(2, List.of("run", "-k", "nowhere.yaml"), List.of("nowhere.yaml")),
                Arguments.of(2, List.of("run", "-d", "Gpu 0"), List.of("Gpu 0", "cpu:0")),
                Arguments.of(3, List.of("run", "-d", "cpu:7"), List.of("cpu:7", "cpu:0")),
                Arguments.of(3, List.of("run", "-d", "cuda:0"), List.of("cuda:0")),
                Arguments.of(2, List.of("run", "--budget", "soon"), List.of("soon", "90s")),
                Arguments.of(2, List.of("run", "--budget", "0s"), List.of("0s")),
                Arguments.of(2, List.of("run", "--min-samples", "0"), List.of("--min-samples")),
                Arguments.of(2, List.of("run", "--emulate-blocks", "8"), List.of("--emulate-blocks", "16")),
                Arguments.of(
                        2, List.of("run", "--once", "--emulate-blocks", "64"), List.of("--emulate-blocks", "--once")),
                Arguments.of(
                        2,
                        List.of("run", "-d", "cpu", "--emulate-blocks", "64"),
                        List.of("--emulate-blocks", "-d emu")),
                Arguments.of(2, List.of("run", "--max-noise", "lots"), List.of("lots", "1%")),
                Arguments.of(2, List.of("run", "--seed", "x"), List.of("--seed")),
                Arguments.of(2, List.of("run", "--json", "no/such/folder/r.json"), List.of("no/such/folder")),
                Arguments.of(2, List.of("run", "--json", "-", "--csv", "-"), List.of("'-'")),
                Arguments.of(2, List.of("run", "--jsn", "x"), List.of("--jsn")),
                Arguments.of(2, List.of("ruin"), List.of("ruin")),
                Arguments.of(2, List.of(), List.of("no command")),
                Arguments.of(2, List.of("list", "attention.*.missing"), List.of("attention.*.missing")));
    }

    @ParameterizedTest
    @MethodSource("commandLines")
    void aBadCommandLineIsRefused(int code, List<String> args, List<String> parts) {
        if (code == 3) {
            Session.needsCompiler(); // the message lists cpu:0
        }
        refused(code, args, parts.toArray(String[]::new));
    }

    static Stream<Arguments> kernelFiles() {
        return Stream.of(
                Arguments.of("truncated", "kernel: mine.k", "kernel: [mine.k", List.of("k.yaml:")),
                Arguments.of("missing field", "purpose: doubles every element\n", "", List.of("purpose")),
                Arguments.of("wrong type", "n: [1000]", "n: {a: b}", List.of("axes.n", "k.yaml:")),
                Arguments.of("unknown key", "purpose:", "porpoise:", List.of("porpoise", "purpose")),
                Arguments.of("unknown axis", "ceil(n/100)", "ceil(m/100)", List.of("'m'", "steps[0]", "k.yaml:12")),
                Arguments.of("division by zero", "ceil(n/100)", "ceil(n/(n-n))", List.of("steps[0]", "zero")),
                Arguments.of(
                        "beyond 2^63",
                        "shape: [n], fill: normal",
                        "shape: ['n*10**18*100'], fill: normal",
                        List.of("buffers.x")),
                Arguments.of("no such image", "file: k.c", "file: absent.c", List.of("absent.c", "images")),
                Arguments.of(
                        "unknown reference", "reference: linear", "reference: lineal", List.of("lineal", "linear")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("kernelFiles")
    void aBadKernelFileIsRefusedWithFileLineAndField(String what, String from, String to, List<String> parts)
            throws Exception {
        Session.needsCompiler();
        Path yaml = session.doubling("k", Session.source("out[i] = 2 * x[i];"));
        String text = Files.readString(yaml);
        assertTrue(text.contains(from), "the test replaces '" + from + "'");
        Files.writeString(yaml, text.replace(from, to));
        Session.Ended ended = session.run("run", "-k", yaml.toString(), "--budget", "3s", "-q");
        assertEquals(2, ended.code(), () -> what + ": " + ended.out() + ended.err());
        assertFalse(ended.hasStackTrace(), ended::err);
        String all = ended.err() + ended.out();
        assertTrue(all.contains("k.yaml"), all);
        for (String part : parts) {
            assertTrue(all.replaceAll("\\s+", " ").contains(part), () -> what + ": '" + part + "' is not in: " + all);
        }
    }

    @Test
    void aBinaryKernelFileIsRefused() throws Exception {
        Path file = Files.write(session.path("k.yaml"), new byte[] {0x7f, 'E', 'L', 'F', 0, 1, 2, 3, (byte) 0xff});
        refused(2, List.of("run", "-k", file.toString()), "k.yaml");
    }

    @Test
    void aShapeBeyondMemoryIsUnsupportedAndSaysHowMuch() {
        Session.needsCompiler();
        Path yaml = session.doubling("k", Session.source("out[i] = 2 * x[i];"));
        Session.Ended ended =
                session.run("run", "-k", yaml.toString(), "-a", "n=1000000000000", "--budget", "3s", "-q");
        assertEquals(3, ended.code(), ended::err);
        assertTrue(ended.out().contains("unsupported"), ended::out);
        assertFalse(ended.hasStackTrace(), ended::err);
    }

    @Test
    void noCompilerMeansNoDeviceAndSaysWhatToInstall() {
        session.with("PATH", "/nonexistent").with("CC", "");
        refused(3, List.of("run", "-d", "cpu"), "cpu", "gcc", "install");
        Session.Ended emulated = session.run("run", "-q", "-b", "kv.gather.paged", "-a", "kv_len=64");
        assertEquals(0, emulated.code(), emulated::err);
        assertTrue(
                emulated.err().contains("rows are emulated only")
                        && emulated.err().contains("gcc"),
                emulated::err);
        assertTrue(emulated.out().contains("emu:h100-sxm"), emulated::out);
        Session.Ended doctor = session.run("doctor");
        assertEquals(3, doctor.code());
        assertTrue(doctor.out().contains("none  cpu"), doctor::out);
    }

    @Test
    void aCacheThatCannotBeWrittenIsSaid() {
        session.with("PANAMARK_CACHE", "/proc/nowhere");
        Session.Ended ended = session.run("list");
        assertEquals(2, ended.code(), ended::err);
        assertTrue(ended.err().contains("/proc/nowhere"), ended::err);
        assertFalse(ended.hasStackTrace(), ended::err);
    }
}
