package dev.panamark.device.cuda;

import dev.panamark.device.DeviceException;
import dev.panamark.device.Profile;
import dev.panamark.device.Profiler;
import dev.panamark.device.UnsupportedException;
import dev.panamark.driver.cuda.CudaContext;
import dev.panamark.driver.cupti.CollectionException;
import dev.panamark.driver.cupti.CounterData;
import dev.panamark.driver.cupti.Cupti;
import dev.panamark.driver.cupti.CuptiException;
import dev.panamark.driver.cupti.CuptiHost;
import dev.panamark.driver.cupti.MetricPlan;
import dev.panamark.driver.cupti.MissingCuptiFunctionException;
import dev.panamark.driver.cupti.RangeProfiler;
import dev.panamark.ffi.Availability;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/** CUPTI's range profiler on the context of a GPU: the launches are one range, and are replayed for each pass. */
final class CuptiProfiler implements Profiler, AutoCloseable {
    private static final String RANGE = "launches";

    private final CudaGpu gpu;
    private final Cupti cupti;
    private final RangeProfiler profiler;
    private final CuptiHost host;
    private final List<HardwareCounter> counters;
    private final MetricPlan plan;

    private CuptiProfiler(CudaGpu gpu, Cupti cupti, RangeProfiler profiler, CuptiHost host) {
        this.gpu = gpu;
        this.cupti = cupti;
        this.profiler = profiler;
        this.host = host;
        this.counters = Arrays.stream(HardwareCounter.values())
                .filter(counter -> host.has(counter.metric()))
                .toList();
        this.plan = host.plan(counters.stream().map(HardwareCounter::metric).toList());
    }

    /** Plans what is counted on this chip, and sees whether this user may count. */
    static Availability<CuptiProfiler> of(CudaGpu gpu, CudaContext context, Map<String, String> env) {
        return switch (Cupti.find(env)) {
            case Availability.Available<Cupti>(Cupti cupti) -> of(gpu, context, cupti);
            case Availability.Unavailable<Cupti> none -> none.as();
        };
    }

    private static Availability<CuptiProfiler> of(CudaGpu gpu, CudaContext context, Cupti cupti) {
        try {
            RangeProfiler profiler = cupti.profiler(context);
            try {
                if (profiler.support() instanceof Availability.Unavailable<String> no) {
                    profiler.close();
                    return no.as();
                }
                profiler.probe();
                CuptiHost host = cupti.host(profiler.chip(), profiler.counterAvailability());
                try {
                    if (Arrays.stream(HardwareCounter.values()).noneMatch(counter -> host.has(counter.metric()))) {
                        throw new UnsupportedException(
                                "CUPTI " + cupti.version() + " knows none of the counters for " + host.chip());
                    }
                    return Availability.of(new CuptiProfiler(gpu, cupti, profiler, host));
                } catch (RuntimeException e) {
                    close(host, e);
                    throw e;
                }
            } catch (RuntimeException e) {
                close(profiler, e);
                throw e;
            }
        } catch (CuptiException e) {
            return Availability.missing(String.valueOf(e.getMessage()), e.remedy());
        } catch (MissingCuptiFunctionException | UnsupportedException e) {
            return Availability.missing(String.valueOf(e.getMessage()), "Install a newer CUPTI.");
        }
    }

    private static void close(AutoCloseable opened, RuntimeException because) {
        try {
            opened.close();
        } catch (Exception e) {
            because.addSuppressed(e);
        }
    }

    @Override
    public Profile profile(Runnable prepare, Runnable launches) {
        try {
            prepare.run();
            CounterData data = profiler.collect(
                    plan,
                    RANGE,
                    () -> {
                        launches.run();
                        gpu.synchronize();
                    },
                    prepare);
            double[] values = host.evaluate(data, 0, plan.metrics());
            Map<HardwareCounter, Double> read = new EnumMap<>(HardwareCounter.class);
            for (int i = 0; i < values.length; i++) {
                read.put(counters.get(i), values[i]);
            }
            return new Profile(
                    "CUPTI " + cupti.version() + " (" + cupti.file() + ")",
                    OptionalInt.of(data.passes()),
                    CounterFormulas.of(read, host.chip()));
        } catch (CuptiException e) {
            throw new DeviceException(e.getMessage() + ". " + e.remedy(), e);
        } catch (CollectionException | MissingCuptiFunctionException e) {
            throw new DeviceException(String.valueOf(e.getMessage()), e);
        }
    }

    @Override
    public void close() {
        try (profiler) {
            host.close();
        } catch (CuptiException e) {
            throw new DeviceException("CUPTI cannot be closed: " + e.getMessage(), e);
        }
    }
}
