package dev.panamark.kernel.reference;

import dev.panamark.kernel.Tensor;
import dev.panamark.kernel.format.Blocks;
import dev.panamark.kernel.format.DataType;
import dev.panamark.kernel.format.Formats;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Elements of a matrix that share a scale: stretches of a row.
 *
 * @param rows of the matrix; 1 where one scale serves all
 * @param cols elements of a row
 * @param width elements of a group; the last one of a row may be shorter
 */
record Groups(long rows, long cols, long width) {

    /** Groups of a row. */
    long perRow() {
        return Math.ceilDiv(cols, width);
    }

    /** Groups in all. */
    long count() {
        return rows * perRow();
    }

    /** The group of an element. */
    int of(long position) {
        return (int) (position / cols * perRow() + position % cols / width);
    }

    /** Scales in f32: the largest magnitude of each group divided by {@code max}; 1 for a group of zeros. */
    float[] scales(Tensor x, float max) {
        AtomicIntegerArray largest = new AtomicIntegerArray(Math.toIntExact(count()));
        // Magnitudes are at least 0, where the order of floats is that of their bits.
        Blocks.each(x.shape().elements(), (from, count) -> {
            double[] values = new double[count];
            Formats.read(x, from, count, values, 0);
            for (int i = 0; i < count; ) {
                int group = of(from + i);
                float amax = 0;
                for (; i < count && of(from + i) == group; i++) {
                    amax = Math.max(amax, Math.abs((float) values[i]));
                }
                largest.accumulateAndGet(group, Float.floatToIntBits(amax), Math::max);
            }
        });
        float[] scales = new float[largest.length()];
        for (int g = 0; g < scales.length; g++) {
            float amax = Float.intBitsToFloat(largest.get(g));
            scales[g] = amax == 0 ? 1 : amax / max;
        }
        return scales;
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
