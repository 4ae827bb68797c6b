package dev.panamark.device.gpu;

import dev.panamark.device.UnsupportedException;
import dev.panamark.kernel.Dim3;

/** Sizes of grids and blocks, which drivers take as 32-bit numbers. */
public final class Extents {
    private Extents() {}

    /**
     * Refuses a size that does not fit.
     *
     * @param which of the kernel's sizes it is, for the message
     */
    public static void require(String kernel, String which, Dim3 size) {
        if (size.x() > Integer.MAX_VALUE || size.y() > Integer.MAX_VALUE || size.z() > Integer.MAX_VALUE) {
            throw new UnsupportedException(
                    kernel + ": a " + which + " of " + size + " is more than a GPU takes (2^31 - 1)");
        }
    }
}
