package dev.panamark.cli;

import dev.panamark.measure.Plan;
import dev.panamark.result.Journal;
import dev.panamark.result.ResultFile;
import dev.panamark.result.Row;
import dev.panamark.result.RunResult;
import dev.panamark.result.Status;
import dev.panamark.worker.Conductor;
import dev.panamark.worker.Task;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/**
 * An earlier part of a run that is gone on with: rows that it measured are kept. Rows that failed, timed out, never ran,
 * or whose kernel was changed since are measured again.
 */
final class Resumption implements Conductor.Known {
    private static final Set<Status> AGAIN = EnumSet.of(Status.FAILED, Status.TIMEOUT);

    /** Options that say where answers go and how long to take, and nothing of what is measured. */
    private static final Set<String> WITHOUT_EFFECT =
            Set.of("--resume", "--json", "--csv", "--md", "--budget", "--timeout", "--quiet");

    private final RunResult known;
    private final Map<Row.Key, Row> rows = new HashMap<>();

    private Resumption(RunResult known) {
        this.known = known;
        known.rows().forEach(row -> rows.put(key(row.device(), row.kernel(), row.problem(), row.invocation()), row));
    }

    /** What tells rows of one run apart that a plan knows: it has one mode, and images are not made yet. */
    private static Row.Key key(
            String device, String kernel, Map<String, Object> problem, @Nullable Integer invocation) {
        return new Row.Key(device, kernel, "", problem, "", invocation);
    }

    /**
     * What an earlier run left: its journal where it was killed, else its result. Empty where there is neither.
     *
     * @param header of the run that goes on with it
     * @param plan what it measures
     * @param err hears of a row that was cut short
     * @throws CommandFailed where the earlier run was another one
     */
    static Optional<Resumption> of(
            Path file, RunResult header, Plan plan, Surroundings surroundings, @Nullable PrintWriter err) {
        Path journal = RunStore.journal(file);
        RunResult earlier;
        Path from;
        if (Files.exists(journal)) {
            RunStore.requireFree(journal);
            if (isWithoutALine(journal)) {
                return Optional.empty();
            }
            Journal.Recovered recovered = Journal.read(journal);
            if (err != null) {
                recovered.torn().ifPresent(torn -> err.println("panamark: " + torn));
            }
            earlier = recovered.run();
            from = journal;
        } else if (Files.isRegularFile(file)) {
            earlier = ResultFile.read(file);
            from = file;
        } else {
            return Optional.empty();
        }
        requireSameRun(from, earlier, header, surroundings);
        return Optional.of(new Resumption(continued(earlier, header, plan)));
    }

    /** Killed before its header was whole: there is nothing to go on with, and nothing is lost. */
    private static boolean isWithoutALine(Path journal) {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(journal))) {
            for (int next = in.read(); next >= 0; next = in.read()) {
                if (next == '\n') {
                    return false;
                }
            }
            return true;
        } catch (IOException e) {
            return false; // reading it as a journal says why
        }
    }

    private static void requireSameRun(Path from, RunResult earlier, RunResult now, Surroundings surroundings) {
        String before = choices(earlier.argv(), surroundings);
        String after = choices(now.argv(), surroundings);
        if (!before.equals(after)) {
            throw other(from, "was measured with '" + before + "', this is '" + after + "'");
        }
        Object was = earlier.host().get("panamark");
        Object is = now.host().get("panamark");
        if (!Objects.equals(was, is)) {
            throw other(from, "was measured by panamark " + was + ", this is " + is);
        }
        for (SequencedMap<String, Object> device : now.devices()) {
            for (SequencedMap<String, Object> its : earlier.devices()) {
                if (Objects.equals(device.get("id"), its.get("id"))
                        && !Objects.equals(device.get("uuid"), its.get("uuid"))) {
                    throw other(
                            from,
                            "had as " + its.get("id") + " " + its.get("name") + " (" + its.get("uuid") + "), now it is "
                                    + device.get("name") + " (" + device.get("uuid") + ")");
                }
            }
        }
    }

    private static CommandFailed other(Path from, String why) {
        return new CommandFailed(
                ExitCode.BAD_INPUT,
                "--resume: " + from + " holds another run: it " + why
                        + "; give the same again, or another file with --json");
    }

    /** What a command line chooses to measure, in one order whatever the order it was written in. */
    private static String choices(List<String> argv, Surroundings surroundings) {
        CommandLine line = Main.commandLine(surroundings);
        List<String> out = new ArrayList<>();
        try {
            CommandLine.ParseResult parsed = line.parseArgs(argv.toArray(String[]::new));
            while (parsed.hasSubcommand()) {
                parsed = parsed.subcommand();
            }
            parsed.matchedOptions().stream()
                    .filter(option -> !WITHOUT_EFFECT.contains(option.longestName()))
                    .map(option -> option.longestName() + " " + String.join(",", option.originalStringValues()))
                    .sorted()
                    .forEach(out::add);
            return out.isEmpty() ? "no options" : String.join(" ", out);
        } catch (CommandLine.ParameterException e) {
            return String.join(" ", argv);
        }
    }

    /** The earlier run without what has to be measured again, and with a note of when it was gone on with. */
    private static RunResult continued(RunResult earlier, RunResult now, Plan plan) {
        Set<String> current = new HashSet<>();
        plan.items()
                .forEach(item ->
                        current.add(item.kernel().name() + " " + item.kernel().sourceSha256()));
        List<SequencedMap<String, Object>> kernels = earlier.kernels().stream()
                .filter(code -> current.contains(code.get("kernel") + " " + code.get("kernel_file_sha256")))
                .toList();
        Set<String> images = kernels.stream()
                .map(code -> code.get("kernel") + " " + code.get("image"))
                .collect(Collectors.toSet());
        // A row without an image took no time, and whether its kernel was changed since is not known.
        List<Row> rows = earlier.rows().stream()
                .filter(row -> row.invocation() != null
                        && !AGAIN.contains(row.status())
                        && images.contains(row.kernel() + " " + row.image()))
                .toList();
        SequencedMap<String, Object> host = new LinkedHashMap<>(earlier.host());
        List<Object> times = new ArrayList<>(host.get("resumed") instanceof List<?> before ? before : List.of());
        times.add(Instant.now().toString());
        host.put("resumed", times);
        return new RunResult(
                RunResult.SCHEMA,
                earlier.argv(),
                earlier.started(),
                null,
                host,
                now.devices(),
                kernels,
                earlier.seed(),
                rows);
    }

    /** The earlier run: its header, and the rows and kernels that are kept. */
    RunResult run() {
        return known;
    }

    @Override
    public Optional<Row> row(int invocation, Plan.Item item) {
        return Optional.ofNullable(
                rows.get(key(item.device(), item.kernel().name(), Task.json(item.problem()), invocation)));
    }
}
