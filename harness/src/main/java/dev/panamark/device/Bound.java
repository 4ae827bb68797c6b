package dev.panamark.device;

import dev.panamark.kernel.Dim3;

/** A function with its parameters. */
public interface Bound {

    /**
     * Launches; may return before the work is done. Allocates nothing.
     *
     * @param grid blocks
     * @param block threads of a block
     * @param shared dynamic shared memory of a block, bytes
     */
    void launch(Dim3 grid, Dim3 block, long shared);
}
