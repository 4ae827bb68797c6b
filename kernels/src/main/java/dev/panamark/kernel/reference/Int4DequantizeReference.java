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
 * {@code quant.int4.dequantize}: codes {@code q}, scales {@code s} (f32) and zero points {@code z} to {@code out} [rows,
 * cols], every bit checked: {@code out = (code - zero) * scale} in f32, rounded to nearest even. Conventions {@code
 * packing} ({@link Int4Packing}) and {@code group}: elements that share a scale, -1 for a whole row or column.
 */
final class Int4DequantizeReference implements Reference {
    @Override
    public String name() {
        return "quant.int4.dequantize";
    }

    @Override
    public List<String> faults(Instance instance) {
        Subject subject = new Subject(instance);
        Faults faults = new Faults(subject, name());
        faults.onlyConventions("group", "packing");
        faults.needNumber("group", "the elements that share a scale");
        Int4Packing.check(faults);
        Optional<Buffer> q = faults.input("q", "of codes");
        Optional<Buffer> s = faults.input("s", "of f32 scales");
        Optional<Buffer> z = faults.input("z", "of zero points");
        Optional<Buffer> out = faults.output("out", "[rows, cols]").filter(b -> faults.rank(b, "[rows, cols]", 2));
        out.ifPresent(b -> faults.type(b, DataType.F32, DataType.F16, DataType.BF16));
        if (q.isPresent() && s.isPresent() && z.isPresent() && out.isPresent()) {
            Int4Packing.of(subject)
                    .checkShapes(
                            faults,
                            subject,
                            out.get().shape().dim(0),
                            out.get().shape().dim(1),
                            q.get(),
                            s.get());
        }
        return faults.orUnchecked("out");
    }

    @Override
    public List<Expectation> expect(Instance instance, Inputs inputs, long seed) {
        Subject subject = new Subject(instance);
        Buffer out = subject.buffer("out");
        long cols = out.shape().dim(1);
        Int4Weights weights = new Int4Weights(subject, inputs, out.shape().dim(0), cols);
        return List.of(Expectation.ofWhole(out.name(), (from, count, into) -> {
            for (int i = 0; i < count; i++) {
                long row = (from + i) / cols;
                long col = (from + i) % cols;
                float value = weights.steps(row, col) * weights.scale(row, col);
                Formats.setBits(out.type(), into, i, Formats.encode(out.type(), value));
            }
        }));
    }

    /** A quantized matrix as a kernel reads it. */
    static final class Int4Weights {
        private final Int4Packing packing;
        private final Groups groups;
        private final Tensor q;
        private final Tensor s;
        private final Tensor z;
        private final long cols;

        Int4Weights(Subject subject, Inputs inputs, long rows, long cols) {
            this.packing = Int4Packing.of(subject);
            this.groups = packing.groups(rows, cols, (long) subject.number("group", -1));
            this.q = subject.tensor("q", inputs);
            this.s = subject.tensor("s", inputs);
            this.z = subject.tensor("z", inputs);
            this.cols = cols;
        }

        /** Code less zero point. */
        int steps(long row, long col) {
            return (int) (packing.code(q, row, col, cols) - packing.zero(z, groups.of(row * cols + col)));
        }

        /** The scale of an element. */
        float scale(long row, long col) {
            return (float) Formats.get(s, groups.of(row * cols + col));
        }
    }
}
