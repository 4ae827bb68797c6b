package dev.panamark.cli;

import static java.util.Objects.requireNonNull;

import dev.panamark.device.Device;
import dev.panamark.device.DeviceInfo;
import dev.panamark.device.DeviceProvider;
import dev.panamark.kernel.AxisOverride;
import dev.panamark.kernel.Catalogue;
import dev.panamark.kernel.DeviceValues;
import dev.panamark.kernel.Kernel;
import dev.panamark.kernel.Model;
import dev.panamark.measure.Budget;
import dev.panamark.measure.Effort;
import dev.panamark.measure.EnergyMeasurement;
import dev.panamark.measure.HostClock;
import dev.panamark.measure.Measured;
import dev.panamark.measure.Mode;
import dev.panamark.measure.Plan;
import dev.panamark.measure.Request;
import dev.panamark.measure.RowMeasurement;
import dev.panamark.report.ConsoleTable;
import dev.panamark.result.ResultWriteException;
import dev.panamark.result.Row;
import dev.panamark.result.RunResult;
import dev.panamark.telemetry.EnergyMode;
import dev.panamark.telemetry.RowEnergy;
import dev.panamark.worker.Conductor;
import dev.panamark.worker.CounterSources;
import dev.panamark.worker.Deadlines;
import dev.panamark.worker.Meters;
import dev.panamark.worker.Task;
import dev.panamark.worker.WorkerFlags;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code panamark run}. */
@Command(
        name = "run",
        sortOptions = false,
        description = "Check kernels against references, time them, and print one row for each.",
        footer = {
            "",
            "Examples:",
            "  panamark run                                   every built-in kernel on every device, in 100 s",
            "  panamark run -b 'attention.*' -b 'ceiling.*' -a seq=256,512,1024 --budget 5m",
            "  panamark run -k mine.yaml -b 'ceiling.*' --json result.json"
        })
final class RunCommand implements Callable<Integer> {
    private final Surroundings surroundings;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(
            names = {"-d", "--devices"},
            paramLabel = "DEVICE",
            split = ",",
            description =
                    "Where to measure: cpu:0, emu:a100-sxm-80, a backend, or all (default: all, and of the emulated GPUs"
                            + " one, emu:h100-sxm).")
    private List<String> devices = new ArrayList<>();

    @Option(
            names = {"-b", "--benchmark"},
            paramLabel = "GLOB",
            split = ",",
            description =
                    "Kernels to measure, by name; '*' and '?' are wildcards (default: all, or only those of -k, to which globs that match none of them add others).")
    private List<String> benchmarks = new ArrayList<>();

    @Option(
            names = {"-k", "--kernel-file"},
            paramLabel = "FILE",
            description = "A kernel file of your own (panamark.kernel/1); its kernels are measured.")
    private List<Path> kernelFiles = new ArrayList<>();

    @Option(
            names = {"-a", "--axis"},
            paramLabel = "NAME=VALUES",
            description = "Values of an axis: seq=512,1024 or seq=256:1024:256 or 'seq[pow2]=8:10'.")
    private List<String> axes = new ArrayList<>();

    @Option(names = "--model", paramLabel = "NAME", description = "Shapes of a model (panamark list --models).")
    private @Nullable String model;

    @Mixin
    private OutputFiles outputs = new OutputFiles();

