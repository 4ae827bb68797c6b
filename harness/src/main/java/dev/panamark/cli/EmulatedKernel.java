package dev.panamark.cli;

import dev.panamark.device.Counted;
import dev.panamark.finding.Check;
import dev.panamark.finding.Explanation;
import dev.panamark.kernel.Instance;
import dev.panamark.report.FaultView;
import dev.panamark.report.LineView;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A kernel that was run.
 *
 * @param source that it was made of
 * @param counted what it did; empty where faults were looked for
 * @param lines of its source
 * @param explanation what holds it back, where that was asked for
 * @param checks what was looked for
 * @param faults that were found
 */
record EmulatedKernel(
        Instance instance,
        SourceText source,
        Optional<Counted> counted,
        List<LineView> lines,
        Optional<Explanation> explanation,
        Set<Check> checks,
        List<FaultView> faults) {
    /** Copies. */
    EmulatedKernel {
        lines = List.copyOf(lines);
        faults = List.copyOf(faults);
    }

    static EmulatedKernel counted(
            Instance instance,
            SourceText source,
            Counted counted,
            List<LineView> lines,
            Optional<Explanation> explanation) {
        return new EmulatedKernel(instance, source, Optional.of(counted), lines, explanation, Set.of(), List.of());
    }

    static EmulatedKernel checked(Instance instance, SourceText source, Set<Check> checks, List<FaultView> faults) {
        return new EmulatedKernel(instance, source, Optional.empty(), List.of(), Optional.empty(), checks, faults);
    }
}
