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
 * {@code quant.fp8.dequantize}: {@code q} [rows, cols] in an 8-bit format and scales {@code s} (f32) to {@code out} [rows,
 * cols], every bit checked: {@code out = q * s} in f32, rounded to nearest even (convention {@code arithmetic:
 * f32-multiply}). Granularity as for {@code quant.fp8}. A NaN code becomes the quiet NaN of its sign; the FNUZ formats'
 * has none.
 */
final class Fp8DequantizeReference implements Reference {
    @Override
    public String name() {
        return "quant.fp8.dequantize";
    }

    @Override
    public List<String> faults(Instance instance) {
        Subject subject = new Subject(instance);
        Faults faults = new Faults(subject, name());
        faults.onlyConventions("granularity", "heads", "arithmetic");
        faults.word("arithmetic", "f32-multiply");
        Granularity.check(faults, subject);
        Optional<Buffer> q = faults.input("q", "[rows, cols]").filter(b -> faults.rank(b, "[rows, cols]", 2));
        q.ifPresent(b -> faults.type(b, DataType.E4M3, DataType.E5M2, DataType.E4M3FNUZ, DataType.E5M2FNUZ));
        Optional<Buffer> s = faults.input("s", "of f32 scales");
        Optional<Buffer> out = faults.output("out", "[rows, cols]");
        out.ifPresent(b -> faults.type(b, DataType.F32, DataType.F16, DataType.BF16));
        if (q.isPresent() && s.isPresent() && out.isPresent()) {
            faults.shape(out.get(), "[rows, cols]", q.get().shape().dims());
            faults.type(s.get(), DataType.F32);
            Granularity.of(subject, q.get(), s.get()).checkShapes(faults, subject, q.get(), s.get());
        }
        return faults.orUnchecked("out");
    }

    @Override
    public List<Expectation> expect(Instance instance, Inputs inputs, long seed) {
        Subject subject = new Subject(instance);
        Tensor q = subject.tensor("q", inputs);
        Tensor s = subject.tensor("s", inputs);
        Buffer matrix = subject.buffer("q");
        Buffer out = subject.buffer("out");
        Groups groups = Granularity.of(subject, matrix, subject.buffer("s")).groups(subject, matrix);
        return List.of(Expectation.ofWhole(out.name(), (from, count, into) -> {
            for (int i = 0; i < count; i++) {
                long code = Formats.bits(q, from + i);
                float value = (float) Formats.decode(q.type(), code);
                float scale = (float) Formats.get(s, groups.of(from + i));
                Formats.setBits(out.type(), into, i, result(q.type(), out.type(), code, value * scale));
            }
        }));
    }

    private static long result(DataType from, DataType to, long code, float value) {
        if (!Float.isNaN(value)) {
            return Formats.encode(to, value);
        }
        boolean signed = from == DataType.E4M3 || from == DataType.E5M2;
        long sign = signed && (code & 0x80) != 0 ? 1L << (8 * to.bytes() - 1) : 0;
        return sign | Formats.encode(to, Double.NaN);
    }
}
