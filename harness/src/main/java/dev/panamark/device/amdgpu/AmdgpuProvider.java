package dev.panamark.device.amdgpu;

import dev.panamark.device.DeviceException;
import dev.panamark.device.MeterInfo;
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
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
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
                ? "Its power is integrated instead; a newer driver or a newer Panamark may tell its energy."
                : "Energy of this GPU cannot be metered: check that rocm-smi shows its power, and that this user may read"
                        + " these files.";
    }

    private Optional<PowerMeter> counter(GpuCard gpu, List<String> reasons) {
        Path path = gpu.folder().resolve("gpu_metrics");
        try {
            MetricsFile file = new MetricsFile(path);
            return switch (file.layout()) {
                case Availability.Available<MetricsLayout>(MetricsLayout layout) -> {
                    MeterInfo info = gpu.counter(path + " (revision " + layout.revision() + ")");
                    yield checked(new AmdgpuMeter(gpu, info, null, () -> file.energy(layout), file::close), reasons);
                }
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
            MeterInfo info = gpu.counter("rsmi_dev_energy_count_get (" + library.file() + ")");
            return checked(new AmdgpuMeter(gpu, info, null, library::read, library::close), reasons);
        } catch (DeviceException e) {
            reasons.add(gpu.counterId() + " by ROCm SMI: " + e.getMessage());
            return Optional.empty();
        }
    }

    /** The first that answers: as quick as there is one. */
    private static Optional<PowerMeter> sensor(GpuCard gpu, boolean beside, List<String> reasons) {
        Optional<Path> sensors = gpu.sensors();
        if (sensors.isEmpty()) {
            reasons.add(gpu.sensorId() + ": " + gpu.folder() + " has no hwmon named amdgpu");
        }
        return sensors.flatMap(s -> hwmonPower(gpu, s.resolve("power1_input"), Kind.CURRENT, beside, reasons))
                .or(() -> sensors.flatMap(
                        s -> hwmonPower(gpu, s.resolve("power1_average"), Kind.AVERAGE, beside, reasons)))
                .or(() -> metricsPower(gpu, beside, reasons));
    }

    private static Optional<PowerMeter> hwmonPower(
            GpuCard gpu, Path path, Kind kind, boolean beside, List<String> reasons) {
        try {
            NumberFile file = new NumberFile(path, "microwatts");
            MeterInfo info = gpu.sensor(path + kind.words(), MICROWATT, kind.averaging, beside);
            return checked(new AmdgpuMeter(gpu, info, checks(gpu, beside), file::read, file::close), reasons);
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
                Kind kind = layout.isAveraged() ? Kind.AVERAGE : Kind.CURRENT;
                MeterInfo info = gpu.sensor(path + kind.words(), 1, kind.averaging, beside);
                return checked(
                        new AmdgpuMeter(gpu, info, checks(gpu, beside), () -> file.power(layout), file::close),
                        reasons);
            }
            file.close();
        } catch (IOException | DeviceException e) {
            reasons.add(gpu.sensorId() + ": " + words(path, e));
        }
        return Optional.empty();
    }

    private static @Nullable String checks(GpuCard gpu, boolean beside) {
        return beside ? gpu.counterId() : null;
    }

    /** Read, to see that it can be; what shows nothing at all is no meter. */
    private static Optional<PowerMeter> checked(PowerMeter meter, List<String> reasons) {
        MeterInfo info = meter.info();
        try {
            for (int i = 0; i < TRIES; i++) {
                if (meter.read() != 0) {
                    return Optional.of(meter);
                }
            }
            reasons.add(info.id() + ": " + info.place() + NOTHING
                    + (info.quantity() == MeterInfo.Quantity.ENERGY ? "J" : "W"));
        } catch (DeviceException e) {
            reasons.add(info.id() + ": " + e.getMessage());
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

    /** What a figure of power is. */
    private enum Kind {
        CURRENT(0),
        /** AMD does not say over how long: a second is taken, which is longer than others average over. */
        AVERAGE(1);

        /** s that it is the mean over. */
        private final double averaging;

        Kind(double averaging) {
            this.averaging = averaging;
        }

        String words() {
            return " (" + name().toLowerCase(Locale.ROOT) + " socket power)";
        }
    }
}
