package dev.panamark.kernel.reference;

import dev.panamark.kernel.Buffer;
import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.Instance;
import dev.panamark.kernel.Tensor;
import dev.panamark.kernel.format.Formats;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * {@code quant.w4a16_gemv}: {@code y} [out] = sum over in of (code - zero) · scale · {@code x} [in], with the 4-bit weights
 * [in, out] of {@code quant.int4.dequantize}: {@code q}, {@code s}, {@code z}. In double precision, every output; the plain
 * formula is that sum rounded once.
 */
final class W4a16GemvReference implements Reference {
    @Override
    public String name() {
        return "quant.w4a16_gemv";
    }

    @Override
    public List<String> faults(Instance instance) {
        Subject subject = new Subject(instance);
        Faults faults = new Faults(subject, name());
        faults.onlyConventions("group", "packing");
        faults.needNumber("group", "the inputs that share a scale");
        Int4Packing.check(faults);
        Optional<Buffer> q = faults.input("q", "of codes");
        Optional<Buffer> s = faults.input("s", "of f32 scales");
        Optional<Buffer> z = faults.input("z", "of zero points");
        Optional<Buffer> x = faults.input("x", "[in]").filter(b -> faults.rank(b, "[in]", 1));
        Optional<Buffer> y = faults.output("y", "[out]").filter(b -> faults.rank(b, "[out]", 1));
        x.ifPresent(faults::floating);
        y.ifPresent(faults::floating);
        if (q.isPresent() && s.isPresent() && z.isPresent() && x.isPresent() && y.isPresent()) {
            Int4Packing.of(subject)
                    .checkShapes(
                            faults,
                            subject,
                            x.get().shape().dim(0),
                            y.get().shape().dim(0),
                            q.get(),
                            s.get());
        }
        return faults.orUnchecked("y");
    }

    @Override
    public List<Expectation> expect(Instance instance, Inputs inputs, long seed) {
        Subject subject = new Subject(instance);
        Buffer y = subject.buffer("y");
        Tensor x = subject.tensor("x", inputs);
        int in = (int) x.shape().dim(0);
        int out = (int) y.shape().dim(0);
        double[] vector = Formats.read(x);
        var weights = new Int4DequantizeReference.Int4Weights(subject, inputs, in, out);
        long[] positions = new long[out];
        double[] want = new double[out];
        double[] plain = new double[out];
        IntStream.range(0, out).parallel().forEach(col -> {
            double sum = 0;
            for (int row = 0; row < in; row++) {
                sum += (double) weights.steps(row, col) * weights.scale(row, col) * vector[row];
            }
            positions[col] = col;
            want[col] = sum;
            plain[col] = Formats.round(y.type(), sum);
        });
        return List.of(new Expectation(y.name(), positions, want, plain));
    }
}
