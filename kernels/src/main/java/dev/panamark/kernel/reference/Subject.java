package dev.panamark.kernel.reference;

import dev.panamark.kernel.Buffer;
import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.Instance;
import dev.panamark.kernel.Tensor;
import dev.panamark.kernel.Value;
import java.util.Optional;

/** A kernel as its reference sees it: buffers by the reference's names, conventions as typed values. */
final class Subject {
    private final Instance instance;

    Subject(Instance instance) {
        this.instance = instance;
    }

    /** The name in the kernel file for a name of the reference. */
    String nameOf(String role) {
        return instance.check().buffers().getOrDefault(role, role);
    }

    /** The buffer that plays a role. */
    Optional<Buffer> find(String role) {
        String name = nameOf(role);
        return instance.buffers().stream().filter(b -> b.name().equals(name)).findFirst();
    }

    /** The buffer that plays a role, known to be there. */
    Buffer buffer(String role) {
        return instance.buffer(nameOf(role));
    }

    /** The contents of the buffer that plays a role. */
    Tensor tensor(String role, Inputs inputs) {
        return inputs.get(nameOf(role));
    }

    /** Whether the kernel file sets a convention. */
    boolean has(String convention) {
        return instance.check().conventions().containsKey(convention);
    }

    /** A number, if the convention is one. */
    Optional<Double> number(String convention) {
        return Optional.ofNullable(instance.check().conventions().get(convention))
                .flatMap(v -> switch (v) {
                    case Value.Int i -> Optional.of((double) i.value());
                    case Value.Real r -> Optional.of(r.value());
                    case Value.Text t -> Optional.empty();
                    case Value.Bool b -> Optional.empty();
                });
    }

    /** A number, or a default where the kernel file says nothing. */
    double number(String convention, double otherwise) {
        return number(convention).orElse(otherwise);
    }

    /** The convention as it would be written, or a default. */
    String word(String convention, String otherwise) {
        Value v = instance.check().conventions().get(convention);
        return v == null ? otherwise : v.toString();
    }

    Instance instance() {
        return instance;
    }
}
