package dev.panamark.device;

import dev.panamark.kernel.Argument;

/**
 * Size and alignment of a parameter's value by the C rules of the 64-bit ABIs: a number is aligned to its size, a
 * struct to its most aligned member, and its size is a multiple of that.
 *
 * @param size bytes
 * @param alignment bytes, a power of two
 */
public record ArgumentLayout(long size, long alignment) {

    /**
     * That of an argument.
     *
     * @throws UnsupportedException for a tensor map, whose layout is its device's own
     */
    public static ArgumentLayout of(Argument argument) {
        return switch (argument) {
            case Argument.BufferAddress a -> new ArgumentLayout(8, 8);
            case Argument.PointerTo p -> new ArgumentLayout(8, 8);
            case Argument.Scalar s ->
                switch (s.bytes()) {
                    case 1, 2, 4, 8 -> new ArgumentLayout(s.bytes(), s.bytes());
                    default ->
                        throw new IllegalArgumentException(
                                "a scalar of type " + s.type() + " takes 1, 2, 4 or 8 bytes, not " + s.bytes());
                };
            case Argument.Struct s -> {
                long size = 0;
                long alignment = 1;
                for (Argument member : s.members()) {
                    ArgumentLayout layout = of(member);
                    size = layout.place(size) + layout.size();
                    alignment = Math.max(alignment, layout.alignment());
                }
                yield new ArgumentLayout(align(size, alignment), alignment);
            }
            case Argument.TensorMapValue t ->
                throw new UnsupportedException("there are no tensor maps here, and '" + t.name()
                        + "' is one; pass the buffer's address and strides instead");
        };
    }

    /** The first offset from {@code offset} on where such a value may lie. */
    public long place(long offset) {
        return align(offset, alignment);
    }

    /** The first multiple of a power of two from {@code offset} on. */
    public static long align(long offset, long alignment) {
        return (offset + alignment - 1) & -alignment;
    }
}
