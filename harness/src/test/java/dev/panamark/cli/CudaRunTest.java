package dev.panamark.cli;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.driver.cuda.CudaDriver;
import dev.panamark.driver.nvml.Nvml;
import dev.panamark.fake.FakeCuda;
import dev.panamark.fake.FakeWorker;
import dev.panamark.fake.ScaledKernels;
import dev.panamark.result.Metric;
import dev.panamark.result.Row;
import dev.panamark.result.Rows;
import dev.panamark.result.Source;
import dev.panamark.result.Status;
import dev.panamark.result.Tags;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program on a machine with NVIDIA GPUs, as far as its driver tells; what is launched the emulator runs. */
class CudaRunTest {
    private final FakeCuda fake;
    private final Session session;

    CudaRunTest(@TempDir Path folder) throws Exception {
        fake = FakeCuda.load();
        session = new Session(folder);
        ScaledKernels.write(folder);
    }

    /** This process looks for devices, others measure on them: all find what the script says. */
    private void machine(String script) throws Throwable {
        fake.reset(script);
        session.with(CudaDriver.VARIABLE, fake.file());
        session.with(FakeWorker.command(fake, script));
    }

    /** {@code panamark run} of the three kernels, doubled first. */
    private Session.Ended run(String... more) {
        List<String> args =
                new ArrayList<>(List.of("run", "-d", "cuda:0", "-b", "mine.*", "--budget", "30", "--quiet"));
        for (String kernel : List.of("doubled", "halved", "tripled")) {
            args.addAll(List.of("-k", session.path(kernel + ".yaml").toString()));
        }
        if (!List.of(more).contains("--energy")) {
            args.addAll(List.of("--energy", "off"));
        }
        args.addAll(List.of("--json", json().toString()));
        args.addAll(List.of(more));
        return session.run(args.toArray(String[]::new));
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
        machine("device h100-sxm\nduration * 10000000\nduration panamark_empty 1000\n");
        Session.Ended ended = run();
        assertEquals(0, ended.code(), ended.out() + ended.err());
        for (String kernel : List.of("doubled", "halved", "tripled")) {
            Row row = row(kernel);
            assertEquals(Status.OK, row.status(), row::reason);
            assertEquals(0.010, Rows.value(row, Tags.TIME_MEDIAN), 1e-6, "as the script says");
            assertEquals("CUDA events", row.run().get("clock"));
            assertEquals(true, row.run().get("launch_gate"));
            // 1000 FLOP in 10 ms, of 66.9 TFLOP/s: 33.45 T multiply-adds on FMA units (H100 SXM data sheet).
            assertEquals(1e5 / 66.9e12, Rows.value(row, Tags.UTIL_PEAK), 1e-3 * 1e5 / 66.9e12);
        }
    }

    private static final String SLOW = "device h100-sxm\nduration * 10000000\nduration panamark_empty 1000\n";

    /** The only row that is not ok; its reason. */
    private String onlyFailure(String kernel, Status status) {
        for (String each : List.of("doubled", "halved", "tripled")) {
            Row row = row(each);
            assertEquals(each.equals(kernel) ? status : Status.OK, row.status(), row::reason);
        }
        return String.valueOf(row(kernel).reason());
    }

    @Test
    void aKernelThatWritesWhereItMustNotCostsItsRow() throws Throwable {
        machine(SLOW + "fault halved 3 700\n");
        Session.Ended ended = run();
        assertEquals(1, ended.code(), ended.out() + ended.err());
        String reason = onlyFailure("halved", Status.FAILED);
        assertTrue(reason.contains("CUDA_ERROR_ILLEGAL_ADDRESS (700)"), reason);
        assertFalse(ended.hasStackTrace(), ended.err());
    }

    @Test
    void aFaultWhileItIsTimedCostsItsRowToo() throws Throwable {
        machine(SLOW + "fault tripled 25 716\n");
        Session.Ended ended = run();
        assertEquals(1, ended.code(), ended.out() + ended.err());
        String reason = onlyFailure("tripled", Status.FAILED);
        assertTrue(reason.contains("CUDA_ERROR_MISALIGNED_ADDRESS (716)"), reason);
    }

