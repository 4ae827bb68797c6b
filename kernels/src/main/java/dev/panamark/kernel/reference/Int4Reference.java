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
 * {@code quant.int4}: {@code x} [rows, cols] to {@code q} (u8) [rows, cols/2] and scales {@code s} (f32)
 * [rows, cols/group], every bit checked.
 *
 * <p>Symmetric, in f32: {@code scale = amax / 7} (1 where amax is 0),
 * {@code code = clamp(rint(x / scale), -8, 7) + 8}; two codes of neighbouring columns a byte, the low nibble first.
 * Convention {@code group}: columns that share a scale, -1 for a whole row; by default what the shape of {@code s} says.
 */
final class Int4Reference implements Reference {
    @Override
    public String name() {
        return "quant.int4";
    }

    @Override
    public List<String> faults(Instance instance) {
        Subject subject = new Subject(instance);
        Faults faults = new Faults(subject, name());
        faults.onlyConventions("group");
        faults.number("group");
        Optional<Buffer> x = faults.input("x", "[rows, cols]").filter(b -> faults.rank(b, "[rows, cols]", 2));
        x.ifPresent(b -> faults.type(b, DataType.F32, DataType.F16, DataType.BF16));
        Optional<Buffer> q = faults.output("q", "[rows, cols/2]");
        Optional<Buffer> s = faults.output("s", "[rows, cols/group]");
        q.ifPresent(b -> faults.type(b, DataType.U8));
        s.ifPresent(b -> faults.type(b, DataType.F32));
        if (x.isPresent() && q.isPresent() && s.isPresent()) {
            shapes(subject, faults, x.get(), q.get(), s.get());
        }
        return faults.orUnchecked("q", "s");
    }

    private static void shapes(Subject subject, Faults faults, Buffer x, Buffer q, Buffer s) {
        long rows = x.shape().dim(0);
        long cols = x.shape().dim(1);
        if (cols % 2 != 0) {
            faults.add("buffers." + x.name() + ".shape: " + x.shape() + ", expected an even number of columns");
        }
        faults.shape(q, "[rows, cols/2]", List.of(rows, cols / 2));
        long group = group(subject, x, s);
        if (group < 1 || cols % group != 0) {
            faults.add("check.conventions.group: " + group + " does not divide the " + cols + " columns of " + x.name()
                    + " (-1 means a whole row)");
        } else if (s.shape().elements() != rows * (cols / group)) {
            faults.shape(s, "[rows, cols/group]", List.of(rows, cols / group));
        }
    }

    private static long group(Subject subject, Buffer x, Buffer s) {
        long rows = x.shape().dim(0);
        long cols = x.shape().dim(1);
        long perRow = Math.max(1, s.shape().elements() / Math.max(1, rows));
        long group = subject.number("group").map(Double::longValue).orElse(cols / perRow);
        return group == -1 ? cols : group;
    }

    @Override
    public List<Expectation> expect(Instance instance, Inputs inputs, long seed) {
        Subject subject = new Subject(instance);
        Tensor x = subject.tensor("x", inputs);
        Buffer q = subject.buffer("q");
        Buffer s = subject.buffer("s");
        Groups groups = new Groups(x.shape().dim(0), x.shape().dim(1), group(subject, subject.buffer("x"), s));
        float[] scales = groups.scales(x, 7);
        return List.of(
                Expectation.ofWhole(q.name(), (from, count, into) -> {
                    double[] values = new double[2 * count];
                    Formats.read(x, 2 * from, 2 * count, values, 0);
                    for (int i = 0; i < count; i++) {
                        long low = code((float) values[2 * i], scales[groups.of(2 * (from + i))]);
                        long high = code((float) values[2 * i + 1], scales[groups.of(2 * (from + i) + 1)]);
                        Formats.setBits(DataType.U8, into, i, low | (high << 4));
                    }
                }),
                Groups.expectation(s.name(), scales));
    }

    private static long code(float x, float scale) {
        return (long) Math.clamp(Math.rint(x / scale), -8, 7) + 8;
    }
}
