package dev.panamark.device.amdgpu;

import dev.panamark.device.DeviceException;
import dev.panamark.device.MeterProvider;
import dev.panamark.device.NumberFile;
import dev.panamark.device.PowerMeter;
import dev.panamark.driver.rocmsmi.RocmSmi;
import dev.panamark.ffi.Availability;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The energy counter of each AMD GPU, and its sensor of power beside it: the two are compared, and where a GPU has no counter,
 * the sensor is what there is. Both are files of the kernel's driver. ROCm SMI reads the same ones and, by its version, ends
 * the process where it does not know what is in them; so it is asked only for what is not known here, and not before its
 * version and the file's were looked at.
 */
public final class AmdgpuProvider implements MeterProvider {
    private static final Path SYSTEM = Path.of("/sys");
    private static final double MICROWATT = 1e-6;

    /** AMD does not say over how long: a second, which is longer than what others average over. */
    private static final double LONGEST_AVERAGE = 1;

    /** What a second die shows, and a GPU without a sensor. */
    private static final String NOTHING = " shows 0 ";

    /** Some GPUs show 0 at the first reading. */
    private static final int TRIES = 2;

    private final Map<String, String> env;
    private final Path sys;

    /**
     * A provider.
     *
     * @param env environment, which may name another library
     * @param sys usually {@code /sys}; the library looks nowhere else, so with another it is not asked
     */
    public AmdgpuProvider(Map<String, String> env, Path sys) {
        this.env = Map.copyOf(env);
        this.sys = sys;
    }

    @Override
    public String source() {
        return "amdgpu";
    }

    @Override
    public String backend() {
        return "hip";
    }

    /** Without an AMD GPU there is nothing to say, but where its driver is loaded or its library was named. */
    @Override
    public List<Availability<PowerMeter>> discover() {
        Path drm = sys.resolve("class").resolve("drm");
        Cards cards = Cards.in(drm);
        List<Availability<PowerMeter>> all = new ArrayList<>();
        cards.gpus().forEach(gpu -> addTo(all, gpu));
        if (!cards.partitions().isEmpty()) {
            all.add(Availability.missing(
                    String.join(", ", cards.partitions())
                            + ": partitions of a GPU other than its first have no sensors of their own",
                    "The meters of amdgpu:N are those of whole GPUs; measure undivided ones (rocm-smi --setcomputepartition"
                            + " SPX) to know what one kernel takes."));
        }
        if (cards.gpus().isEmpty() && isExpected()) {
            all.add(Availability.missing(
                    drm + " shows no AMD GPU",
                    "Check that the kernel's driver has taken it (dmesg, modprobe amdgpu)."));
        }
        return all;
    }

    private boolean isExpected() {
        return !env.getOrDefault(RocmSmi.VARIABLE, "").isBlank() || Files.isDirectory(sys.resolve("module/amdgpu"));
    }

    /** The counter, the sensor of power, and why one of them is not there. */
    private void addTo(List<Availability<PowerMeter>> all, GpuCard gpu) {
        List<String> reasons = new ArrayList<>();
        Optional<PowerMeter> counter = counter(gpu, reasons);
        Optional<PowerMeter> sensor = sensor(gpu, counter.isPresent(), reasons);
        counter.ifPresent(c -> all.add(Availability.of(c)));
        sensor.ifPresent(s -> all.add(Availability.of(s)));
        boolean carried = gpu.isOfTwoDies() && reasons.stream().anyMatch(r -> r.contains(NOTHING));
        if (counter.isEmpty() && sensor.isEmpty() && carried) {
            all.add(new Availability.Unavailable<>(
                    reasons,
                    "Of the two dies in a package of " + gpu.name()
                            + " the first carries the power and energy of both: take the meters of that one."));
        } else if (counter.isEmpty() || sensor.isEmpty()) {
            all.add(new Availability.Unavailable<>(reasons, remedy(counter.isPresent(), sensor.isPresent())));
        }
    }

    private static String remedy(boolean counter, boolean sensor) {
        if (counter) {
            return "Its counter is metered, and cannot be compared with it.";
        }
        return sensor
                ? "Its power is integrated instead; a newer driver may tell its energy."
                : "Energy of this GPU cannot be metered: check that rocm-smi shows its power, and that this user may read"
                        + " these files.";
    }

    private Optional<PowerMeter> counter(GpuCard gpu, List<String> reasons) {
        Path path = gpu.folder().resolve("gpu_metrics");
        try {
            MetricsFile file = new MetricsFile(path);
            return switch (file.layout()) {
                case Availability.Available<MetricsLayout>(MetricsLayout layout) ->
                    counter(
                            gpu,
                            path + " (revision " + layout.revision() + ")",
                            () -> file.energy(layout),
                            file::close,
                            reasons);
                case Availability.Unavailable<MetricsLayout> unknown -> {
                    file.close();
                    reasons.add(gpu.counterId() + ": " + String.join("; ", unknown.reasons()));
                    yield byLibrary(gpu, reasons);
                }
            };
        } catch (IOException | DeviceException e) {
            reasons.add(gpu.counterId() + ": " + words(path, e));
            return Optional.empty();
        }
    }