    @Option(
            names = "--budget",
            paramLabel = "TIME",
            defaultValue = "100s",
            converter = Seconds.class,
            description = "Time for the whole run, shared over its rows; emulated devices are kept 40 %% of it beside"
                    + " others (default: ${DEFAULT-VALUE}).")
    private double budget;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            defaultValue = "30s",
            converter = Seconds.class,
            description = "Time after which a kernel that does not return is ended (default: ${DEFAULT-VALUE}).")
    private double timeout;

    @Option(
            names = "--min-samples",
            paramLabel = "N",
            defaultValue = "" + Effort.MIN_SAMPLES,
            description = "Samples of a row before it may end early (default: ${DEFAULT-VALUE}).")
    private int minSamples;

    @Option(
            names = "--min-time",
            paramLabel = "TIME",
            defaultValue = Effort.MIN_TIME + "s",
            converter = Seconds.class,
            description = "Time sampled before a row may end early (default: ${DEFAULT-VALUE}).")
    private double minTime;

    @Option(
            names = "--invocations",
            paramLabel = "N",
            defaultValue = "1",
            description = "Measure every row in N fresh processes and give the median of them, with an interval that"
                    + " holds the spread between them; 5 to publish or compare. What is emulated is counted once"
                    + " (default: ${DEFAULT-VALUE}).")
    private int invocations;

    @Option(
            names = "--max-noise",
            paramLabel = "SHARE",
            converter = Share.class,
            description = "Exit with 4 when a row's time/noise is above this, such as 5%%.")
    private @Nullable Double maxNoise;

    @Option(names = "--strict", description = "The same as --max-noise 5%%.")
    private boolean strict;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Seed of all inputs (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Option(
            names = "--energy",
            paramLabel = "off|quick|screen|publish",
            defaultValue = "quick",
            converter = EnergyModes.class,
            description = "Joules of a launch where there is a meter: off; quick, a window of a second within the"
                    + " budget (default); screen, ten of 5 s, and publish, ten of 60 s, with net joules, beside the"
                    + " budget.")
    private EnergyMode energy = EnergyMode.QUICK;

    @Option(
            names = "--counters",
            description =
                    "Read the hardware's counters once the rows are timed, in processes of their own: occupancy, bank"
                            + " conflicts, stalls, memory traffic. Where a GPU's may not be read the emulator counts, as far as"
                            + " it can.")
    private boolean counters;

    @Option(
            names = "--emulate-blocks",
            paramLabel = "N",
            description = "Run at most N blocks (16 or more) of a launch on emulated devices, chosen at random over the"
                    + " grid: counts are estimates with intervals then, and what these blocks wrote is checked"
                    + " (default: all blocks).")
    private @Nullable Integer emulateBlocks;

    @Option(
            names = "--lock-clocks",
            paramLabel = "MHZ",
            description =
                    "Hold the GPUs' clocks at so many MHz while rows are measured (as root); let go however the run"
                            + " ends.")
    private @Nullable Integer lockClocks;

    @ArgGroup
    private @Nullable Caches caches;

    /** In what state launches find the caches. */
    static final class Caches {
        @SuppressWarnings("UnusedVariable") // it is what happens where neither of the others is set
        @Option(
                names = "--hot",
                description = "Launch back to back: caches are as the launch before left them (default).")
        private boolean hot;

        @Option(
                names = "--cold",
                description = "Before each launch write twice the last-level cache and read as much of other memory,"
                        + " so that no data of the kernel is cached.")
        private boolean cold;

        @Option(
                names = "--graph",
                description =
                        "Collect launches on several copies of the data in a graph and launch that: the host has no"
                                + " part in how they follow each other.")
        private boolean graph;

        Mode mode() {
            return cold ? Mode.COLD : graph ? Mode.GRAPH : Mode.HOT;
        }
    }

    @Option(names = "--once", description = "Launch each kernel once in this process and time nothing: for profilers.")
    private boolean once;

    @Option(names = "--dump", paramLabel = "DIR", description = "Keep the buffers of wrong rows there, as .npy files.")
    private @Nullable Path dump;

    @Option(
            names = "--resume",
            description = "Go on with the run that was writing the --json file and was killed, interrupted or out of"
                    + " time; start it where there is none. Takes the same command line.")
    private boolean resume;

    @Option(
            names = {"-q", "--quiet"},
            description = "No progress on standard error.")
    private boolean quiet;

    RunCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        Instant started = Instant.now();
        if (minSamples < 1) {
            throw new CommandFailed(ExitCode.BAD_INPUT, "--min-samples must be at least 1, not " + minSamples);
        }
        if (invocations < 1 || invocations > MOST_INVOCATIONS) {
            throw new CommandFailed(
                    ExitCode.BAD_INPUT, "--invocations must be from 1 to " + MOST_INVOCATIONS + ", not " + invocations);
        }
        if (emulateBlocks != null && emulateBlocks < FEWEST_BLOCKS) {
            throw new CommandFailed(
                    ExitCode.BAD_INPUT,
                    "--emulate-blocks must be at least " + FEWEST_BLOCKS + ", not " + emulateBlocks
                            + "; without it all blocks run");
        }
        if (lockClocks != null && (lockClocks < 1 || lockClocks > MOST_MEGAHERTZ)) {
            throw new CommandFailed(
                    ExitCode.BAD_INPUT,
                    "--lock-clocks must be from 1 to " + MOST_MEGAHERTZ + " MHz, not " + lockClocks);
        }
        if (counters && once) {
            throw new CommandFailed(
                    ExitCode.BAD_INPUT, "--counters: --once is for profilers that count themselves, so leave one out");
        }
        if (emulateBlocks != null && once) {
            throw new CommandFailed(
                    ExitCode.BAD_INPUT, "--emulate-blocks: --once counts nothing, so leave one of them out");
        }
        if (benchmarks.stream().anyMatch(String::isBlank) || devices.stream().anyMatch(String::isBlank)) {
            throw new CommandFailed(
                    ExitCode.BAD_INPUT,
                    "--benchmark and --devices: a name is empty; expected names with" + " one comma between them");
        }
        outputs.check();
        if (resume && (outputs.jsonFile() == null || once)) {
            throw new CommandFailed(
                    ExitCode.BAD_INPUT,
                    once
                            ? "--resume: --once times nothing and keeps nothing to go on with"
                            : "--resume needs --json FILE, the result of the run to go on with");
        }
        Catalogue catalogue = Catalogue.builtin(surroundings.cache()).withFiles(kernelFiles);
        Optional<Model> preset = Optional.ofNullable(model).map(Model::named);
        List<AxisOverride> overrides = axes.stream().map(AxisOverride::parse).toList();
        List<Kernel> selected = kernels(catalogue);
        DeviceChoice there = new DeviceChoice(surroundings);
        List<DeviceProvider.Candidate> choice = choice(there);
        if (devices.isEmpty()) {
            there.onlyEmulates().ifPresent(why -> err.println("panamark: " + why));
        }
        List<Kernel> kernels = here(selected, catalogue, choice);
        if (emulateBlocks != null && choice.stream().noneMatch(DeviceProvider.Candidate::isEmulated)) {
            throw new CommandFailed(
                    ExitCode.BAD_INPUT, "--emulate-blocks: none of the devices chosen is emulated; add -d emu");
        }
        Plan plan = Plan.of(targets(choice), kernels, overrides, preset);
        List<DeviceProvider.Candidate> chosen = choice.stream()
                .filter(c ->
                        !devices.isEmpty() || plan.devices().contains(c.info().id()))
                .toList();
        RunResult header = RunResult.started(
                arguments(),
                started,
                HostFacts.gather(surroundings, WorkerFlags.all()),
                chosen.stream().map(RunCommand::device).toList(),
                List.of(),
                seed);
        CounterSources sources =
                counters ? CounterSources.of(chosen, there.found().values()) : CounterSources.NONE;
        if (counters && !quiet && sources.programs().isEmpty()) {
            err.println(
                    "panamark: --counters: none of the devices chosen has counters; GPUs do, and emulated ones count"
                            + " always");
        }
        ClockLocks locks = ClockLocks.of(lockClocks, chosen);
        try {
            return measure(plan, header, chosen, catalogue, sources, preset, out, err)
                    .status();
        } finally {
            locks.close();
        }
    }

    private ExitCode measure(
            Plan plan,
            RunResult header,
            List<DeviceProvider.Candidate> chosen,
            Catalogue catalogue,
            CounterSources sources,
            Optional<Model> preset,
            PrintWriter out,
            PrintWriter err) {
        HostClock clock = HostClock.system();
        Optional<Request.ModelLayers> layers = preset.map(m -> new Request.ModelLayers(m.name(), m.layers()));
        Optional<Resumption> earlier = resume
                ? Resumption.of(requireNonNull(outputs.jsonFile()), header, plan, surroundings, quiet ? null : err)
                : Optional.empty();
        double time = budget
                + energyTime(plan, chosen, earlier.map(r -> r.run().rows()).orElse(List.of()), quiet ? null : err);
        Progress progress = new Progress(
                err,
                surroundings.terminalErrors(),
                clock,
                rows(plan, chosen),
                earlier.map(r -> r.run().rows().size()).orElse(0),
                time);
        if (!quiet) {
            HostLoad.read()
                    .filter(HostLoad::busy)
                    .ifPresent(load -> err.println("panamark: load is " + load.text()
                            + ": other work on this machine will make times long and intervals wide"));
        }
        if (!quiet) {
            earlier.ifPresent(r ->
                    err.println("panamark: going on after " + r.run().rows().size() + " rows"));
        }
        try (RunStore store = earlier.map(r -> RunStore.resume(
                        surroundings, requireNonNull(outputs.jsonFile()), r.run(), clock, quiet ? null : err))
                .orElseGet(() -> RunStore.open(surroundings, outputs.jsonFile(), header, clock, quiet ? null : err))) {
            Conductor.Listener listener = new Conductor.Listener() {
                @Override
                public void begins(int number, List<Plan.Item> items) {
                    progress.begins(number, items);
                }

                @Override
                public void ends(int number, Row row, SequencedMap<String, Object> code) {
                    store.add(row, code);
                    if (!quiet) {
                        progress.ends(number, row, code);
                    }
                }

                @Override
                public void aggregated(Row row) {
                    store.add(row, new LinkedHashMap<>());
                }
            };
            Conductor.Outcome outcome;
            if (once) {
                outcome = once(plan, chosen, catalogue, listener);
            } else {
                Conductor conductor = new Conductor(
                        new Conductor.Settings(
                                seed,
                                new Effort(
                                        minSamples,
                                        minTime,
                                        Effort.PRECISION,
                                        budget,
                                        emulateBlocks == null ? 0 : emulateBlocks),
                                layers,
                                Optional.ofNullable(dump).map(Path::toAbsolutePath),
                                absolute(kernelFiles),
                                surroundings.cache(),
                                caches == null ? Mode.HOT : caches.mode(),
                                energy,
                                invocations,
                                chosen.stream()
                                        .map(DeviceProvider.Candidate::info)
                                        .collect(Collectors.toMap(
                                                DeviceInfo::id, i -> new DeviceValues(i.backend(), i.values()))),
                                emulated(chosen),
                                sources,
                                new Deadlines(timeout)),
                        listener,
                        surroundings.worker());
                try (Interruption interruption = Interruption.of(conductor::interrupt)) {
                    conductor.open(plan);
                    outcome = conductor.run(
                            plan,
                            new Budget(clock, time),
                            earlier.<Conductor.Known>map(r -> r).orElse((invocation, item) -> Optional.empty()));
                    if (outcome.interrupted()) {
                        RunResult part = store.finish();
                        err.println("panamark: ended before its time; "
                                + part.rows().size() + " of " + plan.items().size() + " rows were finished. "
                                + store.trouble().orElse("They are in " + store.file()));
                        interruption.handled();
                    }
                }
            }
            RunResult run = store.finish();
            if (!outputs.takesStandardOutput()) {
                out.print(ConsoleTable.render(
                        run,
                        surroundings.width(),
                        surroundings.color(),
                        store.trouble().isPresent() ? null : store.file().toString()));
            }
            String trouble = store.trouble().orElse("");
            try {
                outputs.write(run, out);
            } catch (ResultWriteException e) {
                throw trouble.isEmpty() ? e : new ResultWriteException(e.getMessage() + "; " + trouble);
            }
            if (!trouble.isEmpty()) {
                throw new ResultWriteException(trouble);
            }
            return Judgement.of(run.rows(), outcome.inputFault(), noiseLimit());
        }
    }

    /** Rows of all invocations; those of emulated devices come once. */
    private int rows(Plan plan, List<DeviceProvider.Candidate> chosen) {
        Set<String> emulated = emulated(chosen);
        int counted = (int) plan.items().stream()
                .filter(item -> emulated.contains(item.device()))
                .count();
        int timed = plan.items().size() - counted;
        return counted + (once ? 1 : invocations) * timed;
    }

    private static Set<String> emulated(List<DeviceProvider.Candidate> chosen) {
        return chosen.stream()
                .filter(DeviceProvider.Candidate::isEmulated)
                .map(c -> c.info().id())
                .collect(Collectors.toSet());
    }

    /** Seconds beside the budget that the longer windows take, where there is a meter for them. */
    private double energyTime(
            Plan plan, List<DeviceProvider.Candidate> chosen, List<Row> known, @Nullable PrintWriter err) {
        boolean cold = caches != null && caches.mode() == Mode.COLD;
        if (once || cold || energy == EnergyMode.OFF || energy == EnergyMode.QUICK) {
            return 0;
        }
        try (Meters meters = Meters.of(surroundings.env())) {
            Set<String> metered = chosen.stream()
                    .map(DeviceProvider.Candidate::info)
                    .filter(info -> !meters.of(info).isEmpty())
                    .map(DeviceInfo::id)
                    .collect(Collectors.toSet());
            long rows = plan.items().stream()
                    .filter(item -> metered.contains(item.device()))
                    .count();
            long done =
                    known.stream().filter(row -> metered.contains(row.device())).count();
            double seconds = Math.max(0, rows * invocations - done) * energy.rowSeconds();
            if (err != null) {
                err.println(
                        rows == 0
                                ? "panamark: no joules: "
                                        + chosen.stream()
                                                .map(c -> meters.absence(c.info()))
                                                .distinct()
                                                .collect(Collectors.joining("; "))
                                : "panamark: --energy " + energy.tag() + " takes at least "
                                        + Math.round(energy.rowSeconds()) + " s a row, "
                                        + Math.round(seconds / 60) + " min in all beside the budget");
            }
            return seconds;
        }
    }

    private static final int MOST_INVOCATIONS = 1000;

    /** Of the multiprocessors of any GPU. */
    private static final int MOST_MEGAHERTZ = 10_000;

    /** Two in each of the eight groups whose differences make an interval. */
    private static final int FEWEST_BLOCKS = 16;

    private static final double STRICT_NOISE = 0.05;

    private static boolean measures(List<DeviceProvider.Candidate> candidates) {
        return candidates.stream().anyMatch(c -> !c.isEmulated());
    }

    /** Without a clock a ceiling is none, so they are for those who name an emulated device. */
    private List<Plan.Target> targets(List<DeviceProvider.Candidate> choice) {
        boolean measures = measures(choice);
        return choice.stream()
                .map(c -> new Plan.Target(
                        c.info().id(), c.info().backend(), !(devices.isEmpty() && measures && c.isEmulated())))
                .toList();
    }

    /** Those that are emulated come last, as they take what they take; profilers want none unless they are named. */
    private List<DeviceProvider.Candidate> choice(DeviceChoice there) {
        List<DeviceProvider.Candidate> all = there.choose(devices);
        boolean measures = measures(all);
        return all.stream()
                .filter(c -> !(once && devices.isEmpty() && measures && c.isEmulated()))
                .sorted(Comparator.comparing(DeviceProvider.Candidate::isEmulated))
                .toList();
    }

    private static EnergyMeasurement noEnergy() {
        return new RowEnergy(HostClock.system(), List.of(), "--once meters nothing", EnergyMode.OFF, 0);
    }

    private Optional<Double> noiseLimit() {
        return Optional.ofNullable(maxNoise).or(() -> strict ? Optional.of(STRICT_NOISE) : Optional.empty());
    }

    /** In this process: profilers follow the process that they start, and want nothing else in it. */
    private Conductor.Outcome once(
            Plan plan, List<DeviceProvider.Candidate> chosen, Catalogue catalogue, Conductor.Listener listener) {
        boolean inputFault = false;
        int number = 0;
        for (DeviceProvider.Candidate candidate : chosen) {
            try (Device device = candidate.open();
                    RowMeasurement measurement =
                            new RowMeasurement(device, catalogue, HostClock.system(), noEnergy())) {
                for (Plan.Item item : plan.items()) {
                    if (!item.device().equals(candidate.info().id())) {
                        continue;
                    }
                    listener.begins(number, List.of(item));
                    Request request = new Request(
                            item.kernel().name(),
                            item.kernel().sourceSha256(),
                            item.problem(),
                            Task.json(item.problem()),
                            seed,
                            new Effort(1, 0, 1, budget),
                            Optional.empty(),
                            Mode.HOT,
                            true,
                            Optional.ofNullable(dump).map(Path::toAbsolutePath));
                    Measured done = measurement
                            .measure(List.of(request), (row, phase) -> {})
                            .getFirst();
                    inputFault |= done.inputFault();
                    listener.ends(number++, done.row(), done.code());
                }
            }
        }
        return new Conductor.Outcome(inputFault, false);
    }

    /**
     * With -k: the kernels of those files and what -b adds, or what -b names where it names any of them; without: what
     * -b names, or everything.
     */
    private List<Kernel> kernels(Catalogue catalogue) {
        if (kernelFiles.isEmpty()) {
            return catalogue.select(benchmarks);
        }
        LinkedHashMap<String, Kernel> chosen = new LinkedHashMap<>();
        List<Kernel> named = benchmarks.isEmpty() ? List.of() : catalogue.select(benchmarks);
        if (named.stream().noneMatch(catalogue.added()::contains)) {
            catalogue.added().forEach(k -> chosen.put(k.name(), k));
        }
        named.forEach(k -> chosen.put(k.name(), k));
        return List.copyOf(chosen.values());
    }

    /** Built-in kernels for other kinds of devices need not be told of, unless their names were written out. */
    private List<Kernel> here(List<Kernel> selected, Catalogue catalogue, List<DeviceProvider.Candidate> devices) {
        List<Kernel> here = selected.stream()
                .filter(k -> catalogue.added().contains(k)
                        || benchmarks.contains(k.name())
                        || devices.stream().anyMatch(d -> k.hasImage(d.info().backend())))
                .toList();
        return here.isEmpty() ? selected : here;
    }

    private static List<Path> absolute(List<Path> files) {
        return files.stream().map(Path::toAbsolutePath).toList();
    }

    private List<String> arguments() {
        return List.copyOf(spec.commandLine().getParseResult().originalArgs());
    }

    private static SequencedMap<String, Object> device(DeviceProvider.Candidate candidate) {
        SequencedMap<String, Object> map = new LinkedHashMap<>();
        map.put("id", candidate.info().id());
        map.put("backend", candidate.info().backend());
        map.put("name", candidate.info().name());
        map.put("uuid", candidate.info().uuid());
        map.put("values", new LinkedHashMap<>(candidate.info().values()));
        map.putAll(candidate.info().facts());
        return map;
    }
}
