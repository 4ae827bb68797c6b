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
 * {@code quant.fp8}: {@code x} [rows, cols] to {@code q} [rows, cols] and scales {@code s} (f32), every bit checked.
 *
 * <p>All arithmetic is f32: {@code scale = amax / max} (1 where that is 0), {@code q = x / scale} by a true division,
 * rounded to nearest even and held at the largest finite value (convention {@code arithmetic: f32-divide}). Convention
 * {@code granularity}: {@code tensor} (s [1]), {@code token} (s [rows]), {@code head} (s [heads]), {@code token-head}
 * (s [rows, heads]), {@code block128} (s [rows, ceil(cols/128)]), with {@code heads} where it names heads. Convention
 * {@code max}: 448 for e4m3, 57344 for e5m2 and e5m2fnuz, 224 for e4m3fnuz (as vLLM, which avoids its 240) unless given.
 */
final class Fp8Reference implements Reference {
    @Override
    public String name() {
        return "quant.fp8";
    }

    @Override
    public List<String> faults(Instance instance) {
        Subject subject = new Subject(instance);
        Faults faults = new Faults(subject, name());
        faults.onlyConventions("granularity", "heads", "arithmetic", "max");
        faults.word("arithmetic", "f32-divide");
        Granularity.check(faults, subject);
        faults.number("max");
        if (subject.number("max", 1) <= 0) {
            faults.add("check.conventions.max: " + subject.number("max", 1) + ", expected a number above 0");
        }
        Optional<Buffer> x = faults.input("x", "[rows, cols]").filter(b -> faults.rank(b, "[rows, cols]", 2));
        x.ifPresent(b -> faults.type(b, DataType.F32, DataType.F16, DataType.BF16));
        Optional<Buffer> q = faults.output("q", "[rows, cols]");
        q.ifPresent(b -> faults.type(b, DataType.E4M3, DataType.E5M2, DataType.E4M3FNUZ, DataType.E5M2FNUZ));
        Optional<Buffer> s = faults.output("s", "of f32 scales");
        if (x.isPresent() && q.isPresent() && s.isPresent()) {
            faults.shape(q.get(), "[rows, cols]", x.get().shape().dims());
            faults.type(s.get(), DataType.F32);
            Granularity.of(subject, x.get(), s.get()).checkShapes(faults, subject, x.get(), s.get());
        }
        return faults.orUnchecked("q", "s");
    }

    private static double largest(DataType type) {
        return type == DataType.E4M3FNUZ ? 224 : Formats.maxFinite(type);
    }

    @Override
    public List<Expectation> expect(Instance instance, Inputs inputs, long seed) {
        Subject subject = new Subject(instance);
        Tensor x = subject.tensor("x", inputs);
        Buffer matrix = subject.buffer("x");
        Buffer q = subject.buffer("q");
        Buffer s = subject.buffer("s");
        Groups groups = Granularity.of(subject, matrix, s).groups(subject, matrix);
        float[] scales = groups.scales(x, (float) subject.number("max", largest(q.type())));
        return List.of(
                Expectation.ofWhole(q.name(), (from, count, into) -> {
                    double[] values = new double[count];
                    Formats.read(x, from, count, values, 0);
                    for (int i = 0; i < count; i++) {
                        float quotient = (float) values[i] / scales[groups.of(from + i)];
                        Formats.setBits(q.type(), into, i, Formats.encodeSaturating(q.type(), quotient));
                    }
                }),
                Groups.expectation(s.name(), scales));
    }
}