    @Test
    void aCallThatDoesNotReturnEndsAtTheDeadline() throws Throwable {
        // Rows come in the order of their names, each in a worker of its own here: the second launch is in its
        // validation.
        machine(SLOW + "hang cuLaunchKernel 2\n");
        Session.Ended ended = run("--timeout", "2", "-b", "mine.doubled");
        assertEquals(1, ended.code(), ended.out() + ended.err());
        Row row = row("doubled");
        assertEquals(Status.TIMEOUT, row.status(), row::reason);
        assertTrue(String.valueOf(row.reason()).contains("did not end within 2.0 s"), row::reason);
    }

    @Test
    void aDeviceWithoutMemoryRunsNothing() throws Throwable {
        machine("device h100-sxm\nmemory 12000\n");
        Session.Ended ended = run();
        assertEquals(3, ended.code(), ended.out() + ended.err());
        Row row = row("doubled");
        assertEquals(Status.UNSUPPORTED, row.status(), row::reason);
        // The second buffer: 4000 bytes and two guard zones of 4096.
        assertTrue(String.valueOf(row.reason()).contains("buffer"), row::reason);
        assertTrue(String.valueOf(row.reason()).contains("takes 12192 bytes, and cuda:0 has"), row::reason);
    }

    @Test
    void aDriverThatIsTooOldForTheTextSaysSo() throws Throwable {
        machine("driver 11.0\nptx 6.5\ndevice h100-sxm\n");
        Session.Ended ended = run();
        assertEquals(1, ended.code(), ended.out() + ended.err());
        String reason = String.valueOf(row("doubled").reason());
        assertTrue(reason.contains("serves CUDA 11.0") && reason.contains("asks for PTX 7.0"), reason);
        assertTrue(reason.contains("CUDA_ERROR_UNSUPPORTED_PTX_VERSION"), reason);
    }

    @Test
    void withoutADeviceThereIsNothingToMeasureOn() throws Throwable {
        machine("driver 12.4\n");
        Session.Ended ended = session.run("run", "-d", "cuda", "-b", "ceiling.*");
        assertEquals(3, ended.code());
        assertTrue(ended.err().contains("CUDA_ERROR_NO_DEVICE"), ended.err());
        assertTrue(ended.err().contains("docker run --gpus all"), ended.err());
        Session.Ended doctor = session.run("doctor");
        assertTrue(doctor.out().contains("none  cuda"), doctor.out());
    }

    @Test
    void allDevicesAreListed() throws Throwable {
        machine("driver 12.4\ndevice h100-sxm\ndevice a100-sxm-80\ndevice rtx-4090\n");
        Session.Ended ended = session.run("devices");
        assertEquals(0, ended.code(), ended.err());
        for (String words : List.of(
                "cuda:0           NVIDIA H100 80GB HBM3: available",
                "cuda:1           NVIDIA A100-SXM4-80GB: available",
                "cuda:2           NVIDIA GeForce RTX 4090: available",
                "profile rtx-4090")) {
            assertTrue(ended.out().contains(words), ended.out());
        }
        assertTrue(
                session.run("doctor").out().contains("NVIDIA A100-SXM4-80GB, 108 units, sm_80, driver for CUDA 12.4"));
    }

    /**
     * Launches of 2 ms at 500 W, and 70 W between them: what a launch costs follows from how many there were in the window.
     * Here the fake's time is the host's.
     */
    @Test
    void joulesOfALaunchAreThoseOfTheGpu() throws Throwable {
        machine("device h100-sxm\nclock host\nduration * 2000000\nduration panamark_empty 1000\npower 70 500\n");
        Session.Ended ended = run("--energy", "quick", "-b", "mine.doubled");
        assertEquals(0, ended.code(), ended.out() + ended.err());
        Metric joules = Rows.metric(row("doubled"), Tags.ENERGY_GROSS);
        assertEquals(Source.MEASURED, joules.source(), joules::toString);
        assertEquals("nvml:0", joules.detail().get("meter"));
        assertEquals("gpu", joules.detail().get("scope"));
        double launches = (Double) requireNonNull(joules.detail().get("launches"));
        double window = (Double) requireNonNull(joules.detail().get("window_s"));
        double truth = (launches * 0.002 * 500 + (window - launches * 0.002) * 70) / launches;
        double half = requireNonNull(joules.ci95()).half();
        assertEquals(truth, requireNonNull(joules.value()), 2 * half, joules::toString);
        assertTrue(half < 0.02 * truth, joules::toString);
        assertTrue(Rows.value(row("doubled"), Tags.POWER_AVERAGE) < 500, "of the busy GPU");
    }

