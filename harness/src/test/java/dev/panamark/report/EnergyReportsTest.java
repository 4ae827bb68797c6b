package dev.panamark.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.telemetry.EnergyRun;
import dev.panamark.telemetry.EnergyRuns;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EnergyReportsTest {
    private static String table(EnergyRun run, int width) {
        return EnergyTable.render(run, width, false);
    }

    /** 0.6 of 275 J are 0.22 %; 275 J in 2.5 s are 110 W. */
    @Test
    void theTableHasALineForEachMeterAndTheTotalBelowThoseThatMakeIt() {
        String text = table(EnergyRuns.server(), 120);
        List<String> lines = text.lines().toList();
        assertEquals("make -j8 · exit 0 · 2.50 s", lines.get(0));
        assertEquals("meter                 scope         J   ± %      W  updates each", lines.get(1));
        assertEquals("rapl:package-0        package  100.00  0.25  40.00      1.000 ms", lines.get(3));
        assertEquals("rapl:package-0/dram   memory   25.000  0.40  10.00      1.000 ms", lines.get(4));
        assertEquals("rapl:package-1        package  150.00  0.17  60.00      1.000 ms", lines.get(5));
        assertEquals("total                          275.00  0.22  110.0", lines.get(6));
        assertEquals("rapl:package-0/core¹  cores    75.000  0.33  30.00      1.000 ms", lines.get(7));
        assertTrue(text.contains("¹ part of rapl:package-0, so in no total"), text);
        assertTrue(text.contains("The sensors' own error is apart: unknown (RAPL states no accuracy)."), text);
    }

    @ParameterizedTest
    @ValueSource(ints = {60, 80, 120})
    void noLineIsWiderThanTheTerminal(int width) {
        for (EnergyRun run : List.of(EnergyRuns.server(), EnergyRuns.partly(), EnergyRuns.nothing())) {
            table(run, width).lines().forEach(l -> assertTrue(Text.width(l) <= width, l));
        }
    }

    @Test
    void aNarrowTableGoesWithoutUpdatePeriods() {
        assertFalse(table(EnergyRuns.server(), 60).contains("updates each"));
        assertTrue(table(EnergyRuns.server(), 60).contains("275.00  0.22  110.0"));
    }

    @Test
    void whatIsMissingHasAReason() {
        String text = table(EnergyRuns.partly(), 120);
        assertTrue(text.contains("nvml:0          gpu          –¹"), text);
        assertTrue(text.contains("¹ the counter is stuck: it stayed at 5 J for 2.5 s"), text);
        assertTrue(text.contains("² nvml:0: the counter is stuck: it stayed at 5 J for 2.5 s"), text);
        String none = table(EnergyRuns.nothing(), 120);
        assertEquals("2.50 s\n  No energy: /sys/class/powercap is not there. Load the \"driver\"\\module.\n", none);
        assertTrue(
                table(EnergyRuns.unbounded(), 120).contains("nvml:0  gpu    500.00    –  200.0"),
                () -> table(EnergyRuns.unbounded(), 120));
    }

    @Test
    void csvHasARecordForEachMeterAndTheTotal() {
        List<String> lines = EnergyCsv.render(EnergyRuns.server()).lines().toList();
        assertEquals(6, lines.size());
        assertTrue(
                lines.get(1)
                        .startsWith(
                                "rapl:package-0,cpu:0,,package,powercap,energy counter,true,2.5,100.0,99.75,100.25,40.0,39.9,40.1,0.001,"));
        assertTrue(lines.get(4).startsWith("rapl:package-0/core,cpu:0,,cores,powercap,energy counter,false,2.5,75.0,"));
        assertTrue(lines.get(5).startsWith("total,,,,,,,2.5,275.0,274.4,275.6,110.0,"), lines.get(5));
        List<String> partly = EnergyCsv.render(EnergyRuns.partly()).lines().toList();
        assertTrue(
                partly.get(2)
                        .endsWith(",2.5,,,,,,,,up to 5 % (made up),"
                                + "the counter is stuck: it stayed at 5 J for 2.5 s,"),
                partly.get(2));
        int fields = lines.getFirst().split(",", -1).length;
        lines.forEach(l -> assertEquals(fields, l.split(",", -1).length, l));
    }

    @Test
    void aSampleSaysWhenAndHowMuch() {
        assertEquals(
                "2026-01-31T12:00:00.250Z,m,0.150000,0.250000,4.0,40.0\r\n",
                EnergyCsv.sample(Instant.parse("2026-01-31T12:00:00Z"), "m", 0.15, 0.25, 4)
                        .replace("40.00000000000001", "40.0"));
        assertEquals(
                EnergyCsv.samplesHeader().split(",", -1).length,
                EnergyCsv.sample(Instant.EPOCH, "m", 0, 1, 2).split(",", -1).length);
    }

    @Test
    void openMetricsIsStrictlyThat() {
        List<OpenMetricsText.Sample> samples = OpenMetricsText.parse(EnergyOpenMetrics.render(EnergyRuns.server()));
        double total = samples.stream()
                .filter(s -> s.name().equals("panamark_energy_joules_total"))
                .filter(s -> "true".equals(s.labels().get("in_total")))
                .mapToDouble(OpenMetricsText.Sample::value)
                .sum();
        assertEquals(275, total);
        assertEquals(
                4,
                samples.stream()
                        .filter(s -> s.name().equals("panamark_power_watts"))
                        .count());
        assertTrue(samples.stream().anyMatch(s -> s.name().equals("panamark_run_exit_status") && s.value() == 0));
        assertTrue(
                samples.stream().anyMatch(s -> s.name().equals("panamark_run_duration_seconds") && s.value() == 2.5));
    }

    @Test
    void openMetricsHasNoNumberWhereThereIsNone() {
        List<OpenMetricsText.Sample> samples = OpenMetricsText.parse(EnergyOpenMetrics.render(EnergyRuns.partly()));
        assertFalse(samples.stream()
                .anyMatch(s -> s.name().startsWith("panamark_energy")
                        && "nvml:0".equals(s.labels().get("meter"))));
        OpenMetricsText.Sample missing = samples.stream()
                .filter(s -> s.name().equals("panamark_meter_missing_info"))
                .findFirst()
                .orElseThrow();
        assertEquals("GPU-0123", missing.labels().get("uuid"));
        assertEquals(
                "the counter is stuck: it stayed at 5 J for 2.5 s",
                missing.labels().get("reason"));
        List<OpenMetricsText.Sample> none = OpenMetricsText.parse(EnergyOpenMetrics.render(EnergyRuns.nothing()));
        assertEquals(
                "/sys/class/powercap is not there. Load the \"driver\"\\module.",
                none.getFirst().labels().get("reason"),
                "quotes and backslashes survive");
        assertFalse(none.stream().anyMatch(s -> s.name().equals("panamark_run_exit_status")));
    }

    /** A reader that takes anything would prove nothing. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "# TYPE a gauge\na 1\n",
                "# TYPE a gauge\n\na 1\n# EOF\n",
                "# TYPE a gauge\na 1\n# EOF",
                "a 1\n# EOF\n",
                "# TYPE a counter\na 1\n# EOF\n",
                "# TYPE a counter\na_total -1\n# EOF\n",
                "# TYPE a gauge\n# UNIT a joules\n# EOF\n",
                "# TYPE a gauge\na 1\na 1\n# EOF\n",
                "# TYPE a gauge\na{b=\"c} 1\n# EOF\n",
                "# TYPE a gauge\na{b=\"\\x\"} 1\n# EOF\n",
                "# TYPE a gauge\na{b=\"c\",} 1\n# EOF\n",
                "# TYPE a gauge\na{b=\"c\",b=\"d\"} 1\n# EOF\n",
                "# TYPE a gauge\na one\n# EOF\n",
                "# TYPE a gauge\n# TYPE b gauge\nb 1\n# TYPE a gauge\n# EOF\n",
                "# TYPE a info\na_info 2\n# EOF\n",
                "# a remark\n# EOF\n"
            })
    void theReaderOfThisTestIsStrict(String text) {
        assertThrows(IllegalArgumentException.class, () -> OpenMetricsText.parse(text));
    }
}
