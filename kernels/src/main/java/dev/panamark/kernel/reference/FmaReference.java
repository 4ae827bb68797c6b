package dev.panamark.kernel.reference;

import dev.panamark.kernel.Buffer;
import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.Instance;
import dev.panamark.kernel.format.DataType;
import dev.panamark.kernel.format.Formats;
import java.util.List;

/**
 * {@code ceiling.fma}: each element of {@code out} (f32) is a chain of {@code steps} fused multiply-adds
 * {@code x = fma(x, a, b)} in f32, from {@code 1 + (i % 32) / 32} for element i. Conventions {@code steps}, {@code a},
 * {@code b}; a and b are rounded to f32.
 */
final class FmaReference implements Reference {
    private static final int STARTS = 32;

    @Override
    public String name() {
        return "ceiling.fma";
    }

    @Override
    public List<String> faults(Instance instance) {
        Faults faults = new Faults(new Subject(instance), name());
        faults.onlyConventions("steps", "a", "b");
        faults.needNumber("steps", "the length of the chain");
        faults.needNumber("a", "the factor");
        faults.needNumber("b", "the summand");
        faults.output("out", "of f32").ifPresent(b -> faults.type(b, DataType.F32));
        return faults.orUnchecked("out");
    }

    @Override
    public List<Expectation> expect(Instance instance, Inputs inputs, long seed) {
        Subject subject = new Subject(instance);
        Buffer out = subject.buffer("out");
        long steps = (long) subject.number("steps", 0);
        float a = (float) subject.number("a", 0);
        float b = (float) subject.number("b", 0);
        float[] ends = new float[STARTS];
        for (int i = 0; i < STARTS; i++) {
            ends[i] = 1 + i * 0.03125f;
        }
        for (long n = 0; n < steps; n++) {
            for (int i = 0; i < STARTS; i++) {
                ends[i] = Math.fma(ends[i], a, b);
            }
        }
        return List.of(Expectation.ofWhole(out.name(), (from, count, into) -> {
            for (int i = 0; i < count; i++) {
                Formats.setBits(DataType.F32, into, i, Float.floatToRawIntBits(ends[(int) ((from + i) % STARTS)]));
            }
        }));
    }
}
