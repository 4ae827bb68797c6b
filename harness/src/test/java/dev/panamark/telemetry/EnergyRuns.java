package dev.panamark.telemetry;

import dev.panamark.result.Metric;
import dev.panamark.result.Source;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs with figures that are easy to check. */
public final class EnergyRuns {
    private EnergyRuns() {}

    /** A meter of so many joules in 2.5 s, give or take {@code half}. */
    public static MeterEnergy meter(
            String id, String scope, @Nullable String overlap, double joules, double half, double seconds) {
        return new MeterEnergy(
                id,
                "cpu:0",
                null,
                "powercap",
                "/sys/class/powercap/" + id,
                scope,
                "energy counter",
                overlap,
                Metric.value(joules, "J", Source.MEASURED).withCi95(joules - half, joules + half),
                Metric.value(joules / seconds, "W", Source.MEASURED)
                        .withCi95((joules - half) / seconds, (joules + half) / seconds),
                1e-3,
                "unknown (RAPL states no accuracy)");
    }

    private static MeterEnergy board(@Nullable Double joules, String reason) {
        return new MeterEnergy(
                "nvml:0",
                "cuda:0",
                "GPU-0123",
                "nvml",
                "nvmlDeviceGetTotalEnergyConsumption",
                "gpu",
                "energy counter",
                null,
                joules == null ? Metric.missing("J", reason) : Metric.value(joules, "J", Source.MEASURED),
                joules == null ? Metric.missing("W", reason) : Metric.value(joules / 2.5, "W", Source.MEASURED),
                joules == null ? null : 0.1,
                "up to 5 % (made up)");
    }

    private static EnergyRun run(@Nullable List<String> command, @Nullable Integer exit, List<MeterEnergy> meters) {
        LinkedHashMap<String, Object> host = new LinkedHashMap<>();
        host.put("panamark", "0.1.0");
        host.put("processors", 64);
        return new EnergyRun(
                List.of("energy", "--", "make", "-j8"),
                host,
                Instant.parse("2026-01-31T12:00:00Z"),
                command,
                exit,
                2.5,
                meters,
                meters.isEmpty()
                        ? List.of(new EnergyRun.Absent(
                                List.of("/sys/class/powercap is not there"), "Load the \"driver\"\\module."))
                        : List.of());
    }

    /** Two packages of 40 and 60 W with memory, and cores that are part of one: 275 J in all. */
    public static EnergyRun server() {
        return run(
                List.of("make", "-j8"),
                0,
                List.of(
                        meter("rapl:package-0", "package", null, 100, 0.25, 2.5),
                        meter("rapl:package-0/core", "cores", "part of rapl:package-0", 75, 0.25, 2.5),
                        meter("rapl:package-0/dram", "memory", null, 25, 0.1, 2.5),
                        meter("rapl:package-1", "package", null, 150, 0.25, 2.5)));
    }

    /** A package and a board whose counter stood still. */
    public static EnergyRun partly() {
        return run(
                List.of("make"),
                2,
                List.of(
                        meter("rapl:package-0", "package", null, 100, 0.25, 2.5),
                        board(null, "the counter is stuck: it stayed at 5 J for 2.5 s")));
    }

    /** A stretch of time without meters. */
    public static EnergyRun nothing() {
        return run(null, null, List.of());
    }

    /** A board whose interval is not known. */
    public static EnergyRun unbounded() {
        return run(null, null, List.of(board(500.0, "")));
    }
}
