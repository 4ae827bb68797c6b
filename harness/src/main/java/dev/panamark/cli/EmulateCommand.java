package dev.panamark.cli;

import dev.panamark.device.Check;
import dev.panamark.device.Counted;
import dev.panamark.device.Device;
import dev.panamark.device.DeviceException;
import dev.panamark.device.DeviceProvider;
import dev.panamark.device.MissingEntryException;
import dev.panamark.device.Module;
import dev.panamark.device.UnsupportedException;
import dev.panamark.ffi.Availability;
import dev.panamark.kernel.AxisOverride;
import dev.panamark.kernel.Catalogue;
import dev.panamark.kernel.DeviceValues;
import dev.panamark.kernel.Image;
import dev.panamark.kernel.Instance;
import dev.panamark.kernel.Kernel;
import dev.panamark.kernel.KernelFileException;
import dev.panamark.kernel.Resolution;
import dev.panamark.kernel.Step;
import dev.panamark.kernel.fill.FillException;
import dev.panamark.measure.CheckedOnce;
import dev.panamark.measure.CountedOnce;
import dev.panamark.measure.Plan;
import dev.panamark.report.FaultView;
import dev.panamark.report.FaultsList;
import dev.panamark.report.LineView;
import dev.panamark.report.LinesTable;
import dev.panamark.report.Numbers;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code panamark emulate}. */
@Command(
        name = "emulate",
        sortOptions = false,
        description = {
            "Run a kernel once on an emulated GPU and show what each line of its source does: bank conflicts, sectors,"
                    + " divergence, instructions. Or look for faults. Outputs are not compared with a reference."
        },
        footer = {
            "",
            "Examples:",
            "  panamark emulate attention.prefill.tiled -a seq=128",
            "  panamark emulate mine.yaml --by sectors",
            "  panamark emulate mine.yaml --check all",
            "  panamark emulate scale.cu --grid 64 --block 256 --arg f32[16384] --arg f32[16384]:zeros --arg i32:16384"
        })
final class EmulateCommand implements Callable<Integer> {
    private static final int DEFAULT_LINES = 10;

    private final Surroundings surroundings;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Parameters(
            paramLabel = "KERNEL",
            description = "A kernel file (.yaml), a built-in kernel's name, a CUDA source (.cu) or a PTX text (.ptx).")
    private String what = "";

    @Option(
            names = {"-d", "--device"},
            paramLabel = "emu:NAME",
            defaultValue = "emu",
            description = "The GPU to emulate (default: emu:h100-sxm).")
    private String device = "emu";

    @Option(
            names = {"-a", "--axis"},
            paramLabel = "NAME=V[,V..]",
            description = "Of a kernel file: values of an axis.")
    private List<String> axes = new ArrayList<>();

    @Option(names = "--entry", paramLabel = "NAME", description = "Of a source or text: its kernel, if it has several.")
    private @Nullable String entry;

    @Option(names = "--grid", paramLabel = "X[,Y[,Z]]", description = "Of a source or text: blocks.")
    private @Nullable String grid;

    @Option(names = "--block", paramLabel = "X[,Y[,Z]]", description = "Of a source or text: threads of a block.")
    private @Nullable String block;

    @Option(
            names = "--shared",
            paramLabel = "BYTES",
            defaultValue = "0",
            description = "Of a source or text: dynamic shared memory of a block (default: 0).")
    private long shared;

    @Option(
            names = "--arg",
            paramLabel = "TYPE:VALUE|TYPE[SHAPE][:FILL]",
            description = "Of a source or text: the next argument, a number or a buffer; fills are normal, uniform,"
                    + " zeros, iota, bits or a number (default: normal, for whole numbers zeros).")
    private List<String> arguments = new ArrayList<>();

    @Option(
            names = "--option",
            paramLabel = "OPTION",
            description = "Of a source: an option for nvcc, such as --option=-DN=4.")
    private List<String> options = new ArrayList<>();

