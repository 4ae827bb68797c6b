package dev.panamark.device.amdgpu;

import dev.panamark.device.DeviceInfo;
import dev.panamark.device.MeterInfo;
import dev.panamark.device.PowerMeter;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A counter or sensor of one GPU, which has its own open file or library, so that meters close in any order. */
final class AmdgpuMeter implements PowerMeter {
    private final GpuCard gpu;
    private final MeterInfo info;
    private final @Nullable String checked;
    private final LongSupplier reading;
    private final Runnable closing;

    /**
     * Takes over what is read.
     *
     * @param checked id of the meter that counts the same joules; null for none
     * @param reading in counts of the unit
     * @param closing gives back what is read
     */
    AmdgpuMeter(GpuCard gpu, MeterInfo info, @Nullable String checked, LongSupplier reading, Runnable closing) {
        this.gpu = gpu;
        this.info = info;
        this.checked = checked;
        this.reading = reading;
        this.closing = closing;
    }

    @Override
    public MeterInfo info() {
        return info;
    }

    @Override
    public Optional<String> checks() {
        return Optional.ofNullable(checked);
    }

    @Override
    public boolean isOf(DeviceInfo device) {
        return gpu.is(device);
    }

    /** Of the GPU, told once: by the meter that is there for itself. */
    @Override
    public SequencedMap<String, String> facts() {
        return checked == null ? gpu.facts() : PowerMeter.super.facts();
    }

    @Override
    public long read() {
        return reading.getAsLong();
    }

    @Override
    public void close() {
        closing.run();
    }
}
