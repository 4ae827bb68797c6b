package dev.panamark.cli;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.amd.AmdTree;
import dev.panamark.amd.AmdTree.Model;
import dev.panamark.driver.hip.HipDriver;
import dev.panamark.fake.FakeHip;
import dev.panamark.fake.ScaledKernels;
import dev.panamark.result.Metric;
import dev.panamark.result.Row;
import dev.panamark.result.Rows;
import dev.panamark.result.Source;
import dev.panamark.result.Status;
import dev.panamark.result.Tags;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program on a machine with AMD GPUs, as far as the runtime tells; a build for the host runs what is launched. */
class HipRunTest {
    private final FakeHip fake;
    private final Session session;
    private final AmdTree tree;
    private final Path source;

    HipRunTest(@TempDir Path folder) throws Exception {
        FakeHip.requireCompiler();
        fake = FakeHip.load();
        tree = new AmdTree(folder.resolve("sys"));
        session =
                new Session(folder).with("PANAMARK_SYS", tree.sys().toString()).with(HipDriver.VARIABLE, fake.file());
        source = ScaledKernels.writeHip(folder);
        ScaledKernels.writeHipKernels(folder, "scaled.hip");
    }

    /** This process looks for devices, others measure on them: all find what the script says. */
    private void machine(String script) throws Throwable {
        fake.reset(script);
        session.with(fake.worker(script, Map.of("PANAMARK_SYS", tree.sys().toString())));
    }

    private String slow() throws Exception {
        return "device mi300x\nduration * 10000000\nduration panamark_empty 1000\nhost "
                + FakeHip.host(source, "doubled", "halved", "tripled") + "\n";
    }

    private Session.Ended run(String... more) {
        List<String> args = new ArrayList<>(List.of("run", "-d", "hip:0", "-b", "mine.*", "--budget", "30", "--quiet"));
        for (String kernel : List.of("doubled", "halved", "tripled")) {
            args.addAll(List.of("-k", session.path(kernel + ".yaml").toString()));
        }
        if (!List.of(more).contains("--energy")) {
            args.addAll(List.of("--energy", "off"));
        }
        args.addAll(List.of("--json", json().toString()));
        args.addAll(List.of(more));
        Session.Ended ended = session.run(args.toArray(String[]::new));
        assertFalse(ended.hasStackTrace(), () -> ended.out() + ended.err());
        return ended;
    }

    private Path json() {
        return session.path("result.json");
    }

