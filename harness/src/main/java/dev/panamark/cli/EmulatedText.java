package dev.panamark.cli;

import dev.panamark.device.Counted;
import dev.panamark.ffi.Availability;
import dev.panamark.kernel.Instance;
import dev.panamark.kernel.Step;
import dev.panamark.report.CountsComparison;
import dev.panamark.report.Numbers;
import java.util.ArrayList;
import java.util.List;

/** Sentences about a kernel that was emulated. */
final class EmulatedText {
    private static final String NONE = "-";
    private static final String OCCUPANCY = "occupancy";
    private static final String BOUND = "bound on time";

    private EmulatedText() {}

    /** Device, kernel and problem. */
    static String title(String device, Instance instance) {
        String problem = instance.problem().toString();
        return device + " \u00b7 " + instance.kernel() + (problem.isEmpty() ? "" : " \u00b7 " + problem);
    }

    /** A line each. */
    static List<String> launches(Instance instance) {
        List<String> out = new ArrayList<>();
        for (Step step : instance.steps()) {
            if (step instanceof Step.Launch launch) {
                out.add("  " + launch.entry() + ": grid " + launch.grid() + ", block "
                        + launch.block()
                        + (launch.shared() > 0
                                ? ", " + Numbers.bytes((double) launch.shared()) + " of shared memory"
                                : ""));
            }
        }
        return out;
    }

    /** What all launches did together. */
    static List<String> counts(Counted counted) {
        List<String> out = new ArrayList<>();
        Counted.Shared banks = counted.shared();
        Counted.Global global = counted.global();
        out.add("  " + Numbers.grouped(counted.instructions()) + " instructions of threads"
                + (banks.wavefronts() == 0
                        ? "; no shared memory"
                        : "; " + Numbers.grouped(banks.excess()) + " of " + Numbers.grouped(banks.wavefronts())
                                + " wavefronts are bank conflicts ("
                                + Numbers.percent((double) banks.excess() / banks.wavefronts()) + ")")
                + (global.requests() == 0
                        ? "; no global memory"
                        : "; " + Numbers.significant((double) global.sectors() / global.requests(), 3)
                                + " sectors a request"));
        out.add("  bound: "
                + switch (counted.bound()) {
                    case Availability.Available<Counted.Bound>(Counted.Bound b) ->
                        Numbers.seconds(b.seconds()) + ", limited by " + b.limiter();
                    case Availability.Unavailable<Counted.Bound> none -> "not known: " + none.text();
                });
        out.add("  occupancy: "
                + switch (counted.occupancy()) {
                    case Availability.Available<Counted.Occupancy>(Counted.Occupancy o) ->
                        Numbers.percent(o.share()) + ", limited by " + o.limiter() + "; " + o.note();
                    case Availability.Unavailable<Counted.Occupancy> none -> "not known: " + none.text();
                });
        return out;
    }

    /** The same as figures that can be compared with those of another kernel. */
    static List<CountsComparison.Figure> figures(Counted counted) {
        List<CountsComparison.Figure> out = new ArrayList<>();
        out.add(CountsComparison.Figure.of("instructions of threads", counted.instructions()));
        counted.flops().forEach((type, flops) -> out.add(CountsComparison.Figure.of("flops, " + type, flops)));
        out.add(CountsComparison.Figure.of("shared: requests", counted.shared().requests()));
        out.add(CountsComparison.Figure.of(
                "shared: wavefronts", counted.shared().wavefronts()));
        out.add(CountsComparison.Figure.of(
                "shared: bank conflicts", counted.shared().excess()));
        Counted.Global global = counted.global();
        out.add(CountsComparison.Figure.of("global: requests", global.requests()));
        out.add(CountsComparison.Figure.of("global: sectors", global.sectors()));
        double perRequest = (double) global.sectors() / global.requests();
        out.add(new CountsComparison.Figure(
                "global: sectors a request",
                perRequest,
                global.requests() == 0 ? NONE : Numbers.significant(perRequest, 3)));
        out.add(CountsComparison.Figure.of("global: distinct sectors", global.distinct()));
        long branches = counted.lines().stream()
                .mapToLong(line -> line.branches().all())
                .sum();
        long divergent = counted.lines().stream()
                .mapToLong(line -> line.branches().divergent())
                .sum();
        out.add(CountsComparison.Figure.of("branches of warps", branches));
        out.add(CountsComparison.Figure.of("divergent branches", divergent));
        out.add(
                switch (counted.occupancy()) {
                    case Availability.Available<Counted.Occupancy>(Counted.Occupancy o) ->
                        new CountsComparison.Figure(OCCUPANCY, o.share(), Numbers.percent(o.share()));
                    case Availability.Unavailable<Counted.Occupancy> none ->
                        new CountsComparison.Figure(OCCUPANCY, Double.NaN, NONE);
                });
        out.add(
                switch (counted.bound()) {
                    case Availability.Available<Counted.Bound>(Counted.Bound b) ->
                        new CountsComparison.Figure(BOUND, b.seconds(), Numbers.seconds(b.seconds()));
                    case Availability.Unavailable<Counted.Bound> none ->
                        new CountsComparison.Figure(BOUND, Double.NaN, NONE);
                });
        return out;
    }
}
