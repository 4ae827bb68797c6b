package dev.panamark.measure;

import dev.panamark.device.Counted;
import dev.panamark.device.Device;
import dev.panamark.device.DeviceBuffer;
import dev.panamark.device.Module;
import dev.panamark.ffi.Availability;
import dev.panamark.kernel.Buffer;
import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.Instance;
import dev.panamark.kernel.Step;
import dev.panamark.kernel.Tensor;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** An instance on a device: image loaded, buffers there, arguments bound; ready to be launched many times. */
final class Prepared implements AutoCloseable {
    private final Device device;
    private final Instance instance;
    private final Module module;
    private final Map<String, DeviceBuffer> buffers = new LinkedHashMap<>();
    private final Runnable[] steps;

    Prepared(Device device, Instance instance) {
        this.device = device;
        this.instance = instance;
        this.module = device.load(instance.image());
        try {
            for (Buffer b : instance.buffers()) {
                buffers.put(b.name(), device.allocate(b.name(), b.bytes()));
            }
            List<Runnable> bound = new ArrayList<>();
            for (Step step : instance.steps()) {
                bound.add(bind(step));
            }
            steps = bound.toArray(Runnable[]::new);
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private Runnable bind(Step step) {
        return switch (step) {
            case Step.Launch launch -> {
                device.checkLaunch(launch);
                yield module.entry(launch.entry()).bind(launch, buffers);
            }
            case Step.Memset set -> {
                DeviceBuffer target = buffer(set.buffer());
                byte value = (byte) set.value();
                yield () -> target.fill(value);
            }
        };
    }

    private DeviceBuffer buffer(String name) {
        DeviceBuffer b = buffers.get(name);
        if (b == null) {
            throw new IllegalArgumentException("no buffer '" + name + "' in " + buffers.keySet());
        }
        return b;
    }

    Instance instance() {
        return instance;
    }

    /** Of each launch; empty where there is no such thing, or only counting tells it. */
    List<Availability<Counted.Occupancy>> occupancies() {
        List<Availability<Counted.Occupancy>> all = new ArrayList<>();
        for (Step step : instance.steps()) {
            if (step instanceof Step.Launch launch) {
                module.entry(launch.entry()).occupancy(launch).ifPresent(all::add);
            }
        }
        return all;
    }

    Module module() {
        return module;
    }

    /** All steps once, in order; may return before the device is done. */
    void pass() {
        for (Runnable step : steps) {
            step.run();
        }
    }

    /** Inputs and inouts get their contents. */
    void upload(Inputs inputs) {
        for (Buffer b : instance.buffers()) {
            if (b.role() == Buffer.Role.INPUT || b.role() == Buffer.Role.INOUT) {
                buffer(b.name()).upload(inputs.get(b.name()).data());
            }
        }
    }

    /** Inouts get their contents again, as a kernel that works in place expects before every launch. */
    private void restore(Inputs inputs) {
        for (Buffer b : instance.buffers()) {
            if (b.needsRestore()) {
                buffer(b.name()).upload(inputs.get(b.name()).data());
            }
        }
    }

    /** All steps as something to be sampled; {@code inputs} are what inouts are restored to. */
    Subject subject(Inputs inputs) {
        return instance.buffers().stream().anyMatch(Buffer::needsRestore)
                ? new InPlace(device, steps, () -> restore(inputs))
                : new Pass(device, steps);
    }

    /** Outputs and scratch get a pattern that no right result leaves behind. */
    void poison(byte pattern) {
        for (Buffer b : instance.buffers()) {
            if (b.role() == Buffer.Role.OUTPUT || b.role() == Buffer.Role.SCRATCH) {
                buffer(b.name()).poison(pattern);
            }
        }
    }

    /** Outputs and inouts with where they are. */
    Map<Buffer, DeviceBuffer> outputs() {
        Map<Buffer, DeviceBuffer> out = new LinkedHashMap<>();
        for (Buffer b : instance.buffers()) {
            if (b.isOutput()) {
                out.put(b, buffer(b.name()));
            }
        }
        return out;
    }

    /** Copies of all buffers of the given kind. */
    Map<String, Tensor> download(boolean outputs, Arena arena) {
        Map<String, Tensor> out = new LinkedHashMap<>();
        for (Buffer b : instance.buffers()) {
            if (outputs ? b.isOutput() : b.role() == Buffer.Role.INPUT) {
                var to = arena.allocate(b.bytes(), 64);
                buffer(b.name()).download(to);
                out.put(b.name(), new Tensor(b.type(), b.shape(), to));
            }
        }
        return out;
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

    Device device() {
        return device;
    }

    @Override
    public void close() {
        buffers.values().forEach(DeviceBuffer::close);
        buffers.clear();
        module.close();
    }
}