    private Row row(String kernel) {
        return session.rows(json()).stream()
                .filter(r -> r.kernel().equals("mine." + kernel))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void kernelsAreMeasured() throws Throwable {
        machine(slow());
        Session.Ended ended = run();
        assertEquals(0, ended.code(), ended.out() + ended.err());
        for (String kernel : List.of("doubled", "halved", "tripled")) {
            Row row = row(kernel);
            assertEquals(Status.OK, row.status(), row::reason);
            assertEquals(0.010, Rows.value(row, Tags.TIME_MEDIAN), 1e-6, "as the script says");
            assertEquals(1e-6, Rows.value(row, Tags.TIME_FLOOR), 1e-7, "as the script says");
            // 1000 FLOP in 10 ms, of 163.4 TFLOP/s (AMD's data sheet of the MI300X).
            assertEquals(1e5 / 163.4e12, Rows.value(row, Tags.UTIL_PEAK), 1e-3 * 1e5 / 163.4e12);
        }
        String result = Files.readString(json());
        assertTrue(result.contains("\"vector_registers\"") && result.contains("\"wavefront\""), result);
    }

    @Test
    void aKernelThatWritesWhereItMustNotCostsItsRow() throws Throwable {
        machine(slow() + "fault halved 3 700\n");
        Session.Ended ended = run();
        assertEquals(1, ended.code(), ended.out() + ended.err());
        Row row = row("halved");
        assertEquals(Status.FAILED, row.status(), row::reason);
        assertTrue(String.valueOf(row.reason()).contains("hipErrorIllegalAddress (700)"), row::reason);
        assertEquals(Status.OK, row("doubled").status(), row("doubled")::reason);
        assertEquals(Status.OK, row("tripled").status(), row("tripled")::reason);
    }

    @Test
    void aCallThatDoesNotReturnEndsAtTheDeadline() throws Throwable {
        machine(slow() + "hang hipModuleLaunchKernel 2\n");
        Session.Ended ended = run("--timeout", "2", "-b", "mine.doubled");
        assertEquals(1, ended.code(), ended.out() + ended.err());
        assertEquals(Status.TIMEOUT, row("doubled").status(), row("doubled")::reason);
    }

    /** 300 W all the time, by the kernel's counter; the fake's time is the host's. */
    @Test
    void joulesOfALaunchAreThoseOfTheGpu() throws Throwable {
        AmdTree.Gpu gpu = tree.gpu(Model.MI300X, 0x05, "1.3");
        machine(slow().replace("10000000", "2000000") + "clock host\n");
        try (AmdTree.Ramp _ = AmdTree.ramp(gpu, 300, 0)) {
            Session.Ended ended = run("--energy", "quick", "-b", "mine.doubled");
            assertEquals(0, ended.code(), ended.out() + ended.err());
        }
        Metric joules = Rows.metric(row("doubled"), Tags.ENERGY_GROSS);
        assertEquals(Source.MEASURED, joules.source(), joules::toString);
        assertEquals("amdgpu:0", joules.detail().get("meter"));
        assertEquals("socket", joules.detail().get("scope"));
        double launches = (Double) requireNonNull(joules.detail().get("launches"));
        double window = (Double) requireNonNull(joules.detail().get("window_s"));
        double truth = 300 * window / launches;
        assertEquals(truth, requireNonNull(joules.value()), 0.1 * truth, joules::toString);
    }

    @Test
    void allDevicesAreListed() throws Throwable {
        AmdTree.Gpu gpu = tree.gpu(Model.MI300X, 0x05, "1.3");
        gpu.with("current_compute_partition", "SPX").with("current_memory_partition", "NPS1");
        Path devices = Files.createDirectories(tree.sys().resolve("bus/pci/devices"));
        Files.createSymbolicLink(devices.resolve("0000:05:00.0"), gpu.folder());
        machine("device mi300x\ndevice mi210\n");
        Session.Ended ended = session.run("devices");
        assertEquals(0, ended.code(), ended.err());
        String out = ended.out().replaceAll("\\s+", " ");
        for (String words : List.of(
                "hip:0 AMD Instinct MI300X: available",
                "hip:1 AMD Instinct MI210: available",
                "device.units 304",
                "device.warp 64",
                "device.cdna 3",
                "device.shared_block 65536",
                "device.llc 256 MiB", // the Infinity Cache, AMD's data sheet
                "target gfx942:sramecc+:xnack-",
                "profile mi300x",
                "compute_partition SPX",
                "memory_partition NPS1",
                "device.llc 8.00 MiB")) {
            assertTrue(out.contains(words), words + " in " + out);
        }
        String doctor = session.run("doctor").out();
        assertTrue(doctor.contains("AMD Instinct MI300X, 304 units, gfx942:sramecc+:xnack-, HIP 6.3"), doctor);
    }

    @Test
    void withoutADeviceThereIsNothingToMeasureOn() throws Throwable {
        machine("driver 6.3\n");
        Session.Ended ended = session.run("run", "-d", "hip", "-b", "ceiling.*");
        assertEquals(3, ended.code());
        assertTrue(ended.err().contains("hipErrorInvalidDevice (101)"), ended.err());
        Session.Ended doctor = session.run("doctor");
        assertTrue(doctor.out().contains("none  hip"), doctor.out());
    }

    /** Debian's libamdhip64 5.2.3, on a machine without a GPU of AMD's. */
    @Test
    void theRealRuntimeSaysWhyThereIsNone() {
        Path library = Path.of("/usr/lib/x86_64-linux-gnu/libamdhip64.so.5");
        Assumptions.assumeTrue(Files.exists(library), "no " + library + " on this machine (libamdhip64-5 of Debian)");
        Assumptions.assumeFalse(Files.exists(Path.of("/dev/kfd")), "this machine may have a device");
        session.with(HipDriver.VARIABLE, library.toString());
        String doctor = session.run("doctor").out().replaceAll("\\s+", " ");
        assertTrue(
                doctor.contains("none hip " + library + ": hipInit failed with hipErrorInvalidDevice (101)"), doctor);
        assertTrue(doctor.contains("There is no /dev/kfd"), doctor);
    }
}
