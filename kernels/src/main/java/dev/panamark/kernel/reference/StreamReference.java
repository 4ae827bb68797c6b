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
 * {@code ceiling.stream}: {@code src} (f32) [reads, n] to {@code dst} (f32) [writes, n], in f32:
 * {@code dst[w][i] = (((src[0][i] + src[1][i]) + src[2][i]) + ...) * (w + 1)}. Every bit is checked.
 */
final class StreamReference implements Reference {
    @Override
    public String name() {
        return "ceiling.stream";
    }

    @Override
    public List<String> faults(Instance instance) {
        Faults faults = new Faults(new Subject(instance), name());
        faults.onlyConventions();
        Optional<Buffer> src = faults.input("src", "[reads, n]").filter(b -> faults.rank(b, "[reads, n]", 2));
        Optional<Buffer> dst = faults.output("dst", "[writes, n]").filter(b -> faults.rank(b, "[writes, n]", 2));
        src.ifPresent(b -> faults.type(b, DataType.F32));
        dst.ifPresent(b -> faults.type(b, DataType.F32));
        if (src.isPresent() && dst.isPresent()) {
            faults.shape(
                    dst.get(),
                    "[writes, n]",
                    List.of(dst.get().shape().dim(0), src.get().shape().dim(1)));
        }
        return faults.orUnchecked("dst");
    }

    @Override
    public List<Expectation> expect(Instance instance, Inputs inputs, long seed) {
        Subject subject = new Subject(instance);
        Tensor src = subject.tensor("src", inputs);
        Buffer dst = subject.buffer("dst");
        long n = src.shape().dim(1);
        return List.of(Expectation.ofWhole(dst.name(), (from, count, into) -> {
            for (int done = 0; done < count; ) {
                long row = (from + done) / n;
                long column = (from + done) % n;
                int length = (int) Math.min(count - done, n - column);
                float[] sums = sums(src, column, length);
                for (int i = 0; i < length; i++) {
                    Formats.setBits(DataType.F32, into, done + i, Float.floatToRawIntBits(sums[i] * (row + 1)));
                }
                done += length;
            }
        }));
    }

    private static float[] sums(Tensor src, long column, int length) {
        long n = src.shape().dim(1);
        float[] sums = new float[length];
        double[] values = new double[length];
        for (long r = 0; r < src.shape().dim(0); r++) {
            Formats.read(src, r * n + column, length, values, 0);
            for (int i = 0; i < length; i++) {
                // The first row is taken, not added to 0, which would turn -0 into 0.
                sums[i] = r == 0 ? (float) values[i] : sums[i] + (float) values[i];
            }
        }
        return sums;
    }
}