    /** What the fake's counters show of each launch; the others of the table are not there. */
    private static final String COUNTERS = """
            chip GH100
            metric sm__warps_active.avg.pct_of_peak_sustained_active 25
            metric sm__warps_active.avg.pct_of_peak_sustained_active 75 doubled
            metric sm__cycles_elapsed.sum 1000
            metric l1tex__data_pipe_lsu_wavefronts_mem_shared.sum 300
            metric l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum 50
            metric lts__t_sectors_lookup_hit.sum 30
            metric lts__t_sectors_lookup_miss.sum 10
            metric smsp__warps_issue_stalled_short_scoreboard.sum 20
            metric smsp__warps_issue_stalled_wait.sum 60
            passes 3
            """;

    @Test
    void countersAreReadOnceTheRowsAreTimed() throws Throwable {
        machine(SLOW + COUNTERS);
        Session.Ended ended = run("--counters");
        assertEquals(0, ended.code(), ended.out() + ended.err());
        Row row = row("halved");
        assertEquals(0.25, Rows.value(row, Tags.OCCUPANCY_ACHIEVED));
        assertEquals(0.75, Rows.value(row("doubled"), Tags.OCCUPANCY_ACHIEVED));
        assertEquals(Source.MEASURED, Rows.metric(row, Tags.OCCUPANCY_ACHIEVED).source());
        assertEquals(250.0, Rows.value(row, Tags.SHARED_IDEAL));
        assertEquals(Source.COMPUTED, Rows.metric(row, Tags.SHARED_IDEAL).source());
        assertEquals(0.05, Rows.value(row, Tags.SHARED_CONFLICT_CYCLES_SHARE));
        assertEquals(0.75, Rows.value(row, Tags.L2_HIT_RATE));
        assertEquals(0.25, Rows.value(row, Tags.STALL_SHORT_SCOREBOARD));
        assertEquals(
                "GH100 has no counter dram__bytes_read.sum. Other metrics do not need it.",
                Rows.metric(row, Tags.DRAM_READ).reason());
        Map<?, ?> how = (Map<?, ?>) requireNonNull(row.run().get("counters"));
        assertEquals(3L, ((Number) requireNonNull(how.get("passes"))).longValue());
        assertTrue(String.valueOf(how.get("by")).startsWith("CUPTI 13.0"), how::toString);
        assertEquals(0.010, Rows.value(row, Tags.TIME_MEDIAN), 1e-6, "no profiler was there when it was timed");
        assertTrue(ended.out().contains("% achieved"), ended.out());
    }

    /** 35 is CUPTI_ERROR_INSUFFICIENT_PRIVILEGES. The kernels copy with a factor and use no shared memory. */
    @Test
    void theEmulatorCountsWhatThisUserMayNotRead() throws Throwable {
        machine(SLOW + COUNTERS + "counters off\n");
        Session.Ended ended = run("--counters");
        assertEquals(0, ended.code(), ended.out() + ended.err());
        Row row = row("tripled");
        Metric conflicts = Rows.metric(row, Tags.SHARED_CONFLICTS);
        assertEquals(0.0, conflicts.value());
        assertEquals(Source.EMULATED, conflicts.source());
        String reason = String.valueOf(Rows.metric(row, Tags.OCCUPANCY_ACHIEVED).reason());
        for (String words : List.of(
                "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (35)",
                "NVreg_RestrictProfilingToAdminUsers=0",
                "--cap-add=SYS_ADMIN")) {
            assertTrue(reason.contains(words), reason);
        }
        assertTrue(
                row.flags().stream().anyMatch(f -> f.startsWith("counted by the emulator (emu:h100-sxm)")),
                row::toString);
        assertFalse(ended.hasStackTrace(), ended.err());
    }

