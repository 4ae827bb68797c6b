package dev.panamark.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProfilesCommandTest {
    @TempDir
    Path folder;

    private Session.Ended devices(String... args) {
        String[] all = new String[args.length + 1];
        all[0] = "devices";
        System.arraycopy(args, 0, all, 1, args.length);
        return new Session(folder).run(all);
    }

    /** Figures of the H100's datasheet and of MI300X's page; what nobody read is a dash. */
    @Test
    void allOfThemAreOneLineEach() {
        Session.Ended ended = devices("--profiles");
        assertEquals(0, ended.code(), ended::err);
        List<String> h100 = cells(ended.out(), "h100-sxm");
        assertEquals(
                List.of("h100-sxm", "132", "1830", "1980", "66.9", "989.4", "1978.9", "3350", "50", "50", "700"), h100);
        assertEquals(
                List.of("mi300x", "304", "2100", "2100", "163.4", "1307.4", "2614.9", "5300", "32", "256", "750"),
                cells(ended.out(), "mi300x"));
        assertEquals("–", cells(ended.out(), "l4").get(1));
        assertTrue(cells(ended.out(), "mi350x").get(5).endsWith("*"), ended::out);
        ended.out().lines().forEach(l -> assertTrue(l.length() <= 120, l));
        Session.Ended narrow = new Session(folder).with("COLUMNS", "60").run("devices", "--profiles");
        narrow.out().lines().forEach(l -> assertTrue(l.length() <= 60, l));
        assertTrue(narrow.out().contains("Left out for width"), narrow::out);
    }

    private static List<String> cells(String table, String name) {
        return table.lines()
                .filter(l -> l.startsWith(name + " "))
                .findFirst()
                .map(l -> Arrays.asList(l.strip().split(" +", -1)))
                .orElseThrow(() -> new AssertionError(table));
    }

    @Test
    void oneShowsEverySource() {
        Session.Ended ended = devices("--profiles", "H100");
        assertEquals(0, ended.code(), ended::err);
        String text = ended.out().replaceAll("\\s+", " ");
        assertTrue(text.startsWith("h100-sxm H100 SXM5 80 GB · NVIDIA gh100 (sm_90) · also h100, h100-sxm5"), text);
        assertTrue(text.contains("clock tensor 1830 MHz"), text);
        assertTrue(text.contains("peak tensor_bf16 989.4 TFLOP/s"), text);
        assertTrue(text.contains("rate tensor_bf16 4096 FLOP/clk"), text);
        assertTrue(text.contains("peak tensor_i4 – the Hopper datasheet lists no INT4"), text);
        assertTrue(text.contains("shared per block 227 KiB"), text);
        assertTrue(text.contains("stas00/ml-engineering"), text);
        ended.out().lines().forEach(l -> assertTrue(l.length() <= 120, l));
    }

    @Test
    void jsonGoesWhereItShould() throws Exception {
        assertTrue(devices("--profiles", "mi300x", "--json", "-").out().startsWith("{\n  \"schema\""));
        Path file = folder.resolve("p.json");
        assertEquals("", devices("--profiles", "--json", file.toString()).out());
        assertTrue(Files.readString(file).contains("\"name\": \"b200\""));
    }

    @Test
    void whatIsNotThereIsSaid() {
        Session.Ended unknown = devices("--profiles", "h101");
        assertEquals(2, unknown.code());
        assertTrue(unknown.err().contains("'h101'") && unknown.err().contains("h100-sxm"), unknown::err);
        Session.Ended alone = devices("--json", "-");
        assertEquals(2, alone.code());
        assertTrue(alone.err().contains("--profiles"), alone::err);
        Session.Ended nowhere = devices("--profiles", "--json", "/no/such/folder/p.json");
        assertEquals(2, nowhere.code());
        assertFalse(nowhere.hasStackTrace(), nowhere::err);
    }
}
