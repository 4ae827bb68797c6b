package dev.panamark.kernel.reference;

import dev.panamark.kernel.Buffer;
import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.Instance;
import java.util.List;
import java.util.Optional;

/**
 * {@code copy}: {@code out} holds the bits of {@code x}. Without a buffer named {@code x} it is the first input, without
 * one named {@code out} the first output.
 */
final class CopyReference implements Reference {
    @Override
    public String name() {
        return "copy";
    }

    @Override
    public List<String> faults(Instance instance) {
        Subject subject = new Subject(instance);
        Faults faults = new Faults(subject, name());
        faults.onlyConventions();
        Optional<Buffer> x = source(subject);
        Optional<Buffer> out = target(subject);
        if (x.isEmpty()) {
            faults.input("x", "to copy from");
        }
        if (out.isEmpty()) {
            faults.output("out", "to copy to");
        }
        if (x.isPresent() && out.isPresent()) {
            faults.type(out.get(), x.get().type());
            if (out.get().shape().elements() != x.get().shape().elements()) {
                faults.shape(out.get(), "as " + x.get().name(), x.get().shape().dims());
            }
        }
        return faults.orUnchecked(out.map(Buffer::name).orElse("out"));
    }

    @Override
    public List<Expectation> expect(Instance instance, Inputs inputs, long seed) {
        Subject subject = new Subject(instance);
        return List.of(Expectation.sameAs(
                target(subject).orElseThrow().name(),
                inputs.get(source(subject).orElseThrow().name())));
    }

    private static Optional<Buffer> source(Subject subject) {
        return subject.find("x")
                .or(() -> subject.instance().buffers().stream()
                        .filter(b -> b.role() == Buffer.Role.INPUT)
                        .findFirst());
    }

    private static Optional<Buffer> target(Subject subject) {
        return subject.find("out")
                .or(() -> subject.instance().buffers().stream()
                        .filter(Buffer::isOutput)
                        .findFirst());
    }
}
