package dev.panamark.kernel.reference;

import dev.panamark.kernel.Buffer;
import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.Instance;
import dev.panamark.kernel.format.DataType;
import dev.panamark.kernel.format.Formats;
import java.util.List;
import java.util.Optional;

/**
 * {@code ceiling.mma}: {@code out} [blocks, m, n], f32 or i32; each block is {@code steps} times a [m, depth] times the
 * transpose of b [n, depth], with {@code a[i][k] = (7 i + 11 k) mod (2 most + 1) - most} and
 * {@code b[j][k] = (5 j + 13 k) mod (2 most + 1) - most}. Conventions {@code steps}, {@code depth}, {@code most}. Exact in f32 while
 * {@code steps · depth · most²} is below 2^24.
 */
final class MmaReference implements Reference {
    @Override
    public String name() {
        return "ceiling.mma";
    }

    @Override
    public List<String> faults(Instance instance) {
        Faults faults = new Faults(new Subject(instance), name());
        faults.onlyConventions("steps", "depth", "most");
        faults.needNumber("steps", "how often the product is added");
        faults.needNumber("depth", "the summands of a product");
        faults.needNumber("most", "the largest whole number that is multiplied");
        Optional<Buffer> out =
                faults.output("out", "[blocks, m, n] of f32 or i32").filter(b -> faults.rank(b, "[blocks, m, n]", 3));
        out.ifPresent(b -> faults.type(b, DataType.F32, DataType.I32));
        return faults.orUnchecked("out");
    }

    @Override
    public List<Expectation> expect(Instance instance, Inputs inputs, long seed) {
        Subject subject = new Subject(instance);
        Buffer out = subject.buffer("out");
        long steps = (long) subject.number("steps", 0);
        int depth = (int) subject.number("depth", 0);
        int most = (int) subject.number("most", 0);
        int m = (int) out.shape().dim(1);
        int n = (int) out.shape().dim(2);
        long[] block = new long[m * n];
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                for (int k = 0; k < depth; k++) {
                    block[i * n + j] += steps * number(7 * i + 11 * k, most) * number(5 * j + 13 * k, most);
                }
            }
        }
        return List.of(Expectation.ofWhole(out.name(), (from, count, into) -> {
            for (int i = 0; i < count; i++) {
                long sum = block[(int) ((from + i) % block.length)];
                long bits = out.type() == DataType.F32 ? Float.floatToRawIntBits((float) sum) : (int) sum;
                Formats.setBits(out.type(), into, i, bits);
            }
        }));
    }

    private static long number(long index, long most) {
        return index % (2 * most + 1) - most;
    }
}