    /** A stand-in for ncu: runs what it is told to, and tells of one launch with 30 % of the warps. */
    private static final String NCU = """
            #!/bin/sh
            while [ "$1" != --metrics ]; do
              [ "$1" != --log-file ] || report=$2
              [ "$1" != --kernel-name ] || kernel=$2
              shift
            done
            shift 2
            "$@"
            {
              echo "==PROF== Connected to process 1"
              echo '"ID","Kernel Name","sm__cycles_active.sum","sm__warps_active.avg.pct_of_peak_sustained_active"'
              echo '"","","cycle","%"'
              echo "\\"0\\",\\"$kernel\\",\\"1,000\\",\\"30\\""
            } >"$report"
            """;

    @Test
    void aProgramReadsWhatThisUserMayNot() throws Throwable {
        machine(SLOW + COUNTERS + "counters off\n");
        Path ncu = session.file("bin/ncu", NCU);
        assertTrue(ncu.toFile().setExecutable(true));
        session.with("PATH", ncu.getParent() + ":" + System.getenv("PATH"));
        Session.Ended ended = run("--counters", "-b", "mine.doubled");
        assertEquals(0, ended.code(), ended.out() + ended.err());
        Row row = row("doubled");
        assertEquals(0.3, Rows.value(row, Tags.OCCUPANCY_ACHIEVED), 1e-12);
        assertTrue(String.valueOf(row.run().get("counters")).contains("Nsight Compute (" + ncu + ")"), row::toString);
        assertEquals(0.010, Rows.value(row, Tags.TIME_MEDIAN), 1e-6);
    }

    private long locked() throws Throwable {
        return fake.calls("nvmlDeviceSetGpuLockedClocks");
    }

    private long unlocked() throws Throwable {
        return fake.calls("nvmlDeviceResetGpuLockedClocks");
    }

    @Test
    void clocksThatWereHeldAreLetGoHoweverTheRunEnds() throws Throwable {
        machine(SLOW + "fault halved 3 700\n");
        session.with(Nvml.VARIABLE, fake.file());
        Session.Ended ended = run("--lock-clocks", "1200");
        assertEquals(1, ended.code(), ended.out() + ended.err());
        assertEquals(1, locked());
        assertEquals(1, unlocked());
    }

    /** 4 is NVML_ERROR_NO_PERMISSION. */
    @Test
    void clocksThatCannotBeHeldEndTheRunBeforeItBegins() throws Throwable {
        machine(SLOW + "fail nvmlDeviceSetGpuLockedClocks 1 4\n");
        session.with(Nvml.VARIABLE, fake.file());
        Session.Ended ended = run("--lock-clocks", "1200");
        assertEquals(3, ended.code(), ended.out() + ended.err());
        assertTrue(ended.err().contains("--lock-clocks: the clock of cuda:0 cannot be held"), ended.err());
        assertTrue(ended.err().contains("NVML_ERROR_NO_PERMISSION"), ended.err());
        assertFalse(ended.hasStackTrace(), ended.err());
        Session.Ended other = session.run("run", "-d", "emu:h100-sxm", "-b", "ceiling.flops", "--lock-clocks", "1200");
        assertEquals(3, other.code());
        assertTrue(other.err().contains("name GPUs with --devices"), other.err());
        assertEquals(2, session.run("run", "--lock-clocks", "0").code());
    }

    @Test
    void clocksThatCannotBeLetGoAreNamed() throws Throwable {
        machine(SLOW + "fail nvmlDeviceResetGpuLockedClocks 1 999\n");
        session.with(Nvml.VARIABLE, fake.file());
        Session.Ended ended = run("--lock-clocks", "1200");
        assertTrue(ended.err().contains("the clock of cuda:0 may still be held"), ended.err());
        assertTrue(ended.err().contains("nvidia-smi --reset-gpu-clocks"), ended.err());
        assertFalse(ended.hasStackTrace(), ended.err());
        assertEquals(Status.OK, row("doubled").status());
    }
}
