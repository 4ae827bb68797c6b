package dev.panamark.ptx.ir;

import java.util.List;

/**
 * A variable in global memory; every place that an allocation begins at is aligned enough for it.
 *
 * @param image its first bytes; the rest is 0
 * @param references places that hold addresses of variables
 */
@SuppressWarnings("ArrayRecordComponent") // Compared by identity, and the image may be large.
public record HostVariable(String name, long bytes, byte[] image, List<Reference> references) {
    /**
     * An address in the image.
     *
     * @param at offset in the image
     * @param variable number of the variable
     * @param width bytes, 4 or 8
     */
    public record Reference(int at, int variable, long offset, int width) {}

    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}
