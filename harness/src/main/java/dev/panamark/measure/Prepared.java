package dev.panamark.measure;

import dev.panamark.device.Counted;
import dev.panamark.device.Device;
import dev.panamark.device.DeviceBuffer;
import dev.panamark.device.LaunchGraphs;
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
import org.jspecify.annotations.Nullable;

/** An instance on a device: image loaded, buffers there, arguments bound; ready to be launched many times. */
final class Prepared implements AutoCloseable {
    private final Device device;
    private final Instance instance;
    private final Module module;
    private final BufferSet set;
    private @Nullable Replay replay;

    Prepared(Device device, Instance instance) {
        this.device = device;
        this.instance = instance;
        this.module = device.load(instance.image());
        try {
            this.set = new BufferSet(device, instance, module);
        } catch (RuntimeException | Error e) {
            module.close();
            throw e;
        }
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
        set.pass();
    }

    /** Inputs and inouts get their contents. */
    void upload(Inputs inputs) {
        set.upload(inputs);
    }

    /** All steps as something to be sampled; {@code inputs} are what inouts are restored to. */
    Subject subject(Inputs inputs) {
        return needsRestore()
                ? new InPlace(device, set.steps(), () -> set.restore(inputs))
                : new Pass(device, set.steps());
    }

    /** Passes over several sets of buffers, collected in a graph, as something to be sampled. */
    Subject graph(LaunchGraphs graphs, Inputs inputs) {
        Replay there = replay;
        if (there == null) {
            there = Replay.of(device, graphs, instance, module, set, inputs);
            replay = there;
        }
        return there;
    }

    private boolean needsRestore() {
        return instance.buffers().stream().anyMatch(Buffer::needsRestore);
    }

    /** Outputs and scratch get a pattern that no right result leaves behind. */
    void poison(byte pattern) {
        set.poison(pattern);
    }

    /** Outputs and inouts with where they are. */
    Map<Buffer, DeviceBuffer> outputs() {
        Map<Buffer, DeviceBuffer> out = new LinkedHashMap<>();
        for (Buffer b : instance.buffers()) {
            if (b.isOutput()) {
                out.put(b, set.get(b.name()));
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
                set.get(b.name()).download(to);
                out.put(b.name(), new Tensor(b.type(), b.shape(), to));
            }
        }
        return out;
    }

    /** The first buffer outside which something was written, and what. */
    Optional<String> damage() {
        Replay rotating = replay;
        return set.damage().or(() -> rotating == null ? Optional.empty() : rotating.damage());
    }

    Device device() {
        return device;
    }

    @Override
    public void close() {
        if (replay != null) {
            replay.close();
            replay = null;
        }
        set.close();
        module.close();
    }
}
