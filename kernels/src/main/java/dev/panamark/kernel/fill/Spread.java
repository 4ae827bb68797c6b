package dev.panamark.kernel.fill;

import dev.panamark.kernel.Buffer;
import dev.panamark.kernel.Shape;
import java.util.List;

/**
 * Which element of a small buffer (of scales) belongs to an element of a large one. Along each of its dimensions the
 * small buffer has one element for every {@code n / s} neighbours of the large one, where the extents are s and n.
 */
final class Spread {
    private final long[] stride;
    private final long[] extent;
    private final long[] smallStride;
    private final long run;

    private Spread(long[] stride, long[] extent, long[] smallStride, long run) {
        this.stride = stride;
        this.extent = extent;
        this.smallStride = smallStride;
        this.run = run;
    }

    /**
     * @param dims for each dimension of {@code small}, the dimension of {@code large} that it runs along
     * @throws FillException if the extents do not divide
     */
    static Spread of(Buffer small, Buffer large, List<Integer> dims) {
        int rank = small.shape().rank();
        if (dims.size() != rank) {
            throw new FillException(
                    small.name(),
                    "fill.dims names " + dims.size() + " dimensions of " + large.name() + ", but the shape "
                            + small.shape() + " has " + rank);
        }
        long[] stride = new long[rank];
        long[] extent = new long[rank];
        long[] smallStride = new long[rank];
        long run = large.shape().elements();
        for (int i = 0; i < rank; i++) {
            int dim = dims.get(i);
            if (dim < 0 || dim >= large.shape().rank()) {
                throw new FillException(
                        small.name(),
                        "fill.dims[" + i + "] is " + dim + ", but " + large.name() + " has dimensions 0 to "
                                + (large.shape().rank() - 1));
            }
            long n = large.shape().dim(dim);
            long s = small.shape().dim(i);
            if (s < 1 || n % s != 0) {
                throw new FillException(
                        small.name(),
                        "extent " + s + " of dimension " + i + " does not divide extent " + n + " of dimension " + dim
                                + " of " + large.name());
            }
            stride[i] = stride(large.shape(), dim) * (n / s);
            extent[i] = s;
            smallStride[i] = stride(small.shape(), i);
            run = Math.min(run, stride[i]);
        }
        return new Spread(stride, extent, smallStride, run);
    }

    /** One element for all. */
    static Spread single(Buffer large) {
        return new Spread(new long[0], new long[0], new long[0], large.shape().elements());
    }

    /** Elements from one multiple of this on share one element of the small buffer. */
    long run() {
        return run;
    }

    /** Position in the small buffer for a position in the large one. */
    long at(long position) {
        long at = 0;
        for (int i = 0; i < stride.length; i++) {
            at += position / stride[i] % extent[i] * smallStride[i];
        }
        return at;
    }

    /** Elements between neighbours along a dimension. */
    static long stride(Shape shape, int dim) {
        long stride = 1;
        for (int i = shape.rank() - 1; i > dim; i--) {
            stride *= shape.dim(i);
        }
        return stride;
    }
}
