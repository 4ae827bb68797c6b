package dev.panamark.cli;

import dev.panamark.report.EnergyCsv;
import dev.panamark.report.EnergyOpenMetrics;
import dev.panamark.result.ResultWriteException;
import dev.panamark.telemetry.EnergyJson;
import dev.panamark.telemetry.EnergyRun;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where joules go besides the table. */
final class EnergyOutputs {
    private static final String STANDARD_OUTPUT = "-";

    @Option(names = "--json", paramLabel = "FILE|-", description = "Write it as JSON (panamark.energy/1).")
    private @Nullable String json;

    @Option(names = "--csv", paramLabel = "FILE|-", description = "Write one line a meter as CSV.")
    private @Nullable String csv;

    @Option(
            names = "--openmetrics",
            paramLabel = "FILE|-",
            description = "Write it as OpenMetrics text, for Prometheus and its kin.")
    private @Nullable String openMetrics;

    @Option(
            names = "--samples",
            paramLabel = "FILE",
            description =
                    "Write the power over time as CSV while it runs: one line a meter, each 0.1 s or ten updates.")
    private @Nullable String samples;

    private SequencedMap<String, String> answers() {
        SequencedMap<String, String> named = new LinkedHashMap<>();
        put(named, "--json", json);
        put(named, "--csv", csv);
        put(named, "--openmetrics", openMetrics);
        return named;
    }

    private static void put(SequencedMap<String, String> named, String option, @Nullable String target) {
        if (target != null) {
            named.put(option, target);
        }
    }

    /** Whether one of them takes standard output. */
    boolean takesStandardOutput() {
        return answers().containsValue(STANDARD_OUTPUT);
    }

    /** Whether the answer goes to a file. */
    boolean takesFile() {
        return !answers().isEmpty();
    }

    /** Where samples go. */
    Optional<Path> samplesFile() {
        return Optional.ofNullable(samples).map(Path::of);
    }

    /**
     * Refuses before anything runs what could not be written afterwards.
     *
     * @throws CommandFailed exit code 2
     */
    void check() {
        SequencedMap<String, String> all = answers();
        put(all, "--samples", samples);
        List<String> places = new ArrayList<>();
        all.forEach((option, target) -> {
            boolean standard = target.equals(STANDARD_OUTPUT);
            if (standard && option.equals("--samples")) {
                throw new CommandFailed(
                        ExitCode.BAD_INPUT, "--samples goes to a file, as it is written while things run; name one");
            }
            String place = standard ? target : OutputFiles.place(target);
            if (places.contains(place)) {
                throw new CommandFailed(
                        ExitCode.BAD_INPUT,
                        "two of " + String.join(", ", all.keySet()) + " write to '" + target + "'; give each its own");
            }
            places.add(place);
            if (!standard) {
                OutputFiles.writable(target);
            }
        });
    }

    /**
     * Writes everything that was asked for, as far as that can be written.
     *
     * @throws ResultWriteException of the first that could not, after all others
     */
    void write(EnergyRun run, PrintWriter out) {
        List<ResultWriteException> failed = new ArrayList<>();
        answers().forEach((option, target) -> {
            try {
                write(option, target, run, out);
            } catch (ResultWriteException e) {
                failed.add(e);
            }
        });
        if (!failed.isEmpty()) {
            throw failed.getFirst();
        }
    }

    private static void write(String option, String target, EnergyRun run, PrintWriter out) {
        String text = switch (option) {
            case "--json" -> EnergyJson.render(run);
            case "--csv" -> EnergyCsv.render(run);
            default -> EnergyOpenMetrics.render(run);
        };
        OutputFiles.text(target, text, out);
    }
}
