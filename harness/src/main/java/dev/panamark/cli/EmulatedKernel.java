package dev.panamark.cli;

import dev.panamark.device.Counted;
import dev.panamark.kernel.Instance;
import dev.panamark.report.LineView;
import java.util.List;

/**
 * A kernel that was run once.
 *
 * @param counted what it did
 * @param lines of its source
 *
 */
record EmulatedKernel(Instance instance, Counted counted, List<LineView> lines) {
    /** Copies. */
    EmulatedKernel {
        lines = List.copyOf(lines);
    }
}
