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
 * {@code gemm}: {@code c} [m, n] = {@code a} [m, k] times the transpose of {@code b} [n, k], in double precision; the plain formula
 * is that sum rounded once. Every element, or where that takes more than 2^29 multiplications, a sample.
 */
final class GemmReference implements Reference {
    private static final long PRODUCTS = 1L << 29;

    @Override
    public String name() {
        return "gemm";
    }

    @Override
    public List<String> faults(Instance instance) {
        Faults faults = new Faults(new Subject(instance), name());
        faults.onlyConventions();
        Optional<Buffer> a = faults.input("a", "[m, k]").filter(b -> faults.rank(b, "[m, k]", 2));
        Optional<Buffer> b = faults.input("b", "[n, k]").filter(t -> faults.rank(t, "[n, k]", 2));
        Optional<Buffer> c = faults.output("c", "[m, n]").filter(t -> faults.rank(t, "[m, n]", 2));
        a.ifPresent(faults::floating);
        b.ifPresent(faults::floating);
        c.ifPresent(faults::floating);
        if (a.isPresent() && b.isPresent()) {
            long m = a.get().shape().dim(0);
            long n = b.get().shape().dim(0);
            faults.shape(
                    b.get(), "[n, k], k as in a", List.of(n, a.get().shape().dim(1)));
            c.ifPresent(t -> faults.shape(t, "[m, n], the rows of a and of b", List.of(m, n)));
        }
        return faults.orUnchecked("c");
    }

    @Override
    public List<Expectation> expect(Instance instance, Inputs inputs, long seed) {
        Subject subject = new Subject(instance);
        Buffer c = subject.buffer("c");
        Tensor left = subject.tensor("a", inputs);
        double[] a = Formats.read(left);
        double[] b = Formats.read(subject.tensor("b", inputs));
        int k = (int) left.shape().dim(1);
        long n = c.shape().dim(1);
        long[] positions = Sample.of(c.shape().elements(), (int) Math.max(1, PRODUCTS / k), seed);
        double[] want = new double[positions.length];
        double[] plain = new double[positions.length];
        IntStream.range(0, positions.length).parallel().forEach(i -> {
            int row = (int) (positions[i] / n) * k;
            int column = (int) (positions[i] % n) * k;
            double sum = 0;
            for (int l = 0; l < k; l++) {
                sum += a[row + l] * b[column + l];
            }
            want[i] = sum;
            plain[i] = Formats.round(c.type(), sum);
        });
        return List.of(new Expectation(c.name(), positions, want, plain));
    }
}