    private Optional<PowerMeter> byLibrary(GpuCard gpu, List<String> reasons) {
        if (!sys.equals(SYSTEM)) {
            return Optional.empty();
        }
        try {
            LibraryCounter library = LibraryCounter.open(env, gpu.address());
            return counter(
                    gpu, "rsmi_dev_energy_count_get (" + library.file() + ")", library::read, library::close, reasons);
        } catch (DeviceException e) {
            reasons.add(gpu.counterId() + " by ROCm SMI: " + e.getMessage());
            return Optional.empty();
        }
    }

    /** Read once: a GPU that has used no energy at all has no counter. */
    private static Optional<PowerMeter> counter(
            GpuCard gpu, String where, LongSupplier reading, Runnable closing, List<String> reasons) {
        return checked(
                new AmdgpuMeter(gpu, gpu.counter(where), null, reading, closing),
                gpu.counterId() + ": " + where + " of " + gpu.place() + NOTHING + "J",
                reasons);
    }

    /** The first that answers: as quick as there is one. */
    private Optional<PowerMeter> sensor(GpuCard gpu, boolean beside, List<String> reasons) {
        Optional<Path> sensors = gpu.sensors();
        if (sensors.isEmpty()) {
            reasons.add(gpu.sensorId() + ": " + gpu.folder() + " has no hwmon named amdgpu");
        } else {
            for (Sensor way : List.of(
                    new Sensor("power1_input", "current socket power", 0),
                    new Sensor("power1_average", "average socket power", LONGEST_AVERAGE))) {
                Optional<PowerMeter> found = sensor(gpu, sensors.get().resolve(way.file), way, beside, reasons);
                if (found.isPresent()) {
                    return found;
                }
            }
        }
        return metricsPower(gpu, beside, reasons);
    }

    private static Optional<PowerMeter> sensor(
            GpuCard gpu, Path path, Sensor way, boolean beside, List<String> reasons) {
        try {
            NumberFile file = new NumberFile(path, "microwatts");
            return sensor(
                    gpu,
                    path + " (" + way.meaning + ")",
                    MICROWATT,
                    way.averaging,
                    beside,
                    file::read,
                    file::close,
                    reasons);
        } catch (IOException e) {
            reasons.add(gpu.sensorId() + ": " + words(path, e));
            return Optional.empty();
        }
    }

    private static Optional<PowerMeter> metricsPower(GpuCard gpu, boolean beside, List<String> reasons) {
        Path path = gpu.folder().resolve("gpu_metrics");
        try {
            MetricsFile file = new MetricsFile(path);
            if (file.layout() instanceof Availability.Available<MetricsLayout>(MetricsLayout layout)) {
                return sensor(
                        gpu,
                        path + (layout.isAveraged() ? " (average" : " (current") + " socket power)",
                        1,
                        layout.isAveraged() ? LONGEST_AVERAGE : 0,
                        beside,
                        () -> file.power(layout),
                        file::close,
                        reasons);
            }
            file.close();
        } catch (IOException | DeviceException e) {
            reasons.add(gpu.sensorId() + ": " + words(path, e));
        }
        return Optional.empty();
    }

    private static Optional<PowerMeter> sensor(
            GpuCard gpu,
            String where,
            double unit,
            double averaging,
            boolean beside,
            LongSupplier reading,
            Runnable closing,
            List<String> reasons) {
        @Nullable String checks = beside ? gpu.counterId() : null;
        return checked(
                new AmdgpuMeter(gpu, gpu.sensor(where, unit, averaging, beside), checks, reading, closing),
                gpu.sensorId() + ": " + where + " of " + gpu.place() + NOTHING + "W",
                reasons);
    }

    private static Optional<PowerMeter> checked(PowerMeter meter, String zero, List<String> reasons) {
        try {
            for (int i = 0; i < TRIES; i++) {
                if (meter.read() != 0) {
                    return Optional.of(meter);
                }
            }
            reasons.add(zero);
        } catch (DeviceException e) {
            reasons.add(meter.info().id() + ": " + e.getMessage());
        }
        meter.close();
        return Optional.empty();
    }

    private static String words(Path path, Exception e) {
        return switch (e) {
            case NoSuchFileException _ -> path + " is not there";
            case AccessDeniedException _ -> "no permission to read " + path;
            default -> String.valueOf(e.getMessage());
        };
    }

    /**
     * A way to read power.
     *
     * @param file in the folder of sensors
     * @param meaning of its figure
     * @param averaging s that it is the mean over
     */
    private record Sensor(String file, String meaning, double averaging) {}
}
