package dev.panamark.kernel;

import dev.panamark.kernel.format.DataType;
import java.lang.foreign.MemorySegment;

/**
 * Host memory seen as elements, row-major.
 *
 * @param type element type
 * @param shape extents
 * @param data exactly {@code shape.elements() * type.bytes()} bytes, little-endian
 */
public record Tensor(DataType type, Shape shape, MemorySegment data) {
    /** Refuses memory of another size. */
    public Tensor {
        long want = Math.multiplyExact(shape.elements(), type.bytes());
        if (data.byteSize() != want) {
            throw new IllegalArgumentException(
                    "a " + type.tag() + " tensor of " + shape + " takes " + want + " bytes, not " + data.byteSize());
        }
    }
}
