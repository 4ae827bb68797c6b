package dev.panamark.kernel.reference;

import dev.panamark.kernel.Tensor;
import dev.panamark.kernel.format.Blocks;
import dev.panamark.kernel.format.DataType;
import dev.panamark.kernel.format.Formats;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Elements of a matrix that share a scale: rectangles, row by row.
 *
 * @param rows of the matrix
 * @param cols of the matrix
 * @param height rows of a group; the last ones may have fewer
 * @param width columns of a group; the last ones of a row may have fewer
 */
record Groups(long rows, long cols, long height, long width) {

    /** What is largest in a group. */
    private enum Part {
        MAGNITUDE,
        ABOVE_ZERO,
        BELOW_ZERO;

        float of(float x) {
            return switch (this) {
                case MAGNITUDE -> Math.abs(x);
                case ABOVE_ZERO -> Math.max(x, 0);
                case BELOW_ZERO -> Math.max(-x, 0);
            };
        }
    }

    /** Groups next to each other. */
    long perRow() {
        return Math.ceilDiv(cols, width);
    }

    /** Groups in all. */
    long count() {
        return Math.ceilDiv(rows, height) * perRow();
    }

    /** The group of an element. */
    int of(long position) {
        return (int) (position / cols / height * perRow() + position % cols / width);
    }

    /** Scales in f32: the largest magnitude of each group divided by {@code max}; 1 where that is 0. */
    float[] scales(Tensor x, float max) {
        float[] scales = largest(x, Part.MAGNITUDE);
        for (int g = 0; g < scales.length; g++) {
            scales[g] = orOne(scales[g] / max);
        }
        return scales;
    }

    /** The largest number of each group, at least 0. */
    float[] highs(Tensor x) {
        return largest(x, Part.ABOVE_ZERO);
    }

    /** How far the smallest number of each group lies below 0, at least 0. */
    float[] depths(Tensor x) {
        return largest(x, Part.BELOW_ZERO);
    }

    /** A scale that can be divided by. */
    static float orOne(float scale) {
        return scale == 0 ? 1 : scale;
    }

    private float[] largest(Tensor x, Part part) {
        AtomicIntegerArray largest = new AtomicIntegerArray(Math.toIntExact(count()));
        // Numbers are at least 0, where the order of floats is that of their bits.
        Blocks.each(x.shape().elements(), (from, count) -> {
            double[] values = new double[count];
            Formats.read(x, from, count, values, 0);
            for (int i = 0; i < count; ) {
                int group = of(from + i);
                float most = 0;
                for (; i < count && of(from + i) == group; i++) {
                    most = Math.max(most, part.of((float) values[i]));
                }
                largest.accumulateAndGet(group, Float.floatToIntBits(most), Math::max);
            }
        });
        float[] found = new float[largest.length()];
        for (int g = 0; g < found.length; g++) {
            found[g] = Float.intBitsToFloat(largest.get(g));
        }
        return found;
    }

    /** Every scale, bit for bit. */
    static Expectation expectation(String output, float[] scales) {
        return Expectation.ofWhole(output, (from, count, into) -> {
            for (int i = 0; i < count; i++) {
                Formats.setBits(DataType.F32, into, i, Float.floatToRawIntBits(scales[(int) from + i]));
            }
        });
    }
}
