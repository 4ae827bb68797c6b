package dev.panamark.device.nvml;

import dev.panamark.device.DeviceException;
import dev.panamark.device.MeterInfo;
import dev.panamark.device.MeterProvider;
import dev.panamark.device.PowerMeter;
import dev.panamark.driver.nvml.MissingNvmlFunctionException;
import dev.panamark.driver.nvml.Nvml;
import dev.panamark.driver.nvml.NvmlException;
import dev.panamark.driver.nvml.NvmlReadings;
import dev.panamark.ffi.Availability;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The energy counter of each NVIDIA GPU, and its sensor of power beside it: the two are compared, and where a GPU has no
 * counter (before Volta, and in some virtual machines), the sensor is what there is. All GPUs that the driver has are met
 * with, also those that CUDA_VISIBLE_DEVICES hides. Under MIG a figure is that of the whole GPU and is never divided.
 */
public final class NvmlProvider implements MeterProvider {
    /** What is there where NVIDIA's driver runs, natively or below WSL. */
    private static final List<Path> SIGNS =
            List.of(Path.of("/dev/nvidiactl"), Path.of("/proc/driver/nvidia"), Path.of("/dev/dxg"));

    /** Which kind nvmlDeviceGetPowerUsage is, the GPU does not tell: the slower of the two. */
    private static final double LONGEST_AVERAGE = 1;

    private final Map<String, String> env;
    private final List<Path> signs;

    /** {@code env}: environment variables, which may name another library. */
    public NvmlProvider(Map<String, String> env) {
        this(env, SIGNS);
    }

    NvmlProvider(Map<String, String> env, List<Path> signs) {
        this.env = Map.copyOf(env);
        this.signs = List.copyOf(signs);
    }

    @Override
    public String source() {
        return "nvml";
    }

    @Override
    public String backend() {
        return "cuda";
    }

    /** Without the library and without a driver there is nothing to say: the machine has no NVIDIA GPU. */
    @Override
    public List<Availability<PowerMeter>> discover() {
        return switch (Nvml.find(env)) {
            case Availability.Available<Nvml>(Nvml nvml) -> {
                try (nvml) {
                    yield meters(nvml);
                } catch (NvmlException e) {
                    yield List.of(missing("", e));
                } catch (MissingNvmlFunctionException e) {
                    yield List.of(tooOld("", e));
                }
            }
            case Availability.Unavailable<Nvml> none -> isExpected() ? List.of(none.as()) : List.of();
        };
    }

    private boolean isExpected() {
        return !env.getOrDefault(Nvml.VARIABLE, "").isBlank() || signs.stream().anyMatch(Files::exists);
    }

    private List<Availability<PowerMeter>> meters(Nvml nvml) {
        int count = nvml.deviceCount();
        if (count == 0) {
            return List.of(Availability.missing(
                    nvml.file() + " finds no GPU",
                    "Check that nvidia-smi lists one; containers are given them by docker run --gpus all."));
        }
        List<Availability<PowerMeter>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            try {
                addTo(all, GpuFacts.of(i, nvml.device(i)));
            } catch (NvmlException e) {
                all.add(missing("nvml:" + i + ": ", e));
            } catch (DeviceException e) {
                all.add(Availability.missing(String.valueOf(e.getMessage()), "Check that nvidia-smi works."));
            } catch (MissingNvmlFunctionException e) {
                all.add(tooOld("nvml:" + i + ": ", e));
            }
        }
        return all;
    }

    /** The counter, the sensor of power, and why one of them is not there. */
    private void addTo(List<Availability<PowerMeter>> all, GpuFacts gpu) {
        NvmlException absence = null;
        try {
            all.add(Availability.of(opened(gpu, gpu.counter(), null, NvmlReadings::energy)));
        } catch (NvmlException e) {
            if (!e.isUnsupported()) {
                throw e;
            }
            absence = e;
        }
        List<String> reasons = new ArrayList<>();
        if (absence != null) {
            reasons.add(gpu.counterId() + ": " + gpu.place() + " has no energy counter: " + absence.getMessage());
        }
        Optional<PowerMeter> sensor = sensor(gpu, absence == null, reasons);
        sensor.ifPresent(s -> all.add(Availability.of(s)));
        if (sensor.isEmpty()) {
            all.add(new Availability.Unavailable<>(
                    reasons,
                    absence == null
                            ? "Its counter is metered, and cannot be compared with it."
                            : "Energy of this GPU cannot be metered; a newer driver may tell its power."));
        }
    }

    /** The first that answers: as quick as there is one. */
    private Optional<PowerMeter> sensor(GpuFacts gpu, boolean beside, List<String> reasons) {
        NvmlReadings.Scope scope =
                gpu.scope() == MeterInfo.Scope.MODULE ? NvmlReadings.Scope.MODULE : NvmlReadings.Scope.GPU;
        List<Sensor> ways = List.of(
                new Sensor(
                        "nvmlDeviceGetFieldValues(NVML_FI_DEV_POWER_INSTANT)",
                        0,
                        r -> r.power(NvmlReadings.Power.INSTANT, scope)),
                new Sensor(
                        "nvmlDeviceGetFieldValues(NVML_FI_DEV_POWER_AVERAGE)",
                        LONGEST_AVERAGE,
                        r -> r.power(NvmlReadings.Power.AVERAGE, scope)),
                new Sensor("nvmlDeviceGetPowerUsage", LONGEST_AVERAGE, NvmlReadings::powerUsage));
        for (Sensor way : ways) {
            try {
                return Optional.of(opened(
                        gpu,
                        gpu.sensor(way.call(), way.averaging(), beside),
                        beside ? gpu.counterId() : null,
                        way.reading()));
            } catch (NvmlException | MissingNvmlFunctionException e) {
                reasons.add(gpu.sensorId() + ": " + e.getMessage());
            }
        }
        return Optional.empty();
    }

    /** A meter with an initialization of its own, read once to see that it can be. */
    private PowerMeter opened(
            GpuFacts gpu, MeterInfo info, @Nullable String checked, ToLongFunction<NvmlReadings> call) {
        Nvml own = Nvml.find(env).orElseThrow(why -> new DeviceException(info.id() + ": " + why));
        try {
            NvmlReadings readings = own.deviceOfUuid(gpu.uuid()).readings();
            if (call.applyAsLong(readings) < 0) {
                throw new DeviceException(info.id() + ": " + info.place() + " shows a negative number");
            }
            return new NvmlMeter(info, checked, own, () -> call.applyAsLong(readings));
        } catch (RuntimeException e) {
            own.close();
            throw e;
        }
    }

    private static Availability<PowerMeter> missing(String which, NvmlException e) {
        return Availability.missing(which + e.getMessage(), e.remedy() + ".");
    }

    private static Availability<PowerMeter> tooOld(String which, MissingNvmlFunctionException e) {
        return Availability.missing(which + e.getMessage(), "Install a newer driver.");
    }

    /** A way to read power: the call, and the seconds that a reading is the mean over. */
    private record Sensor(String call, double averaging, ToLongFunction<NvmlReadings> reading) {}
}
