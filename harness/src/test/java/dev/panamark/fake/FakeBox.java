package dev.panamark.fake;

import static org.junit.jupiter.api.Assertions.fail;

import dev.panamark.device.PowerMeter;
import dev.panamark.device.nvml.NvmlProvider;
import dev.panamark.driver.nvml.Nvml;
import dev.panamark.ffi.Availability;
import dev.panamark.measure.HostClock;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A machine of the fake's with NVML, in the fake's time: hours of it pass in seconds. */
final class FakeBox implements HostClock {
    private final FakeCuda fake;
    private final MethodHandle now;
    private final MethodHandle advance;
    private final MethodHandle used;
    private final MethodHandle open;

    FakeBox(FakeCuda fake) {
        this.fake = fake;
        now = fake.handle("fake_now", FunctionDescriptor.of(ValueLayout.JAVA_LONG));
        advance = fake.handle("fake_advance", FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG));
        used = fake.handle(
                "fake_used",
                FunctionDescriptor.of(ValueLayout.JAVA_DOUBLE, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG));
        open = fake.handle("fake_open", FunctionDescriptor.of(ValueLayout.JAVA_LONG));
    }

    /** What makes a process use it. */
    static Map<String, String> environment(FakeCuda fake) {
        return Map.of(
                Nvml.VARIABLE,
                Path.of(fake.file()).resolveSibling("libnvidia-ml.so.1").toString());
    }

    /** What there is to meter with after a script. */
    Found start(String script) throws Throwable {
        fake.reset(script);
        List<PowerMeter> meters = new ArrayList<>();
        List<String> missing = new ArrayList<>();
        for (Availability<PowerMeter> a : new NvmlProvider(environment(fake)).discover()) {
            switch (a) {
                case Availability.Available<PowerMeter>(PowerMeter meter) -> meters.add(meter);
                case Availability.Unavailable<PowerMeter> none -> missing.add(none.text());
            }
        }
        return new Found(meters, missing);
    }

    /**
     * What a provider found.
     *
     * @param meters open until this is closed
     * @param missing texts of what was not there
     */
    record Found(List<PowerMeter> meters, List<String> missing) implements AutoCloseable {
        List<String> ids() {
            return meters.stream().map(m -> m.info().id()).toList();
        }

        @Override
        public void close() {
            meters.forEach(PowerMeter::close);
        }
    }

    @Override
    public long nanos() {
        try {
            return (long) now.invokeExact();
        } catch (Throwable t) {
            return fail(t);
        }
    }

    @Override
    public void sleepUntil(long nanos) {
        long wait = nanos - nanos();
        if (wait > 0) {
            pass(wait);
        }
    }

    void pass(long nanos) {
        try {
            advance.invokeExact(nanos);
        } catch (Throwable t) {
            fail(t);
        }
    }

    /** J that the first device of the script has used up to a time: the truth. */
    double used(long nanos) {
        try {
            return (double) used.invokeExact(0, nanos);
        } catch (Throwable t) {
            return fail(t);
        }
    }

    /** Initializations, contexts and so on that were not given back. */
    long open() {
        try {
            return (long) open.invokeExact();
        } catch (Throwable t) {
            return fail(t);
        }
    }
}
