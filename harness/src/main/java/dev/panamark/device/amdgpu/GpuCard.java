package dev.panamark.device.amdgpu;

import dev.panamark.device.DeviceInfo;
import dev.panamark.device.MeterInfo;
import dev.panamark.device.MeterInfo.Quantity;
import dev.panamark.device.MeterInfo.Scope;
import dev.panamark.device.TextFiles;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.SequencedMap;
import java.util.Set;
import java.util.StringJoiner;

/**
 * An AMD GPU as the kernel shows it.
 *
 * @param index in the order of the PCI bus
 * @param folder {@code /sys/class/drm/card0/device}
 * @param address on the bus, {@code 0000:c1:00.0}
 * @param deviceId {@code 0x74a1}
 * @param name of the product where the board tells it, otherwise made of the device's id
 * @param uuid as HIP writes it, {@code GPU-} and 16 hexadecimal digits of the file unique_id; without that file made of the
 *     address
 * @param compute how it is divided ({@code SPX}: not at all); empty where it cannot be
 */
record GpuCard(
        int index, Path folder, String address, String deviceId, String name, String uuid, Optional<String> compute) {
    /** MI250X and MI250: two dies in a package, each a GPU of its own (ids of the driver, amdgpu_drv.c). */
    private static final Set<String> OF_TWO_DIES = Set.of("0x7408", "0x740c");

    private static final String UNDIVIDED = "SPX";
    private static final int ID_DIGITS = 16;

    /** A count of energy_accumulator: 2<sup>-16</sup> J (kgd_pp_interface.h), 15.259 uJ. */
    private static final double COUNT = 0x1p-16;

    private static final String GAIN = "AMD states none";

    /** What is told of the GPU in this folder. */
    static GpuCard of(int index, Path folder, String address) {
        String deviceId = TextFiles.word(folder.resolve("device")).orElse("of unknown id");
        return new GpuCard(
                index,
                folder,
                address,
                deviceId,
                TextFiles.word(folder.resolve("product_name")).orElse("AMD GPU " + deviceId),
                TextFiles.word(folder.resolve("unique_id"))
                        .map(id -> "GPU-" + "0".repeat(Math.max(0, ID_DIGITS - id.length())) + id)
                        .orElse("pci-" + address),
                TextFiles.word(folder.resolve("current_compute_partition")));
    }

    boolean isOfTwoDies() {
        return OF_TWO_DIES.contains(deviceId);
    }

    /** Power and energy are those of the package, whoever uses a part of it. */
    Scope scope() {
        return isOfTwoDies() || compute.filter(mode -> !mode.equals(UNDIVIDED)).isPresent()
                ? Scope.WHOLE_DEVICE
                : Scope.SOCKET;
    }

    /** Whether a device of HIP is this GPU, and not a part of it. */
    boolean is(DeviceInfo device) {
        return scope() != Scope.WHOLE_DEVICE
                && (device.uuid().equals(uuid) || address.equals(device.facts().get("pci")));
    }

    /** Of the energy counter. */
    String counterId() {
        return String.format(Locale.ROOT, "amdgpu:%d", index);
    }

    /** Of the sensor of power. */
    String sensorId() {
        return counterId() + "/power";
    }

    /** Its name and its place on the bus. */
    String place() {
        return name + " at " + address;
    }

    /** The folder of its sensors. */
    Optional<Path> sensors() {
        Path hwmon = folder.resolve("hwmon");
        return TextFiles.names(hwmon, "hwmon\\d+").stream()
                .map(hwmon::resolve)
                .filter(f -> TextFiles.word(f.resolve("name")).equals(Optional.of("amdgpu")))
                .findFirst();
    }

    /**
     * Of the energy counter.
     *
     * @param where it is read
     */
    MeterInfo counter(String where) {
        return info(counterId(), where, Quantity.ENERGY, COUNT, 0, Optional.empty());
    }

    /**
     * Of the sensor of power.
     *
     * @param where it is read
     * @param unit W for one count
     * @param averaging s that a reading is the mean over
     * @param beside whether the counter is there as well
     */
    MeterInfo sensor(String where, double unit, double averaging, boolean beside) {
        return info(
                sensorId(),
                where,
                Quantity.POWER,
                unit,
                averaging,
                beside
                        ? Optional.of("the joules of " + counterId() + " by its sensor of power, to compare with")
                        : Optional.empty());
    }

    private MeterInfo info(
            String id, String where, Quantity quantity, double unit, double averaging, Optional<String> overlap) {
        return new MeterInfo(
                id,
                String.format(Locale.ROOT, "amd:%d", index),
                Optional.of(uuid),
                "amdgpu",
                where + " of " + place(),
                scope(),
                quantity,
                unit,
                OptionalLong.empty(),
                averaging,
                overlap,
                OptionalDouble.empty(),
                GAIN);
    }

    /** Its limit of power, its temperatures and how it is divided, each where it is told. */
    SequencedMap<String, String> facts() {
        SequencedMap<String, String> facts = new LinkedHashMap<>();
        sensors().ifPresent(sensors -> {
            TextFiles.number(sensors.resolve("power1_cap"))
                    .ifPresent(cap -> facts.put("power_limit", String.format(Locale.ROOT, "%.4g W", cap * 1e-6)));
            StringJoiner temperatures = new StringJoiner(", ");
            for (String file : TextFiles.names(sensors, "temp\\d+_label")) {
                OptionalLong reading = TextFiles.number(sensors.resolve(file.replace("_label", "_input")));
                TextFiles.word(sensors.resolve(file))
                        .filter(_ -> reading.isPresent())
                        .ifPresent(label -> temperatures.add(
                                String.format(Locale.ROOT, "%s %.1f \u00b0C", label, reading.getAsLong() * 1e-3)));
            }
            if (temperatures.length() > 0) {
                facts.put("temperature", temperatures.toString());
            }
        });
        for (String mode : List.of("compute", "memory")) {
            TextFiles.word(folder.resolve("current_" + mode + "_partition"))
                    .ifPresent(text -> facts.put(mode + "_partition", text));
        }
        return facts;
    }
}
