package dev.panamark.measure;

import dev.panamark.device.Device;
import dev.panamark.device.DeviceBuffer;
import dev.panamark.device.Module;
import dev.panamark.kernel.Buffer;
import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.Instance;
import dev.panamark.kernel.Step;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** One of each of an instance's buffers, and its steps bound to them. */
final class BufferSet implements AutoCloseable {
    private static final Set<Buffer.Role> FILLED = EnumSet.of(Buffer.Role.INPUT, Buffer.Role.INOUT);
    private static final Set<Buffer.Role> WRITTEN = EnumSet.of(Buffer.Role.OUTPUT, Buffer.Role.SCRATCH);

    private final Device device;
    private final Instance instance;
    private final Map<String, DeviceBuffer> buffers = new LinkedHashMap<>();
    private final Runnable[] steps;

    BufferSet(Device device, Instance instance, Module module) {
        this.device = device;
        this.instance = instance;
        try {
            for (Buffer b : instance.buffers()) {
                buffers.put(b.name(), device.allocate(b.name(), b.bytes()));
            }
            List<Runnable> bound = new ArrayList<>();
            for (Step step : instance.steps()) {
                bound.add(bind(module, step));
            }
            steps = bound.toArray(Runnable[]::new);
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private Runnable bind(Module module, Step step) {
        return switch (step) {
            case Step.Launch launch -> {
                device.checkLaunch(launch);
                yield module.entry(launch.entry()).bind(launch, buffers);
            }
            case Step.Memset set -> {
                DeviceBuffer target = get(set.buffer());
                byte value = (byte) set.value();
                yield () -> target.fill(value);
            }
        };
    }

    DeviceBuffer get(String name) {
        DeviceBuffer b = buffers.get(name);
        if (b == null) {
            throw new IllegalArgumentException("no buffer '" + name + "' in " + buffers.keySet());
        }
        return b;
    }

    Runnable[] steps() {
        return steps;
    }

    /** All steps once, in order; may return before the device is done. */
    void pass() {
        for (Runnable step : steps) {
            step.run();
        }
    }

    /** Inputs and inouts get their contents. */
    void upload(Inputs inputs) {
        upload(inputs, b -> FILLED.contains(b.role()));
    }

    /** Inouts get their contents again, as a kernel that works in place expects before every launch. */
    void restore(Inputs inputs) {
        upload(inputs, Buffer::needsRestore);
    }

    private void upload(Inputs inputs, Predicate<Buffer> some) {
        for (Buffer b : instance.buffers()) {
            if (some.test(b)) {
                get(b.name()).upload(inputs.get(b.name()).data());
            }
        }
    }

    /** Outputs and scratch get a pattern that no right result leaves behind. */
    void poison(byte pattern) {
        for (Buffer b : instance.buffers()) {
            if (WRITTEN.contains(b.role())) {
                get(b.name()).poison(pattern);
            }
        }
    }

    /** The first buffer outside which something was written, and what. */
    Optional<String> damage() {
        for (Map.Entry<String, DeviceBuffer> e : buffers.entrySet()) {
            Optional<String> d = e.getValue().damage();
            if (d.isPresent()) {
                return Optional.of("writes outside buffer '" + e.getKey() + "': " + d.get());
            }
        }
        return Optional.empty();
    }

    @Override
    public void close() {
        buffers.values().forEach(DeviceBuffer::close);
        buffers.clear();
    }
}
