package dev.panamark.device.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** Reports in the shape that the manual of Nsight Compute gives them (command line, "CSV output", raw page). */
class NsightReportTest {
    private static final String TWO_LAUNCHES = """
            ==PROF== Connected to process 4711 (/usr/lib/jvm/java/bin/java)
            ==PROF== Profiling "split" - 0: 0%....50%....100% - 13 passes
            ==WARNING== Unable to collect smsp__warps_issue_stalled_gmma.sum
            "ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC",\
            "dram__bytes_read.sum","sm__cycles_active.sum","sm__warps_active.avg.pct_of_peak_sustained_active"
            "","","","","","","","","","","","byte","cycle","%"
            "0","4711","java","127.0.0.1","split(float*, int)","1","7","(128, 1, 1)","(8, 1, 1)","0","9.0","1,048,576","3,000","50.5"
            "1","4711","java","127.0.0.1","merge","1","7","(128, 1, 1)","(8, 1, 1)","0","9.0","1,024","1,000","10.5"
            """;

    /** (3000 * 50.5 + 1000 * 10.5) / 4000 is 40.5. */
    @Test
    void launchesAreAddedAndPercentagesWeightedWithTheirCycles() {
        NsightReport report = NsightReport.parse(TWO_LAUNCHES);
        assertEquals(2, report.launches());
        assertEquals(
                Map.of(
                        HardwareCounter.DRAM_READ,
                        1_049_600.0,
                        HardwareCounter.CYCLES_ACTIVE,
                        4000.0,
                        HardwareCounter.WARPS_ACTIVE_PERCENT,
                        40.5),
                report.counters());
        assertEquals("Unable to collect smsp__warps_issue_stalled_gmma.sum", report.words());
    }

    @Test
    void whatOneLaunchLacksIsLeftOut() {
        NsightReport report = NsightReport.parse(TWO_LAUNCHES.replace("\"1,024\"", "\"n/a\""));
        assertEquals(2, report.launches());
        assertTrue(!report.counters().containsKey(HardwareCounter.DRAM_READ), report::toString);
    }

    @Test
    void withoutATableThereIsWhatItSays() {
        NsightReport report = NsightReport.parse("""
                ==PROF== Connected to process 4711 (/usr/lib/jvm/java/bin/java)
                ==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters
                ==WARNING== No kernels were profiled.
                """);
        assertEquals(0, report.launches());
        assertEquals(
                "ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters;"
                        + " No kernels were profiled.",
                report.words());
        assertEquals(0, NsightReport.parse("").launches());
    }
}
