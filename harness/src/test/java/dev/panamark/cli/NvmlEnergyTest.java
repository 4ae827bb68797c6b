package dev.panamark.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.panamark.driver.cuda.CudaDriver;
import dev.panamark.driver.nvml.Nvml;
import dev.panamark.fake.FakeCuda;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code energy} and {@code doctor} on a machine with three NVIDIA GPUs of known power, in real time. */
class NvmlEnergyTest {
    /** Every 73 ms 37 ms at 4 W more than the rest, so that the sensors move; MIG divides the second by the bus. */
    private static final String BOX = """
            clock host
            device h100-sxm
            curve 0:404,37000000:400 repeat 73000000
            device a100-sxm-80
            curve 0:204,37000000:200 repeat 73000000
            mode mig on
            device rtx-4090
            curve 0:104,37000000:100 repeat 73000000
            """;

    /** W that the ripple adds on average. */
    private static final double RIPPLE = 4 * 37.0 / 73;

    private final FakeCuda fake;
    private final Session session;
    private final Path folder;

    NvmlEnergyTest(@TempDir Path folder) throws Exception {
        fake = FakeCuda.load();
        this.folder = folder;
        session = new Session(folder)
                .with("PANAMARK_SYS", folder.resolve("nothing").toString())
                .with(
                        Nvml.VARIABLE,
                        Path.of(fake.file()).resolveSibling("libnvidia-ml.so.1").toString());
    }

    private Session.Ended run(String script, String... args) throws Throwable {
        fake.reset(script);
        Session.Ended ended = session.run(args);
        assertFalse(ended.hasStackTrace(), () -> ended.out() + ended.err());
        return ended;
    }

    private static JsonNode meter(JsonNode root, String id) {
        for (JsonNode m : root.path("meters")) {
            if (m.path("meter").asText().equals(id)) {
                return m;
            }
        }
        throw new AssertionError(root);
    }

    @Test
    void everyGpusJoulesAreInEveryFormat() throws Throwable {
        Path json = folder.resolve("e.json");
        Path csv = folder.resolve("e.csv");
        Path metrics = folder.resolve("e.txt");
        Session.Ended ended = run(
                BOX,
                "energy",
                "--json",
                json.toString(),
                "--csv",
                csv.toString(),
                "--openmetrics",
                metrics.toString(),
                "--",
                "sleep",
                "2");
        assertEquals(0, ended.code(), ended::err);
        JsonNode root = new ObjectMapper().readTree(Files.readString(json));
        double seconds = root.path("duration_s").asDouble();
        double[] watts = {100, 200, 400};
        String[] scopes = {"gpu", "whole_device", "gpu"};
        double sum = 0;
        for (int i = 0; i < 3; i++) {
            JsonNode m = meter(root, "nvml:" + i);
            double joules = m.path("energy").path("value").asDouble();
            JsonNode ci = m.path("energy").path("ci95");
            double truth = (watts[i] + RIPPLE) * seconds;
            assertTrue(
                    ci.path(0).asDouble() <= truth + 1
                            && truth - 1 <= ci.path(1).asDouble(),
                    m::toString);
            assertEquals(truth, joules, 0.1 * truth);
            assertEquals(scopes[i], m.path("scope").asText());
            assertTrue(m.path("in_total").asBoolean());
            assertTrue(m.path("uuid").asText().startsWith("GPU-"), m::toString);
            assertEquals(0.1, m.path("update_period_s").asDouble(), 0.03);
            assertFalse(meter(root, "nvml:" + i + "/power").path("in_total").asBoolean());
            sum += joules;
        }
        assertEquals(sum, root.path("total").path("energy").path("value").asDouble(), 1e-6 * sum);
        String records = Files.readString(csv);
        String text = Files.readString(metrics);
        for (int i = 0; i < 3; i++) {
            String start = "nvml:" + i + ",nvidia:" + i + ",GPU-";
            String scope = scopes[i];
            assertTrue(
                    records.lines().anyMatch(l -> l.startsWith(start) && l.contains("," + scope + ",nvml,")), records);
            String sample =
                    "panamark_energy_joules_total{meter=\"nvml:" + i + "\",device=\"nvidia:" + i + "\",uuid=\"GPU-";
            assertTrue(text.lines().anyMatch(l -> l.startsWith(sample) && l.contains("scope=\"" + scope + "\"")), text);
        }
    }

    @Test
    void theTableNamesEachGpu() throws Throwable {
        Session.Ended ended = run(BOX, "energy", "--duration", "1.5s");
        assertEquals(0, ended.code(), ended::err);
        List<String> lines = ended.out().lines().toList();
        for (String start : List.of("nvml:0 ", "nvml:1 ", "nvml:2 ")) {
            String line = lines.stream()
                    .filter(l -> l.startsWith(start))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError(ended.out()));
            assertTrue(line.contains(start.startsWith("nvml:1") ? "whole_device" : "gpu"), line);
            assertFalse(line.contains("\u2013"), line);
        }
        String total =
                lines.stream().filter(l -> l.startsWith("total")).findFirst().orElseThrow();
        double joules = Double.parseDouble(total.split(" +", -1)[1]);
        assertEquals(1.5 * (700 + 3 * RIPPLE), joules, 0.15 * 1.5 * 700);
    }

    @Test
    void aGpuThatIsLostMeanwhileIsNoFigure() throws Throwable {
        Path json = folder.resolve("e.json");
        Session.Ended ended = run(
                "clock host\ndevice h100-sxm\nlost 4500000000\n",
                "energy",
                "--json",
                json.toString(),
                "--",
                "sleep",
                "5");
        assertEquals(0, ended.code(), "the command's own: " + ended.err());
        JsonNode energy = meter(new ObjectMapper().readTree(Files.readString(json)), "nvml:0")
                .path("energy");
        assertTrue(energy.path("value").isNull(), energy::toString);
        assertTrue(energy.path("reason").asText().contains("NVML_ERROR_GPU_IS_LOST"), energy::toString);
    }

    /** What it says, without line breaks. */
    private String doctor(String script) throws Throwable {
        return run(script, "doctor").out().replaceAll("\\s+", " ");
    }

    @Test
    void doctorSaysWhatMetersAndWhatKeepsThem() throws Throwable {
        session.with(CudaDriver.VARIABLE, fake.file());
        String good = doctor(BOX);
        assertTrue(
                good.contains(
                        "nvml:1: energy counter of nvidia:1 (whole_device), nvmlDeviceGetTotalEnergyConsumption of "
                                + "NVIDIA A100-SXM4-80GB at 0000:51:00.0"),
                good);
        String denied = doctor(BOX + "fail nvmlInit_v2 1+ 4\n");
        assertTrue(denied.contains("NVML_ERROR_NO_PERMISSION") && denied.contains("/dev/nvidiactl"), denied);
        session.with(Nvml.VARIABLE, folder.resolve("none.so").toString());
        String none = doctor(BOX);
        assertTrue(none.contains("none.so") && none.contains("unset PANAMARK_NVML"), none);
        assertNotEquals(good, none);
    }
}
