package dev.panamark.device.emulated;

import dev.panamark.device.LaunchExplainer;
import dev.panamark.finding.Explanation;
import dev.panamark.ptx.DeviceMemory;
import dev.panamark.ptx.LaunchOptions;
import dev.panamark.ptx.check.Check;
import dev.panamark.ptx.check.Checker;
import dev.panamark.ptx.count.AccessPatterns;
import dev.panamark.ptx.count.BankConflicts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Explains launches of one emulated device. */
final class Explainer implements LaunchExplainer {
    private final DeviceMemory memory;
    private final Path folder;
    private final OccupancyRules rules;
    private final List<Explanation.Residency> launches = new ArrayList<>();

    /** Null while nothing is explained. */
    private @Nullable Checker collecting;

    /** @param folder for files that are gone when the program ends */
    Explainer(DeviceMemory memory, Path folder, OccupancyRules rules) {
        this.memory = memory;
        this.folder = folder;
        this.rules = rules;
    }

    @Override
    public Explanation explain(Runnable work) {
        AccessPatterns patterns = new AccessPatterns(LaunchOptions.plain().pairing());
        launches.clear();
        try (Checker checker = new Checker(memory, EnumSet.noneOf(Check.class), folder, Optional.of(patterns))) {
            collecting = checker;
            work.run();
        } finally {
            collecting = null;
        }
        return new Explanation(
                launches, patterns.conflicts().stream().map(Explainer::conflict).toList(), patterns.dropped());
    }

    private static Explanation.BankConflict conflict(BankConflicts c) {
        return new Explanation.BankConflict(
                c.kernel(),
                c.line(),
                c.together(),
                c.requests(),
                c.excess(),
                c.bytes(),
                c.load(),
                c.first(),
                c.last(),
                c.banks().stream()
                        .map(bank -> new Explanation.Bank(bank.bank(), bank.lanes(), bank.words()))
                        .toList(),
                c.alike(),
                c.remedies().stream()
                        .map(r -> new Explanation.Remedy(
                                r.rowBytes(), r.pad(), r.piece(), r.repeat(), r.period(), r.before(), r.after()))
                        .toList());
    }

    /** The options of a launch, which is noted, if any is explained. */
    LaunchOptions looking(LaunchOptions options, Tally.Launch launch) {
        if (collecting == null) {
            return options;
        }
        launches.add(rules.residency(launch));
        return options.checker(collecting);
    }
}
