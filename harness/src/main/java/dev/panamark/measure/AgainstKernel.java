package dev.panamark.measure;

import dev.panamark.device.Device;
import dev.panamark.kernel.Buffer;
import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.Instance;
import dev.panamark.kernel.Tensor;
import dev.panamark.kernel.check.Poison;
import dev.panamark.kernel.reference.Expectation;
import dev.panamark.kernel.reference.Reference;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The outputs of another kernel as the truth, for a kernel file that says {@code check: {against: …}}. */
final class AgainstKernel implements Reference {
    private final Device device;
    private final Instance other;

    AgainstKernel(Device device, Instance other) {
        this.device = device;
        this.other = other;
    }

    @Override
    public String name() {
        return other.kernel();
    }

    @Override
    public List<String> faults(Instance instance) {
        List<String> faults = new ArrayList<>();
        for (Buffer b : other.buffers()) {
            if (b.role() == Buffer.Role.SCRATCH) {
                continue;
            }
            named(instance, b.name())
                    .ifPresentOrElse(
                            mine -> compare(mine, b, faults),
                            () -> faults.add("buffers: lacks '" + b.name() + "', which " + other.kernel()
                                    + ", the kernel it is checked against, has"));
        }
        for (Buffer mine : instance.buffers()) {
            if (mine.isOutput()
                    && named(other, mine.name()).filter(Buffer::isOutput).isEmpty()) {
                faults.add("buffers." + mine.name() + ": " + other.kernel()
                        + ", which it is checked against, has no such output");
            }
        }
        return faults;
    }

    private void compare(Buffer mine, Buffer theirs, List<String> faults) {
        if (mine.type() != theirs.type() || !mine.shape().equals(theirs.shape())) {
            faults.add("buffers." + mine.name() + ": is " + mine.type().tag() + mine.shape()
                    + ", but " + other.kernel() + ", which it is checked against, has "
                    + theirs.type().tag() + theirs.shape());
        }
        if (isRead(theirs) && !isRead(mine)) {
            faults.add("buffers." + mine.name() + ".role: has no contents before the launch, but " + other.kernel()
                    + ", which it is checked against, reads it; input or inout expected");
        }
    }

    private static boolean isRead(Buffer b) {
        return b.role() == Buffer.Role.INPUT || b.role() == Buffer.Role.INOUT;
    }

    private static Optional<Buffer> named(Instance instance, String name) {
        return instance.buffers().stream().filter(b -> b.name().equals(name)).findFirst();
    }

    @Override
    public List<Expectation> expect(Instance instance, Inputs inputs, long seed) {
        try (Prepared truth = new Prepared(device, other)) {
            // Expectations read the tensors later, for as long as somebody holds them.
            Arena arena = Arena.ofAuto();
            truth.upload(inputs);
            truth.poison(Poison.A.value());
            truth.pass();
            device.synchronize();
            List<Expectation> out = new ArrayList<>();
            for (Map.Entry<String, Tensor> e : truth.download(true, arena).entrySet()) {
                out.add(Expectation.sameAs(e.getKey(), e.getValue()));
            }
            return out;
        }
    }
}
