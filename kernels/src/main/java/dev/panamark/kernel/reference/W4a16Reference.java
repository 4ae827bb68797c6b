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
 * [in, out] of {@code quant.int4.dequantize}: {@code q}, {@code s}, {@code z}. {@code quant.w4a16_gemm} is the same for {@code x}
 * [rows, in] and {@code y} [rows, out]. In double precision; the plain formula is that sum rounded once. Every output, or where
 * that takes more than 2^31 multiplications, all rows of some outputs.
 */
final class W4a16Reference implements Reference {
    private static final long PRODUCTS = 1L << 31;

    private final boolean matrix;

    private W4a16Reference(boolean matrix) {
        this.matrix = matrix;
    }

    static W4a16Reference gemv() {
        return new W4a16Reference(false);
    }

    static W4a16Reference gemm() {
        return new W4a16Reference(true);
    }

    @Override
    public String name() {
        return matrix ? "quant.w4a16_gemm" : "quant.w4a16_gemv";
    }

    @Override
    public List<String> faults(Instance instance) {
        Subject subject = new Subject(instance);
        Faults faults = new Faults(subject, name());
        faults.onlyConventions("group", "packing");
        faults.needNumber("group", "the inputs that share a scale");
        Int4Packing.check(faults);
        int rank = matrix ? 2 : 1;
        String given = matrix ? "[rows, in]" : "[in]";
        String made = matrix ? "[rows, out]" : "[out]";
        Optional<Buffer> q = faults.input("q", "of codes");
        Optional<Buffer> s = faults.input("s", "of f32 scales");
        Optional<Buffer> z = faults.input("z", "of zero points");
        Optional<Buffer> x = faults.input("x", given).filter(b -> faults.rank(b, given, rank));
        Optional<Buffer> y = faults.output("y", made).filter(b -> faults.rank(b, made, rank));
        x.ifPresent(faults::floating);
        y.ifPresent(faults::floating);
        if (q.isPresent() && s.isPresent() && z.isPresent() && x.isPresent() && y.isPresent()) {
            long out = y.get().shape().dim(rank - 1);
            if (matrix) {
                faults.shape(
                        y.get(),
                        made + ", as many rows as x",
                        List.of(x.get().shape().dim(0), out));
            }
            Int4Packing.of(subject).checkShapes(faults, subject, x.get().shape().dim(rank - 1), out, q.get(), s.get());
        }
        return faults.orUnchecked("y");
    }

    @Override
    public List<Expectation> expect(Instance instance, Inputs inputs, long seed) {
        Subject subject = new Subject(instance);
        Buffer y = subject.buffer("y");
        Tensor x = subject.tensor("x", inputs);
        int rank = matrix ? 2 : 1;
        int rows = matrix ? (int) x.shape().dim(0) : 1;
        int in = (int) x.shape().dim(rank - 1);
        int out = (int) y.shape().dim(rank - 1);
        double[] given = Formats.read(x);
        var weights = new Int4DequantizeReference.Int4Weights(subject, inputs, in, out);
        long[] columns = Sample.of(out, Math.clamp(PRODUCTS / ((long) rows * in), 1, Integer.MAX_VALUE), seed);
        long[] positions = new long[rows * columns.length];
        double[] want = new double[positions.length];
        double[] plain = new double[positions.length];
        IntStream.range(0, columns.length).parallel().forEach(c -> {
            int col = (int) columns[c];
            double[] column = new double[in];
            for (int i = 0; i < in; i++) {
                column[i] = (double) weights.steps(i, col) * weights.scale(i, col);
            }
            for (int row = 0; row < rows; row++) {
                double sum = 0;
                for (int i = 0; i < in; i++) {
                    sum += column[i] * given[row * in + i];
                }
                int at = row * columns.length + c;
                positions[at] = (long) row * out + col;
                want[at] = sum;
                plain[at] = Formats.round(y.type(), sum);
            }
        });
        return List.of(new Expectation(y.name(), positions, want, plain));
    }
}
