package dev.panamark.benchmark;

import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.openjdk.jmh.util.Statistics;

/**
 * What calls cost beside the same calls in C.
 *
 * @param results by the benchmark method's name
 * @param nanosOverC what a call may cost more than in C
 */
record CallCosts(Map<String, RunResult> results, double nanosOverC) {
    /** What a launch may cost. */
    static final double LAUNCH = 25;

    // The smallest object takes 16 bytes. The profiler divides what the whole VM allocated, JMH's own work included, by
    // the number of calls, so a little remains where nothing is allocated.
    private static final double NO_BYTES = 1;

    /** Runs all methods of a benchmark, in VMs of their own. */
    static CallCosts run(Class<?> benchmark, double nanosOverC) throws RunnerException {
        Map<String, RunResult> byName = new LinkedHashMap<>();
        for (RunResult result : new Runner(new OptionsBuilder()
                        .include(benchmark.getName() + "\\..*")
                        .addProfiler(GCProfiler.class)
                        .verbosity(VerboseMode.SILENT)
                        .shouldFailOnError(true)
                        .build())
                .run()) {
            String name = result.getParams().getBenchmark();
            byName.put(name.substring(name.lastIndexOf('.') + 1), result);
        }
        return new CallCosts(byName, nanosOverC);
    }

    static void header(PrintStream out, String what) {
        out.println(what + ": iterations of 100 ms, 20 in each of 2 VMs. Other load only ever adds time,");
        out.println("so the best iteration counts.");
        out.printf("%-40s %10s %10s %10s %10s%n", "ns per call", "best", "median", "over C", "B per call");
    }

    /**
     * Prints one line.
     *
     * @param c the best time of C
     * @param timed whether the claim is about the time too
     * @return whether the claim holds for it
     */
    boolean line(PrintStream out, String name, String label, double c, boolean timed) {
        double best = best(name);
        double bytes = allocated(name);
        Statistics times = get(name).getPrimaryResult().getStatistics();
        out.printf(
                Locale.ROOT,
                "%-40s %10.2f %10.2f %10s %10.4f%n",
                label,
                best,
                times.getPercentile(50),
                timed ? String.format(Locale.ROOT, "%.2f", best - c) : "",
                bytes);
        return bytes < NO_BYTES && (!timed || best - c <= nanosOverC);
    }

    int judged(PrintStream out, boolean holds) {
        out.printf(
                Locale.ROOT,
                "claim: one call costs at most %.0f ns over C, and none allocates: %s%n",
                nanosOverC,
                holds ? "pass" : "FAIL");
        return holds ? 0 : 1;
    }

    double best(String name) {
        return get(name).getPrimaryResult().getStatistics().getMin();
    }

    private double allocated(String name) {
        Result<?> bytes = get(name).getSecondaryResults().get("gc.alloc.rate.norm");
        if (bytes == null) {
            throw new IllegalStateException("the profiler of allocations reported nothing for " + name);
        }
        return bytes.getScore();
    }

    private RunResult get(String name) {
        RunResult result = results.get(name);
        if (result == null) {
            throw new IllegalStateException("no result for " + name);
        }
        return result;
    }
}
