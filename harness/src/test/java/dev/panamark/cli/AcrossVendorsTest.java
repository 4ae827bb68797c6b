package dev.panamark.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.driver.cuda.CudaDriver;
import dev.panamark.driver.hip.HipDriver;
import dev.panamark.fake.FakeCuda;
import dev.panamark.fake.FakeHip;
import dev.panamark.fake.FakeWorker;
import dev.panamark.fake.ScaledKernels;
import dev.panamark.result.Row;
import dev.panamark.result.Status;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A hardware evaluator's two result files, of an H100 and of an MI300X as fake drivers have them, and one comparison. */
class AcrossVendorsTest {
    private static final Path PAGE = Path.of("..", "docs", "compare.md");
    private static final List<String> KERNELS = List.of("doubled", "halved", "tripled");

    private static Path measured(Session session, String device) {
        List<String> args =
                new ArrayList<>(List.of("run", "-d", device, "--budget", "30", "--quiet", "--energy", "off"));
        for (String kernel : KERNELS) {
            args.addAll(List.of("-k", session.path(kernel + ".yaml").toString()));
        }
        Path json = session.path("result.json");
        args.addAll(List.of("--json", json.toString()));
        Session.Ended ended = session.run(args.toArray(String[]::new));
        assertEquals(0, ended.code(), () -> ended.out() + ended.err());
        for (Row row : session.rows(json)) {
            assertEquals(Status.OK, row.status(), row::reason);
            assertFalse(row.denominators().isEmpty(), row::toString);
            row.denominators()
                    .forEach((name, what) ->
                            assertEquals("datasheet", ((Map<?, ?>) what).get("source"), () -> name + " of " + row));
        }
        return json;
    }

    /** A device whose launches of the three kernels take so many milliseconds. */
    private static String script(String device, int... milliseconds) {
        StringBuilder script = new StringBuilder("device " + device + "\nduration panamark_empty 1000\n");
        for (int i = 0; i < milliseconds.length; i++) {
            script.append("duration ")
                    .append(KERNELS.get(i))
                    .append(' ')
                    .append(milliseconds[i])
                    .append("000000\n");
        }
        return script.toString();
    }

    /** Launches of 10, 4 and 4 ms against 5, 4 and 8 ms, as the scripts say; the page shows what is printed. */
    @Test
    void oneTableComparesThem(@TempDir Path h100, @TempDir Path mi300x) throws Throwable {
        FakeHip.requireCompiler();
        ScaledKernels.write(h100);
        FakeCuda cuda = FakeCuda.load();
        String nvidia = script("h100-sxm", 10, 4, 4);
        cuda.reset(nvidia);
        Path base = measured(
                new Session(h100).with(CudaDriver.VARIABLE, cuda.file()).with(FakeWorker.command(cuda, nvidia)),
                "cuda:0");

        Path source = ScaledKernels.writeHip(mi300x);
        ScaledKernels.writeHipKernels(mi300x, "scaled.hip");
        FakeHip hip = FakeHip.load();
        String amd = script("mi300x", 5, 4, 8) + "host " + FakeHip.host(source, KERNELS.toArray(String[]::new)) + "\n";
        hip.reset(amd);
        Session other = new Session(mi300x).with(HipDriver.VARIABLE, hip.file()).with(hip.worker(amd, Map.of()));
        Path fresh = measured(other, "hip:0");

        Session.Ended ended = other.run("compare", base.toString(), fresh.toString(), "--across", "devices");
        assertEquals(0, ended.code(), () -> ended.out() + ended.err());
        List<String> page = Files.readAllLines(PAGE);
        int begin = page.indexOf("    panamark compare h100.json mi300x.json --across devices");
        assertTrue(begin > 0, "the page shows the command");
        List<String> table = page.subList(begin + 3, begin + 8);
        for (String line : table) {
            assertTrue(ended.out().lines().toList().contains(line), () -> line + "\nis not in\n" + ended.out());
        }
    }
}
