package dev.panamark.kernel.reference;

import dev.panamark.kernel.Buffer;
import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.Instance;
import dev.panamark.kernel.Tensor;
import dev.panamark.kernel.format.DataType;
import dev.panamark.kernel.format.Formats;
import java.util.List;
import java.util.Optional;

/**
 * {@code linear}: {@code out = alpha * x + y} for buffers of one shape; without a buffer {@code y} nothing is added,
 * and without a buffer {@code out}, {@code y} is an inout and becomes the result (saxpy). Convention {@code alpha} (1 by default). A million elements are computed, or
 * all.
 */
final class LinearReference implements Reference {
    private static final int SAMPLES = 1 << 20;

    @Override
    public String name() {
        return "linear";
    }

    @Override
    public List<String> faults(Instance instance) {
        Subject subject = new Subject(instance);
        Faults faults = new Faults(subject, name());
        faults.onlyConventions("alpha");
        faults.number("alpha");
        Optional<Buffer> x = faults.input("x", "to be multiplied");
        Optional<Buffer> y = subject.find("y").isEmpty() ? Optional.empty() : faults.input("y", "to be added");
        Optional<Buffer> out = faults.output(target(subject), "for alpha * x + y, unless y is an inout");
        x.ifPresent(faults::floating);
        y.ifPresent(faults::floating);
        out.ifPresent(faults::floating);
        if (x.isPresent()) {
            y.ifPresent(b -> faults.shape(b, "as x", x.get().shape().dims()));
            out.ifPresent(b -> faults.shape(b, "as x", x.get().shape().dims()));
        }
        return faults.orUnchecked(target(subject));
    }

    private static String target(Subject subject) {
        boolean inPlace = subject.find("out").isEmpty()
                && subject.find("y").filter(Buffer::isOutput).isPresent();
        return inPlace ? "y" : "out";
    }

    @Override
    public List<Expectation> expect(Instance instance, Inputs inputs, long seed) {
        Subject subject = new Subject(instance);
        Buffer out = subject.buffer(target(subject));
        Tensor x = subject.tensor("x", inputs);
        Optional<Tensor> y = subject.find("y").map(b -> subject.tensor("y", inputs));
        DataType type = out.type();
        double alpha = subject.number("alpha", 1);
        long[] positions = Sample.of(out.shape().elements(), SAMPLES, seed);
        double[] want = new double[positions.length];
        double[] plain = new double[positions.length];
        for (int i = 0; i < want.length; i++) {
            double xi = Formats.get(x, positions[i]);
            double yi = y.isPresent() ? Formats.get(y.get(), positions[i]) : 0;
            want[i] = alpha * xi + yi;
            plain[i] = Formats.round(type, Formats.round(type, Formats.round(type, alpha) * xi) + yi);
        }
        return List.of(new Expectation(out.name(), positions, want, plain));
    }
}
