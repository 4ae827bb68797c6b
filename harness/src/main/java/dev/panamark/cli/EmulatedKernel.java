package dev.panamark.cli;

import dev.panamark.device.Check;
import dev.panamark.device.Counted;
import dev.panamark.kernel.Instance;
import dev.panamark.report.FaultView;
import dev.panamark.report.LineView;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A kernel that was run once.
 *
 * @param counted what it did; empty where faults were looked for
 * @param lines of its source
 * @param checks what was looked for
 * @param faults that were found
 */
record EmulatedKernel(
        Instance instance, Optional<Counted> counted, List<LineView> lines, Set<Check> checks, List<FaultView> faults) {
    /** Copies. */
    EmulatedKernel {
        lines = List.copyOf(lines);
        faults = List.copyOf(faults);
    }

    static EmulatedKernel counted(Instance instance, Counted counted, List<LineView> lines) {
        return new EmulatedKernel(instance, Optional.of(counted), lines, Set.of(), List.of());
    }

    static EmulatedKernel checked(Instance instance, Set<Check> checks, List<FaultView> faults) {
        return new EmulatedKernel(instance, Optional.empty(), List.of(), checks, faults);
    }
}
