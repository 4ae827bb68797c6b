package dev.panamark.fake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.panamark.device.Device;
import dev.panamark.device.Hold;
import dev.panamark.device.Watch;
import dev.panamark.kernel.Catalogue;
import dev.panamark.measure.Effort;
import dev.panamark.measure.Mode;
import dev.panamark.result.Metric;
import dev.panamark.result.Row;
import dev.panamark.result.Rows;
import dev.panamark.result.Source;
import dev.panamark.result.Status;
import dev.panamark.result.Tags;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What rows say of the state of their GPU: clocks, heat, power limits, other processes. The bits are those of nvml.h. */
class DeviceStateTest {
    /** Launches of a second, so that sampling one of them takes in every moment of the episode. */
    private static final String H100 = """
            device h100-sxm
            call 1000
            duration * 1000000000
            duration panamark_empty 1000
            clocks 1755 2619
            temperature 71
            """;

    private static final long ALWAYS = Long.MAX_VALUE / 2;

    private static Row row(String more) throws Throwable {
        try (FakeRows rows = new FakeRows(FakeCuda.load());
                Device device = rows.open(H100 + more)) {
            Catalogue catalogue = Catalogue.builtin(FakeRows.CACHE);
            return rows.row(
                    device,
                    catalogue,
                    rows.request(
                            catalogue,
                            Mode.HOT,
                            new Effort(1, 0, 1, 0.01),
                            "quant.fp8.dequantize",
                            "rows=8",
                            "cols=256",
                            "heads=2"));
        }
    }

    private static String throttle(long mask) {
        return "throttle 0 " + ALWAYS + " " + mask + "\n";
    }

    @Test
    void aQuietDeviceGivesNoReasons() throws Throwable {
        Row row = row("");
        assertEquals(Status.OK, row.status(), row::reason);
        Metric reasons = Rows.metric(row, Tags.THROTTLE_REASONS);
        assertEquals(0.0, reasons.value());
        assertEquals(Source.MEASURED, reasons.source());
        assertEquals(71.0, reasons.detail().get("hottest_celsius"));
        assertTrue(Rows.value(row, Tags.CLOCK_SM) > 0, row::toString);
        assertTrue(row.flags().stream().noneMatch(f -> f.contains("clocks") || f.contains("processes")), row::toString);
    }

    /** 0x4 is the power cap: the device as it is under load. 0x1 is idleness, 0x2 a clock that somebody chose. */
    @Test
    void aPowerCapIsTold() throws Throwable {
        Row row = row(throttle(0x7));
        assertEquals(Status.OK, row.status(), row::reason);
        Metric reasons = Rows.metric(row, Tags.THROTTLE_REASONS);
        assertEquals(1.0, reasons.value());
        assertEquals("sw_power_cap", reasons.note());
        assertEquals(Map.of("sw_power_cap", reasons.n()), reasons.detail().get("looks"));
        assertTrue(
                row.flags()
                        .contains("clocks were lowered while sampling: sw_power_cap in " + reasons.n() + " of "
                                + reasons.n() + " looks"),
                row::toString);
    }

    /** 0x40 is the hardware's slowdown for heat. */
    @Test
    void aHotDeviceIsUnstable() throws Throwable {
        Row row = row(throttle(0x44));
        assertEquals(Status.UNSTABLE, row.status());
        String reason = String.valueOf(row.reason());
        assertTrue(reason.contains("slowed down while it was sampled: hw_thermal_slowdown in "), reason);
        assertTrue(reason.contains("at up to 71 degrees"), reason);
        assertFalse(reason.contains("sw_power_cap"), reason);
        assertTrue(Rows.value(row, Tags.TIME_MEDIAN) > 0, "what was measured stays");
    }

    /** Status 3 of NVML: not supported. */
    @Test
    void reasonsThatAreNotToldAreMissing() throws Throwable {
        Row row = row("fail nvmlDeviceGetCurrentClocksEventReasons 1+ 3\n");
        assertEquals(Status.OK, row.status(), row::reason);
        Metric reasons = Rows.metric(row, Tags.THROTTLE_REASONS);
        assertNull(reasons.value());
        assertTrue(
                String.valueOf(reasons.reason()).contains("nvmlDeviceGetCurrentClocksEventReasons"), reasons::toString);
    }

    @Test
    void otherProcessesAreNamed() throws Throwable {
        Row row = row("process 4711 2147483648\nprocess 4712 1048576\n");
        assertEquals(Status.OK, row.status(), row::reason);
        assertTrue(
                row.flags().stream().anyMatch(f -> f.endsWith("time and power: 4711 (2048 MiB), 4712 (1 MiB)")),
                row::toString);
    }

    @Test
    void settingsAreFactsOfTheDevice() throws Throwable {
        try (FakeRows rows = new FakeRows(FakeCuda.load())) {
            Map<String, Object> facts = rows.discover(H100 + "limit 200 700 650\nmode persistence on\n")
                    .getFirst()
                    .orElseThrow(IllegalStateException::new)
                    .info()
                    .facts();
            assertEquals(650.0, facts.get("power_limit_w"));
            assertEquals(List.of(200.0, 700.0), facts.get("power_limits_w"));
            assertEquals(true, facts.get("persistence_mode"));
            assertEquals(false, facts.get("mig"));
        }
    }

    @Test
    void lookingAllocatesNothing() throws Throwable {
        try (FakeRows rows = new FakeRows(FakeCuda.load());
                Device device = rows.open(H100 + throttle(0x44));
                Hold hold = device.hold()) {
            Watch watch = hold.watch();
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            int looks = 20_000;
            for (int i = 0; i < looks; i++) {
                watch.look();
            }
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < looks; i++) {
                watch.look();
            }
            long each = (threads.getCurrentThreadAllocatedBytes() - before) / looks;
            assertEquals(0, each, "bytes a look");
        }
    }
}
