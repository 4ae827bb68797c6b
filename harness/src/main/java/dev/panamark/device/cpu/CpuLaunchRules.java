package dev.panamark.device.cpu;

import dev.panamark.device.UnsupportedException;
import dev.panamark.kernel.Dim3;
import dev.panamark.kernel.Step;
import java.util.Optional;

/** What a launch on a CPU may not ask for. */
final class CpuLaunchRules {
    private static final Dim3 ONE = new Dim3(1, 1, 1);

    private CpuLaunchRules() {}

    /** Refuses a launch that cannot be. */
    static void check(Step.Launch launch) {
        String entry = launch.entry();
        Optional<UnsupportedException> refusal = block(entry, launch.block())
                .or(() -> shared(entry, launch.shared()))
                .or(() -> launch.cluster().flatMap(c -> cluster(entry, c)))
                .or(() -> cooperative(entry, launch.cooperative()));
        if (refusal.isPresent()) {
            throw refusal.get();
        }
        blocks(entry, launch.grid());
    }

    static Optional<UnsupportedException> block(String entry, Dim3 block) {
        return block.equals(ONE)
                ? Optional.empty()
                : refuse(
                        entry,
                        "a block on a CPU is one call, so its extents are 1x1x1, not " + text(block)
                                + "; loop over the threads inside the kernel");
    }

    static Optional<UnsupportedException> shared(String entry, long shared) {
        return shared == 0
                ? Optional.empty()
                : refuse(
                        entry,
                        "a CPU has no shared memory, and the launch asks for " + shared
                                + " bytes; use arrays on the stack");
    }

    /** Blocks of a grid. */
    static long blocks(String entry, Dim3 grid) {
        try {
            return grid.count();
        } catch (ArithmeticException e) {
            throw new UnsupportedException(
                    entry + ": a grid of " + text(grid) + " has more than 2^63-1 blocks; make its extents smaller", e);
        }
    }

    private static Optional<UnsupportedException> cluster(String entry, Dim3 cluster) {
        return cluster.equals(ONE)
                ? Optional.empty()
                : refuse(entry, "a CPU has no clusters of blocks, and the launch asks for " + text(cluster));
    }

    private static Optional<UnsupportedException> cooperative(String entry, boolean cooperative) {
        return cooperative
                ? refuse(
                        entry,
                        "blocks on a CPU run one after another, so none may wait for another; "
                                + "use several launches instead of cooperative: true")
                : Optional.empty();
    }

    private static Optional<UnsupportedException> refuse(String entry, String why) {
        return Optional.of(new UnsupportedException(entry + ": " + why));
    }

    private static String text(Dim3 d) {
        return d.x() + "x" + d.y() + "x" + d.z();
    }
}
