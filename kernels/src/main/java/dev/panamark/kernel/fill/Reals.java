package dev.panamark.kernel.fill;

import dev.panamark.kernel.Buffer;
import dev.panamark.kernel.Fill;
import java.util.Arrays;

/** The real numbers that a buffer stands for, before scaling and rounding; for fills that need no other buffer. */
final class Reals {
    private final Buffer buffer;
    private final Fill fill;
    private final Draws draws;

    Reals(Buffer buffer, Fill fill, long seed) {
        this.buffer = buffer;
        this.fill = fill;
        this.draws = new Draws(seed, buffer.name());
    }

    /** Writes the reals of positions (of numbers, of which an element may hold two) {@code from .. from + count - 1} to the start of {@code into}. */
    void read(long from, int count, double[] into) {
        switch (fill) {
            case Fill.Normal f -> {
                for (int i = 0; i < count; i++) {
                    into[i] = f.mean() + f.stdev() * draws.normal(from + i);
                }
            }
            case Fill.Uniform f
            when buffer.holdsReals() -> {
                double width = f.max() - f.min();
                for (int i = 0; i < count; i++) {
                    into[i] = f.min() + width * draws.uniform(from + i);
                }
            }
            case Fill.Uniform f -> whole((long) Math.ceil(f.min()), (long) Math.floor(f.max()), from, count, into);
            case Fill.Lengths f -> whole(f.uniform() ? f.min() : f.max(), f.max(), from, count, into);
            case Fill.Constant f -> Arrays.fill(into, 0, count, f.value());
            case Fill.Iota f -> {
                for (int i = 0; i < count; i++) {
                    into[i] = f.start() + f.step() * (double) (from + i);
                }
            }
            case Fill.PageTable f -> throw dependent(f);
            case Fill.AmaxOf f -> throw dependent(f);
            case Fill.Bits f -> throw dependent(f);
        }
    }

    private void whole(long min, long max, long from, int count, double[] into) {
        if (max < min) {
            throw new FillException(
                    buffer.name(), "no whole number lies between min " + min + " and max " + max + "; raise max");
        }
        for (int i = 0; i < count; i++) {
            into[i] = (double) (min + draws.below(from + i, max - min + 1));
        }
    }

    private FillException dependent(Fill f) {
        return new FillException(
                buffer.name(),
                "a fill of kind " + f.getClass().getSimpleName()
                        + " has no reals to scale; use normal, uniform, constant or iota");
    }
}
