package dev.panamark.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.amd.AmdTree;
import dev.panamark.amd.AmdTree.Gpu;
import dev.panamark.amd.AmdTree.Model;
import dev.panamark.amd.RocmSmiProbe;
import dev.panamark.driver.host.HostCompiler;
import dev.panamark.driver.rocmsmi.RocmSmi;
import dev.panamark.ffi.Availability;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The real ROCm SMI, whichever is installed or PANAMARK_ROCM_SMI names, on files that a process of its own sees in place of
 * /sys/class. An abort of the library would be its exit status. Its locks lie in a /dev/shm of that process, as those that a
 * killed process leaves keep the next one waiting.
 */
class RocmSmiLibraryTest {
    @TempDir
    Path folder;

    private AmdTree tree = new AmdTree(Path.of("unset"));
    private final Map<String, String> env = new HashMap<>();

    @BeforeEach
    void prepare() throws Exception {
        tree = new AmdTree(folder.resolve("sys"));
        Files.createDirectories(folder.resolve("sys/class"));
        Ended mounted = run(List.of("true"));
        Assumptions.assumeTrue(
                mounted.code() == 0,
                "this user may not mount a folder over /sys/class (unshare -r -m): " + mounted.text());
    }

    private record Ended(int code, String text) {
        String of(String what) {
            return text.lines()
                    .filter(l -> l.startsWith(what + ": "))
                    .map(l -> l.substring(what.length() + 2))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError(text));
        }
    }

    private Ended run(List<String> command) throws IOException, InterruptedException {
        List<String> line = new ArrayList<>(List.of(
                "unshare",
                "-r",
                "-m",
                "sh",
                "-c",
                "mount --make-rprivate / && mount -t tmpfs none /dev/shm && mount --bind \"$0\" /sys/class && exec \"$@\"",
                tree.sys().resolve("class").toString()));
        line.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(line).redirectErrorStream(true);
        builder.environment().remove("PANAMARK_SYS");
        builder.environment().putAll(env);
        try {
            Process process = builder.start();
            String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(process.waitFor(60, TimeUnit.SECONDS), text);
            return new Ended(process.exitValue(), text);
        } catch (IOException e) {
            return new Ended(-1, e.toString()); // no unshare
        }
    }

    private Ended panamark(String command) throws IOException, InterruptedException {
        List<String> line = new ArrayList<>(Session.program());
        line.add(command);
        return run(line);
    }

    /** Everything the library says; the test is skipped where there is none. */
    private Ended probe() throws IOException, InterruptedException {
        List<String> line = new ArrayList<>(Session.program());
        line.set(line.size() - 1, RocmSmiProbe.class.getName());
        Ended ended = run(line);
        Assumptions.assumeFalse(
                ended.text().contains("Install ROCm SMI"), () -> "ROCm SMI is not there: " + ended.text());
        assertEquals(0, ended.code(), ended::text);
        assertEquals("reached", ended.of("end"), ended::text);
        return ended;
    }

    /** The library's own reading of what the test wrote: that layouts and files are as it takes them. */
    @ParameterizedTest
    @CsvSource({"MI210, 1.1, 203000000", "MI210, 1.3, 203000000", "MI250X, 1.3, 430000000"})
    void theLibraryReadsWhatWeRead(Model model, String revision, long microwatts) throws Exception {
        tree.gpu(model, 0xc1, revision);
        Ended ended = probe();
        assertEquals("0000:c1:00.0", ended.of("address"));
        assertEquals("a1b2c3d4e5f607c1", ended.of("unique id"));
        assertEquals("Power[microwatts=" + microwatts + ", type=AVERAGE]", ended.of("power"));
        assertEquals("750000000", ended.of("cap"));
        assertEquals(Long.toString(AmdTree.COUNTS), ended.of("energy"));
        assertEquals("52500", ended.of("junction"));
    }

    /**
     * A library that tells present power is of ROCm 6.0 or newer, whose source knows revisions up to 1.6 and answers others
     * with a status; an older one is not asked.
     */
    @ParameterizedTest
    @ValueSource(strings = {"1.4", "1.5", "1.6", "1.7", "1.8", "1.9"})
    void noRevisionEndsTheProcess(String revision) throws Exception {
        tree.gpu(Model.MI300X, 0xc1, revision);
        Ended ended = probe();
        String energy = ended.of("energy");
        if (!ended.of("power").contains("CURRENT")) {
            assertTrue(energy.matches(".* was not called: .* revision " + revision + ",.*"), energy);
        } else if (!energy.equals(Long.toString(AmdTree.COUNTS))) {
            assertTrue(revision.compareTo("1.6") > 0, energy);
            assertTrue(energy.contains("rsmi_dev_energy_count_get failed with RSMI_STATUS_"), energy);
        }
    }

    /** Debian's 5.2.3 aborts without a hwmon named amdgpu and without links; what else is missing costs a status. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "gpu_metrics",
                "hwmon",
                "hwmon/hwmon0/name",
                "hwmon/hwmon0/in0_label",
                "hwmon/hwmon0/power1_average",
                "hwmon/hwmon0/power1_cap",
                "hwmon/hwmon0/temp2_input",
                "unique_id",
                "vbios_version",
                "vendor",
                "device"
            })
    void noMissingFileEndsTheProcess(String file) throws Exception {
        Gpu gpu = tree.gpu(Model.MI210, 0xc1, "1.3");
        delete(gpu.folder().resolve(file));
        assertTrue(probe().text().contains("end: reached"));
    }

    @Test
    void aNodeWithoutLinksEndsNoProcess() throws Exception {
        tree.gpu(Model.MI210, 0xc1, "1.3");
        delete(tree.node(1).resolve("io_links"));
        assertTrue(probe().of("absent").contains("nodes/1 has no io_links"));
    }

    @Test
    void withoutGpusThereIsNone() throws Exception {
        assertTrue(probe().of("absent").contains("/sys/class/drm is not there, so there is no AMD GPU"));
    }

    /** On the very /sys of the process, where the library may be asked too, and is for what is not known here. */
    @ParameterizedTest
    @ValueSource(strings = {"1.3", "1.4", "1.8", "1.9"})
    void devicesShowsTheGpuWhateverTheRevision(String revision) throws Exception {
        tree.gpu(Model.MI300X, 0xc1, revision);
        Ended ended = panamark("devices");
        String text = ended.text().replaceAll("\\s+", " ");
        assertEquals(0, ended.code(), text);
        assertTrue(text.contains("shows 612.0 W"), text);
        assertTrue(text.contains("scope socket"), text);
        assertEquals(!revision.equals("1.9"), text.contains("amdgpu:0 energy counter of amd:0: available"), text);
    }

    /** A library of the future, which the fake stands for; its count is that of the fake. */
    @Test
    void aLibraryThatKnowsMoreIsAsked() throws Exception {
        Path library = folder.resolve("librocm_smi64.so.9");
        Path source = Path.of("../native-build/fakes/rocmsmi/rocm_smi.c").toAbsolutePath();
        String compiler = HostCompiler.find(System.getenv()) instanceof Availability.Available<HostCompiler>(var found)
                ? found.path().toString()
                : Assumptions.abort("no C compiler on this machine");
        Ended compiled = run(List.of(
                compiler,
                "-std=gnu11",
                "-fPIC",
                "-shared",
                "-DFAKE_DOMAIN=0",
                "-o",
                library.toString(),
                source.toString()));
        assertEquals(0, compiled.code(), compiled::text);
        tree.gpu(Model.MI300X, 0xc1, "1.9");
        env.put(RocmSmi.VARIABLE, library.toString());
        String text = panamark("devices").text().replaceAll("\\s+", " ");
        assertTrue(text.contains("amdgpu:0 energy counter of amd:0: available scope socket"), text);
        assertTrue(text.contains("reads rsmi_dev_energy_count_get (" + library + ") of AMD Instinct MI300X"), text);
    }

    /** What is not known here is not known to the library of these times either; doctor has the words of both. */
    @Test
    void doctorSaysWhyTheLibraryDidNotHelp() throws Exception {
        probe();
        tree.gpu(Model.MI300X, 0xc1, "1.9");
        String text = panamark("doctor").text().replaceAll("\\s+", " ");
        assertTrue(text.contains("its gpu_metrics of revision 1.9 is not one of 1.1 to 1.8"), text);
        assertTrue(text.contains("rsmi_dev_energy_count_get"), text);
    }

    private static void delete(Path path) throws IOException {
        if (Files.isDirectory(path)) {
            try (var entries = Files.list(path)) {
                for (Path entry : entries.toList()) {
                    delete(entry);
                }
            }
        }
        Files.delete(path);
    }
}
