package dev.panamark.device.cpu;

import dev.panamark.device.MeterInfo;
import dev.panamark.device.MeterInfo.Scope;
import dev.panamark.device.TextFiles;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A power zone of the kernel's powercap framework (Documentation/power/powercap/powercap.rst), of one of the control
 * types {@code intel-rapl} (processors of Intel and AMD) and {@code intel-rapl-mmio} (the same counters by another
 * road).
 *
 * @param folder of the zone
 * @param zone the folder's name: {@code intel-rapl:0:1}
 * @param name what it is for: {@code package-0}, {@code package-0-die-1}, {@code core}, {@code uncore}, {@code dram},
 *     {@code psys}
 * @param parent the zone that it is in; null at the top
 */
record RaplZone(
        Path folder, String zone, String name, @Nullable RaplZone parent) {
    /** One count of energy_uj. */
    private static final double MICROJOULE = 1e-6;

    /** The control type: the part of the zone's name before the first colon. */
    String control() {
        return zone.substring(0, zone.indexOf(':'));
    }

    /** The same for zones that count the same joules, whatever their control type. */
    String subject() {
        return parent == null ? name : parent.subject() + "/" + name;
    }

    Path counter() {
        return folder.resolve("energy_uj");
    }

    Scope scope() {
        if (name.startsWith("package-")) {
            return Scope.PACKAGE;
        }
        return switch (name) {
            case "core" -> Scope.CORES;
            case "uncore" -> Scope.UNCORE;
            case "dram" -> Scope.MEMORY;
            case "psys" -> Scope.PLATFORM;
            default -> Scope.OTHER;
        };
    }

    MeterInfo info() {
        OptionalLong range = TextFiles.number(folder.resolve("max_energy_range_uj"));
        return new MeterInfo(
                "rapl:" + subject(),
                scope() == Scope.PLATFORM ? "host" : "cpu:0",
                Optional.empty(),
                "powercap",
                counter().toString(),
                scope(),
                MeterInfo.Quantity.ENERGY,
                MICROJOULE,
                range.isPresent() && range.getAsLong() > 0 ? range : OptionalLong.empty(),
                0,
                overlap(),
                OptionalDouble.empty(),
                "RAPL states no accuracy");
    }

    private Optional<String> overlap() {
        return switch (scope()) {
            case PACKAGE, MEMORY -> Optional.empty();
            case PLATFORM -> Optional.of("contains packages and memory");
            case CORES, UNCORE ->
                parent == null ? Optional.of("part of a package") : Optional.of("part of rapl:" + parent.subject());
            default -> Optional.of("what '" + name + "' contains is not known");
        };
    }
}
