package dev.panamark.device.emulated;

import dev.panamark.device.Bound;
import dev.panamark.device.DeviceBuffer;
import dev.panamark.device.DeviceException;
import dev.panamark.device.Entry;
import dev.panamark.device.MissingEntryException;
import dev.panamark.device.Module;
import dev.panamark.ffi.Availability;
import dev.panamark.kernel.Argument;
import dev.panamark.ptx.KernelInfo;
import dev.panamark.ptx.LinkedModule;
import dev.panamark.ptx.PtxModule;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/** A PTX text, loaded. */
final class EmulatedModule implements Module {
    private final EmulatedDevice device;
    private final PtxModule module;
    private final LinkedModule linked;
    private final PtxImages.Text text;
    private final SequencedMap<String, Object> facts;
    /** What arguments point to, as long as the module is loaded. */
    private final List<Long> pointedTo = new ArrayList<>();

    EmulatedModule(EmulatedDevice device, PtxModule module, LinkedModule linked, PtxImages.Text text) {
        this.device = device;
        this.module = module;
        this.linked = linked;
        this.text = text;
        SequencedMap<String, Object> all = new LinkedHashMap<>(text.facts());
        all.put("ptx_version", module.version());
        all.put("ptx_target", module.target());
        all.put("image_sha256", text.sha256());
        this.facts = Collections.unmodifiableSequencedMap(all);
    }

    @Override
    public Entry entry(String name) {
        KernelInfo kernel = module.kernels().stream()
                .filter(k -> k.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new MissingEntryException(
                        text.name() + " has no kernel '" + name + "'; it has " + String.join(", ", entries())));
        return (args, buffers) -> bind(kernel, args, buffers);
    }

    @Override
    public List<String> entries() {
        return module.kernels().stream().map(KernelInfo::name).toList();
    }

    private Bound bind(KernelInfo kernel, List<Argument> args, Map<String, DeviceBuffer> buffers) {
        if (args.size() != kernel.parameters().size()) {
            throw new DeviceException(text.name() + ": kernel " + kernel.name() + " takes "
                    + kernel.parameters().size() + " arguments, not " + args.size());
        }
        ParameterBytes parameters = new ParameterBytes(device, kernel, buffers, pointedTo);
        for (int i = 0; i < args.size(); i++) {
            parameters.put(i, args.get(i));
        }
        return new EmulatedBound(device, linked, kernel, registers(kernel), parameters);
    }

    private Registers registers(KernelInfo kernel) {
        return switch (text.registers(kernel.name())) {
            case Availability.Available<Registers>(Registers known) -> known;
            case Availability.Unavailable<Registers> none ->
                new Registers(
                        kernel.registerEstimate(),
                        "registers (" + kernel.registerEstimate() + " a thread) estimated from the PTX: "
                                + none.reasons().getFirst(),
                        false);
        };
    }

    @Override
    public SequencedMap<String, Object> facts() {
        return facts;
    }

    @Override
    public String imageHash() {
        return text.sha256();
    }

    @Override
    public void close() {
        pointedTo.forEach(device.memory()::free);
        pointedTo.clear();
        linked.close();
    }
}
