package dev.panamark.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.panamark.amd.AmdTree;
import dev.panamark.amd.AmdTree.Gpu;
import dev.panamark.amd.AmdTree.Model;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code devices}, {@code energy} and {@code doctor} on a machine with AMD GPUs made of files, in real time. */
class AmdEnergyTest {
    private final Path folder;
    private final Session session;
    private final AmdTree tree;

    AmdEnergyTest(@TempDir Path folder) {
        this.folder = folder;
        tree = new AmdTree(folder.resolve("sys"));
        session = new Session(folder).with("PANAMARK_SYS", tree.sys().toString());
    }

    private Session.Ended run(String... args) {
        Session.Ended ended = session.run(args);
        assertFalse(ended.hasStackTrace(), () -> ended.out() + ended.err());
        return ended;
    }

    private static String line(String text) {
        return text.replaceAll("\\s+", " ");
    }

    private JsonNode meter(Path json, String id) throws Exception {
        JsonNode root = new ObjectMapper().readTree(Files.readString(json));
        for (JsonNode m : root.path("meters")) {
            if (m.path("meter").asText().equals(id)) {
                return m;
            }
        }
        throw new AssertionError(root);
    }

    @Test
    void devicesShowsPowerAndScope() throws Exception {
        tree.gpu(Model.MI300X, 0xc1, "1.4").with("current_compute_partition", "SPX");
        String out = line(run("devices").out());
        assertTrue(
                out.contains("amdgpu:0 energy counter of amd:0: available scope socket \u00b7 reads "
                        + line(tree.sys().toString())),
                out);
        assertTrue(out.contains("power_limit 750.0 W"), out);
        assertTrue(out.contains("amdgpu:0/power power, integrated of amd:0: available scope socket"), out);
        assertTrue(out.contains("shows 612.0 W"), out);
    }

    /**
     * The command copies gpu_metrics at its beginning and its end, so what was used between is known by the file itself; the
     * rest of the metered time, in which a process starts and ends, is at most at the power of the end.
     */
    @ParameterizedTest
    @ValueSource(strings = {"1.3", "1.4", "1.5", "1.6", "1.8"})
    void joulesOfARampAreRight(String revision) throws Exception {
        Gpu gpu = tree.gpu(Model.MI300X, 0xc1, revision);
        Path file = gpu.folder().resolve("gpu_metrics");
        Path json = folder.resolve("e.json");
        Path before = folder.resolve("before");
        Path after = folder.resolve("after");
        double used;
        double between;
        double most;
        try (AmdTree.Ramp ramp = AmdTree.ramp(gpu, 300, 50)) {
            Session.Ended ended = run(
                    "energy",
                    "--json",
                    json.toString(),
                    "--",
                    "sh",
                    "-c",
                    "cp " + file + " " + before + "; sleep 1; cp " + file + " " + after);
            assertEquals(0, ended.code(), ended::err);
            used = ramp.joules(after) - ramp.joules(before);
            between = ramp.seconds(after) - ramp.seconds(before);
            most = ramp.watts(ramp.seconds(after) + 1);
        }
        assertTrue(used > 300 && between >= 1, () -> used + " J in " + between + " s");
        double seconds = new ObjectMapper()
                .readTree(Files.readString(json))
                .path("duration_s")
                .asDouble();
        JsonNode counter = meter(json, "amdgpu:0");
        double joules = counter.path("energy").path("value").asDouble();
        double rest = most * Math.max(0, seconds - between);
        double edges = 0.01 * used;
        assertTrue(used - edges <= joules && joules <= used + rest + edges, () -> used + ".." + rest + ": " + counter);
        assertEquals("socket", counter.path("scope").asText());
        assertTrue(counter.path("in_total").asBoolean());
        assertTrue(
                counter.path("energy").path("note").isMissingNode()
                        || counter.path("energy").path("note").isNull(),
                "counter and sensor agree");
        JsonNode sensor = meter(json, "amdgpu:0/power");
        assertFalse(sensor.path("in_total").asBoolean());
        assertEquals(joules, sensor.path("energy").path("value").asDouble(), 0.03 * joules);
    }

    /** Nobody advances the files, as of a driver that hangs. */
    @Test
    void aCounterThatStandsStillIsNoFigure() throws Exception {
        tree.gpu(Model.MI300X, 0xc1, "1.4");
        Path json = folder.resolve("e.json");
        assertEquals(0, run("energy", "--json", json.toString(), "--", "true").code());
        JsonNode energy = meter(json, "amdgpu:0").path("energy");
        assertTrue(energy.path("value").isNull(), energy::toString);
        assertTrue(energy.path("reason").asText().contains("the counter changed 0 times"), energy::toString);
    }

    /** A counter of wrong scale shows as twice its sensor, or half. */
    @Test
    void aCounterThatDisagreesWithTheSensorIsFlagged() throws Exception {
        Gpu gpu = tree.gpu(Model.MI300X, 0xc1, "1.4");
        Path json = folder.resolve("e.json");
        try (AmdTree.Ramp ramp = AmdTree.ramp(gpu, 300, 50)) {
            ramp.sensorGain(0.5);
            run("energy", "--json", json.toString(), "--", "sleep", "0.5");
        }
        String note = meter(json, "amdgpu:0").path("energy").path("note").asText();
        assertTrue(note.startsWith("amdgpu:0/power shows ") && note.contains(" % less: the counter or"), note);
    }

    @Test
    void aCounterThatGoesBackwardsIsNoFigure() throws Exception {
        Gpu gpu = tree.gpu(Model.MI300X, 0xc1, "1.4");
        Path json = folder.resolve("e.json");
        Path mark = folder.resolve("reset");
        try (AmdTree.Ramp ramp = AmdTree.ramp(gpu, 300, 0)) {
            ramp.beginAnewWith(mark);
            run("energy", "--json", json.toString(), "--", "sh", "-c", "touch " + mark + "; sleep 1.2");
        }
        JsonNode energy = meter(json, "amdgpu:0").path("energy");
        assertTrue(energy.path("value").isNull(), energy::toString);
        assertTrue(energy.path("reason").asText().contains("the counter went backwards"), energy::toString);
    }

    @Test
    void doctorSaysWhatMetersAndWhatKeepsThem() throws Exception {
        tree.gpu(Model.MI250X, 0xc1, "1.3");
        tree.gpu(Model.MI250X, 0xc6, "1.3").metrics(0, 0).power(0);
        String out = line(run("doctor").out());
        assertTrue(out.contains("amdgpu:0: energy counter of amd:0 (whole_device), "), out);
        assertTrue(out.contains("amdgpu:1: ") && out.contains("shows 0 J"), out);
        assertTrue(out.contains("the first carries the power and energy of both"), out);
        String err = line(run("energy", "--", "true").err());
        assertTrue(err.contains("the first carries the power and energy of both"), err);
    }
}
