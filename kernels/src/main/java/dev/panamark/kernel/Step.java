package dev.panamark.kernel;

import java.util.List;
import java.util.Optional;

/** One of the actions that together are timed as one. */
public sealed interface Step {

    /**
     * A kernel launch.
     *
     * @param entry name of the function in the image
     * @param grid blocks
     * @param block threads of a block (1x1x1 on a CPU, which has only blocks)
     * @param shared dynamic shared memory of a block, bytes
     * @param args parameters in order
     * @param cluster blocks of a cluster, where the kernel wants clusters
     * @param cooperative whether all blocks must be resident together
     */
    record Launch(
            String entry,
            Dim3 grid,
            Dim3 block,
            long shared,
            List<Argument> args,
            Optional<Dim3> cluster,
            boolean cooperative)
            implements Step {
        /** Copies the arguments. */
        public Launch {
            args = List.copyOf(args);
        }
    }

    /**
     * Every byte of a buffer set to one value.
     *
     * @param buffer its name
     * @param value 0 to 255
     */
    record Memset(String buffer, int value) implements Step {}
}
