package dev.panamark.kernel;

import java.util.List;

/** One kernel parameter, by value, as {@code cuLaunchKernel} takes it. */
public sealed interface Argument {

    /** The address of a buffer. */
    record BufferAddress(String buffer) implements Argument {}

    /** The bits of a number, {@code bytes} of them (1, 2, 4 or 8), little-endian, aligned to their size. */
    record Scalar(String type, long bits, int bytes) implements Argument {}

    /** Members laid out as a C struct: each aligned to its size, the whole padded to the largest alignment. */
    record Struct(List<Argument> members) implements Argument {
        /** Copies. */
        public Struct {
            members = List.copyOf(members);
        }
    }

    /** The address of device memory that holds one value, which the harness fills before the first launch. */
    record PointerTo(Argument target) implements Argument {}

    /** A 128-byte tensor map, encoded by the driver, passed by value. */
    record TensorMapValue(String name) implements Argument {}
}