    @Option(
            names = "--check",
            split = ",",
            paramLabel = "WHAT",
            description =
                    "Look for faults instead: mem (beyond an allocation, misaligned), init (reads of what nothing has"
                            + " written, outputs that are not), race (in shared memory), sync (barriers), or all.")
    private List<String> checks = new ArrayList<>();

    @Option(
            names = "--by",
            paramLabel = "ORDER",
            defaultValue = "conflicts",
            description = "Lines in order of conflicts, sectors, instructions or divergence (default: conflicts).")
    private LineView.Order order = LineView.Order.CONFLICTS;

    @Option(
            names = "--lines",
            paramLabel = "N",
            defaultValue = "" + DEFAULT_LINES,
            description = "How many lines to show, 0 for all (default: ${DEFAULT-VALUE}).")
    private int lines;

    @Option(
            names = "--json",
            paramLabel = "FILE|-",
            description = "Write all lines as JSON, which names its schema; - instead of the table.")
    private @Nullable String json;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "Seed of inputs (default: 1).")
    private long seed;

    EmulateCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() {
        if (lines < 0) {
            throw new CommandFailed(ExitCode.BAD_INPUT, "--lines must be 0 or more, not " + lines);
        }
        if (json != null && !json.equals("-")) {
            OutputFiles.writable(json);
        }
        DeviceProvider.Candidate candidate = candidate();
        Optional<Path> image = image();
        Set<Check> looked = checks();
        List<Instance> instances;
        try (Device opened = candidate.open()) {
            PrintWriter err = spec.commandLine().getErr();
            opened.printing(text -> {
                err.print(text);
                err.flush();
            });
            try {
                instances = image.isPresent() ? List.of(launch(opened, image.get())) : problems(candidate);
            } catch (DeviceException | UnsupportedException | MissingEntryException e) {
                throw new CommandFailed(ExitCode.NOT_RIGHT, String.valueOf(e.getMessage()));
            }
            List<EmulatedKernel> all = new ArrayList<>();
            try {
                for (Instance instance : instances) {
                    EmulatedKernel kernel = run(opened, instance, looked);
                    all.add(kernel);
                    if (!"-".equals(json)) {
                        show(opened, kernel);
                    }
                }
            } finally { // what was counted before one that fails is not lost
                PrintWriter out = spec.commandLine().getOut();
                if (!all.isEmpty()) {
                    OutputFiles.text(json, EmulateJson.render(opened.info().id(), seed, all), out);
                }
                out.flush();
            }
            boolean clean = all.stream().allMatch(kernel -> kernel.faults().isEmpty());
            return (clean ? ExitCode.OK : ExitCode.NOT_RIGHT).status();
        }
    }

    /** What to look for; nothing where counts are wanted. */
    private Set<Check> checks() {
        Set<Check> all = EnumSet.noneOf(Check.class);
        for (String tag : checks) {
            if (tag.equals("all")) {
                all.addAll(EnumSet.allOf(Check.class));
            } else {
                all.add(Check.ofTag(tag)
                        .orElseThrow(() -> new CommandFailed(
                                ExitCode.BAD_INPUT,
                                "--check: '" + tag + "', expected some of mem, init, race, sync, or all")));
            }
        }
        return all;
    }

    private DeviceProvider.Candidate candidate() {
        List<DeviceProvider.Candidate> found = new DeviceChoice(surroundings).choose(List.of(device));
        if (!found.getFirst().isEmulated() || found.size() > 1) {
            throw new CommandFailed(
                    ExitCode.BAD_INPUT,
                    "--device: " + device + " is not emulated; expected one such as emu:h100-sxm ('panamark devices')");
        }
        return found.getFirst();
    }

    /** The source or text, if one was named; kernel files and built-in kernels have theirs. */
    private Optional<Path> image() {
        boolean isImage = what.endsWith(".cu") || what.endsWith(".ptx");
        if (!isImage) {
            refuse("--grid", grid != null);
            refuse("--block", block != null);
            refuse("--entry", entry != null);
            refuse("--arg", !arguments.isEmpty());
            refuse("--option", !options.isEmpty());
            refuse("--shared", shared != 0);
            return Optional.empty();
        }
        if (what.endsWith(".ptx") && !options.isEmpty()) {
            throw new CommandFailed(
                    ExitCode.BAD_INPUT, "--option is for a .cu file; " + what + " is not compiled by nvcc");
        }
        if (!axes.isEmpty()) {
            throw new CommandFailed(ExitCode.BAD_INPUT, "-a is for kernel files; a source takes --option=-DNAME=VALUE");
        }
        if (grid == null || block == null) {
            throw new CommandFailed(
                    ExitCode.BAD_INPUT,
                    what + " does not say how it is launched; give " + (grid == null ? "--grid" : "--block")
                            + " (and --arg for each parameter), or write a kernel file");
        }
        if (shared < 0) {
            throw new CommandFailed(ExitCode.BAD_INPUT, "--shared must be 0 or more bytes, not " + shared);
        }
        return Optional.of(file());
    }

    private Path file() {
        try {
            Path file = Path.of(what);
            if (Files.isRegularFile(file)) {
                return file;
            }
            throw new CommandFailed(
                    ExitCode.BAD_INPUT, what + (Files.isDirectory(file) ? " is a folder" : " does not exist"));
        } catch (InvalidPathException e) {
            throw new CommandFailed(ExitCode.BAD_INPUT, "'" + what + "' cannot be a file name: " + e.getReason());
        }
    }

    private void refuse(String option, boolean given) {
        if (given) {
            throw new CommandFailed(
                    ExitCode.BAD_INPUT, option + " is for a .cu or .ptx file; " + what + " has its own launches");
        }
    }

    private Instance launch(Device opened, Path file) {
        List<LaunchArgument> all = new ArrayList<>();
        for (int i = 0; i < arguments.size(); i++) {
            all.add(LaunchArgument.parse(arguments.get(i), i));
        }
        Image image = new Image("cuda", file.toAbsolutePath(), options);
        String name = entry != null ? entry : onlyEntry(opened, image);
        Step.Launch launch = new Step.Launch(
                name,
                Extents.parse("--grid", grid == null ? "" : grid),
                Extents.parse("--block", block == null ? "" : block),
                shared,
                all.stream().map(LaunchArgument::argument).toList(),
                Optional.empty(),
                false);
        return Instance.ofLaunch(
                name, image, all.stream().flatMap(a -> a.buffer().stream()).toList(), launch);
    }

    private static String onlyEntry(Device opened, Image image) {
        try (Module module = opened.load(image)) {
            List<String> names = module.entries();
            if (names.size() != 1) {
                throw new CommandFailed(
                        ExitCode.BAD_INPUT,
                        image.file() + " has "
                                + (names.isEmpty()
                                        ? "no kernel"
                                        : names.size() + " kernels; name one with --entry: "
                                                + String.join(", ", names)));
            }
            return names.getFirst();
        }
    }

    private Kernel named(Catalogue builtin) {
        List<Kernel> found = List.of();
        try {
            found = what.isEmpty() ? found : builtin.select(List.of(what));
        } catch (KernelFileException e) {
            // said below
        }
        if (found.isEmpty()) {
            throw new CommandFailed(
                    ExitCode.BAD_INPUT,
                    "'" + what + "' is no kernel file (.yaml), CUDA source (.cu), PTX text (.ptx) or name of a built-in"
                            + " kernel ('panamark list')");
        }
        if (found.size() != 1) {
            throw new CommandFailed(
                    ExitCode.BAD_INPUT,
                    what + " names " + found.size() + " kernels, expected one: "
                            + String.join(", ", found.stream().map(Kernel::name).toList()));
        }
        return found.getFirst();
    }

    private List<Instance> problems(DeviceProvider.Candidate candidate) {
        Catalogue builtin = Catalogue.builtin(surroundings.cache());
        boolean isFile = what.endsWith(".yaml") || what.endsWith(".yml");
        Kernel kernel = isFile ? builtin.withFiles(List.of(file())).added().getFirst() : named(builtin);
        List<AxisOverride> overrides = axes.stream().map(AxisOverride::parse).toList();
        String backend = candidate.info().backend();
        Plan plan = Plan.of(
                List.of(new Plan.Target(candidate.info().id(), backend)), List.of(kernel), overrides, Optional.empty());
        List<Instance> ready = new ArrayList<>();
        for (Plan.Item item : plan.items()) {
            switch (kernel.instance(
                    item.problem(), new DeviceValues(backend, candidate.info().values()))) {
                case Resolution.Ready(Instance instance) -> ready.add(instance);
                case Resolution.Excluded(String reason) ->
                    throw new CommandFailed(ExitCode.BAD_INPUT, kernel.name() + " " + item.problem() + ": " + reason);
                case Resolution.Unsupported(String reason) -> throw new CommandFailed(ExitCode.BAD_INPUT, reason);
            }
        }
        return ready;
    }

    private EmulatedKernel run(Device opened, Instance instance, Set<Check> looked) {
        try {
            if (!looked.isEmpty()) {
                return EmulatedKernel.checked(instance, looked, faults(opened, instance, looked));
            }
            Counted counted = CountedOnce.of(opened, instance, seed);
            SourceText source = new SourceText(instance.image().file());
            List<LineView> views =
                    counted.lines().stream().map(l -> view(l, source)).toList();
            return EmulatedKernel.counted(instance, counted, views);
        } catch (DeviceException | UnsupportedException | MissingEntryException e) {
            throw new CommandFailed(ExitCode.NOT_RIGHT, String.valueOf(e.getMessage()));
        } catch (OutOfMemoryError e) {
            throw new CommandFailed(
                    ExitCode.NOT_RIGHT,
                    instance.kernel() + " has buffers of " + Numbers.bytes((double) instance.bytes())
                            + ", more than there is memory for here; smaller shapes need less");
        } catch (FillException e) {
            throw new CommandFailed(ExitCode.BAD_INPUT, String.valueOf(e.getMessage()));
        }
    }

    private List<FaultView> faults(Device opened, Instance instance, Set<Check> looked) {
        SourceText source = new SourceText(instance.image().file());
        return CheckedOnce.of(opened, instance, seed, looked).stream()
                .map(fault -> new FaultView(
                        fault,
                        fault.at().flatMap(at -> source.line(at.line())),
                        fault.other().flatMap(other -> source.line(other.line()))))
                .toList();
    }

    private void show(Device opened, EmulatedKernel kernel) {
        PrintWriter out = spec.commandLine().getOut();
        launches(opened, kernel.instance()).forEach(out::println);
        if (kernel.counted().isEmpty()) {
            out.print(FaultsList.render(kernel.faults(), kernel.checks(), surroundings.width(), surroundings.color()));
            out.println();
            return;
        }
        counts(kernel.counted().get()).forEach(out::println);
        out.println();
        out.print(LinesTable.render(
                kernel.lines(), total(kernel.lines()), order, lines, surroundings.width(), surroundings.color()));
        out.println();
    }

    private static LineView view(Counted.Line line, SourceText source) {
        return new LineView(
                line.place(),
                source.line(line.place()).orElse(null),
                line.instructions(),
                line.shared().wavefronts(),
                line.shared().excess(),
                line.global().requests(),
                line.global().sectors(),
                line.branches().all(),
                line.branches().divergent());
    }

    private static LineView total(List<LineView> all) {
        return new LineView(
                "all",
                null,
                all.stream().mapToLong(LineView::instructions).sum(),
                all.stream().mapToLong(LineView::wavefronts).sum(),
                all.stream().mapToLong(LineView::conflicts).sum(),
                all.stream().mapToLong(LineView::requests).sum(),
                all.stream().mapToLong(LineView::sectors).sum(),
                all.stream().mapToLong(LineView::branches).sum(),
                all.stream().mapToLong(LineView::divergent).sum());
    }

    private static List<String> launches(Device opened, Instance instance) {
        List<String> out = new ArrayList<>();
        String problem = instance.problem().toString();
        out.add(opened.info().id() + " \u00b7 " + instance.kernel() + (problem.isEmpty() ? "" : " \u00b7 " + problem));
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

    private static List<String> counts(Counted counted) {
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
}
