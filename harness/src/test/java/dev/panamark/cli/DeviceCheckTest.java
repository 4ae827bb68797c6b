package dev.panamark.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.driver.compile.Subprocess;
import dev.panamark.driver.cuda.CudaDriver;
import dev.panamark.fake.FakeCuda;
import dev.panamark.fake.FakeWorker;
import dev.panamark.result.Row;
import dev.panamark.result.Rows;
import dev.panamark.result.Status;
import dev.panamark.result.Tags;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The two sides that scripts/device-check compares, on the fake driver: both find the times that its script has. */
class DeviceCheckTest {
    private static final Path SOURCES = Path.of("../native-build/device-check").toAbsolutePath();
    private static final String MACHINE = "device h100-sxm\nduration scaled 45000\nduration panamark_empty 1000\n";

    @TempDir
    Path folder;

    private static Subprocess.Ended run(Map<String, String> more, Path folder, List<String> command) throws Exception {
        Map<String, String> env = new HashMap<>(System.getenv());
        env.putAll(more);
        return new Subprocess(env, Duration.ofMinutes(2)).run(command, folder, "");
    }

    private static Optional<Path> nvcc() {
        return Stream.of(System.getenv().getOrDefault("CUDA_HOME", ""), "/usr/local/cuda", "/opt/cuda")
                .filter(home -> !home.isEmpty())
                .map(home -> Path.of(home, "bin", "nvcc"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    @Test
    void theLoopOfEventsFindsTheScriptsTimes() throws Exception {
        Path nvcc = nvcc().orElseGet(() -> Assumptions.abort("no nvcc to compile the loop of events"));
        Path loop = folder.resolve("event_loop");
        Path image = folder.resolve("scaled.ptx");
        for (List<String> command : List.of(
                List.of(
                        nvcc.toString(),
                        "-O2",
                        "-o",
                        loop.toString(),
                        SOURCES.resolve("event_loop.cu").toString(),
                        "-ldl"),
                List.of(
                        nvcc.toString(),
                        "-ptx",
                        "-o",
                        image.toString(),
                        SOURCES.resolve("scaled.cu").toString()))) {
            Subprocess.Ended compiled = run(Map.of(), folder, command);
            assertTrue(compiled.ok(), compiled::err);
        }
        Map<String, String> machine = Map.of(
                "LD_LIBRARY_PATH",
                String.valueOf(Path.of(FakeCuda.load().file()).getParent()),
                "PANAMARK_FAKE_SCRIPT",
                MACHINE + "duration scaled_slowly 300000\n");
        List<String> command =
                List.of(loop.toString(), image.toString(), "0", "scaled", "16384", "scaled_slowly", "4096", "200");
        Subprocess.Ended ended = run(machine, folder, command);
        assertTrue(ended.ok(), ended::err);
        List<String[]> lines =
                ended.out().lines().map(line -> line.split(" ", -1)).toList();
        assertEquals(List.of("check.scaled", "n=16384"), List.of(lines.get(0)).subList(0, 2));
        assertEquals(45e-6, Double.parseDouble(lines.get(0)[2]), 45e-8);
        assertEquals(300e-6, Double.parseDouble(lines.get(1)[3]), 300e-8);

        Map<String, String> broken = new HashMap<>(machine);
        broken.put("PANAMARK_FAKE_SCRIPT", MACHINE + "fail cuMemAlloc 2 2\n");
        Subprocess.Ended failed = run(broken, folder, command);
        assertTrue(!failed.ok());
        assertTrue(failed.err().contains("cuMemAlloc failed with CUDA_ERROR_OUT_OF_MEMORY"), failed::err);
    }

    @Test
    void panamarkFindsThemToo() throws Throwable {
        Assumptions.assumeTrue(nvcc().isPresent(), "no nvcc to compile scaled.cu");
        FakeCuda fake = FakeCuda.load();
        fake.reset(MACHINE);
        Session session = new Session(folder).with(CudaDriver.VARIABLE, fake.file());
        session.with(FakeWorker.command(fake, MACHINE));
        Path json = session.path("result.json");
        Session.Ended ended = session.run(
                "run",
                "-d",
                "cuda:0",
                "-k",
                SOURCES.resolve("scaled.yaml").toString(),
                "-b",
                "check.*",
                "-a",
                "n=16384",
                "--budget",
                "20",
                "--quiet",
                "--energy",
                "off",
                "--json",
                json.toString());
        assertEquals(0, ended.code(), ended.out() + ended.err());
        Row row = session.rows(json).getFirst();
        assertEquals(Status.OK, row.status(), row::reason);
        assertEquals(45e-6, Rows.value(row, Tags.TIME_MEDIAN), 45e-8);
    }
}
