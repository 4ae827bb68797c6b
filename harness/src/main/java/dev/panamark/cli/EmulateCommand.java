package dev.panamark.cli;

import dev.panamark.device.Counted;
import dev.panamark.device.Device;
import dev.panamark.device.DeviceException;
import dev.panamark.device.DeviceProvider;
import dev.panamark.device.MissingEntryException;
import dev.panamark.device.UnsupportedException;
import dev.panamark.finding.Check;
import dev.panamark.finding.Explanation;
import dev.panamark.kernel.Instance;
import dev.panamark.kernel.fill.FillException;
import dev.panamark.measure.CheckedOnce;
import dev.panamark.measure.CountedOnce;
import dev.panamark.measure.ExplainedOnce;
import dev.panamark.report.CountsComparison;
import dev.panamark.report.ExplanationText;
import dev.panamark.report.FaultView;
import dev.panamark.report.FaultsList;
import dev.panamark.report.LineView;
import dev.panamark.report.LinesTable;
import dev.panamark.report.Numbers;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
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
            "  panamark emulate attention.prefill.tiled --compare attention.prefill.swizzled --explain",
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
                    + " zeros, iota, bits, a number, or none for what the kernel writes, all of it (default: normal, for whole"
                    + " numbers zeros).")
    private List<String> arguments = new ArrayList<>();

    @Option(
            names = "--option",
            paramLabel = "OPTION",
            description = "Of a source: an option for its compiler, such as --option=-DN=4.")
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
            names = "--explain",
            description = "Say as well what limits occupancy, and which lanes conflict in which banks with a layout of"
                    + " rows that removes it, tried on the addresses of one block.")
    private boolean explain;

    @Option(
            names = "--compare",
            paramLabel = "KERNEL",
            description =
                    "Run another kernel as well, on the same problems or with the same launch, and show both side by"
                            + " side.")
    private @Nullable String compared;

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

    @Option(
            names = "--html",
            paramLabel = "FILE|-",
            description = "Write the source with heat as one HTML page; - instead of the table.")
    private @Nullable String html;

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
        Set<Check> looked = checks();
        if (!looked.isEmpty() && (explain || compared != null)) {
            throw new CommandFailed(
                    ExitCode.BAD_INPUT,
                    "--check looks for faults instead of counting; give " + (explain ? "--explain" : "--compare")
                            + " in a run of its own");
        }
        targets();
        DeviceProvider.Candidate candidate = candidate();
        EmulateTarget.Given given = new EmulateTarget.Given(axes, entry, grid, block, shared, arguments, options);
        EmulateTarget target = new EmulateTarget(what, given, surroundings);
        Optional<EmulateTarget> other =
                Optional.ofNullable(compared).map(name -> new EmulateTarget(name, given, surroundings));
        try (Device opened = candidate.open()) {
            opened.printing(this::print);
            List<Instance> instances = instances(target, candidate, opened);
            List<Instance> others =
                    other.map(o -> instances(o, candidate, opened)).orElse(List.of());
            if (other.isPresent() && others.size() != instances.size()) {
                throw new CommandFailed(
                        ExitCode.BAD_INPUT,
                        what + " has " + instances.size() + " problems and " + compared + " " + others.size()
                                + "; choose the same ones with -a");
            }
            List<EmulatedKernel> all = new ArrayList<>();
            try {
                for (int i = 0; i < instances.size(); i++) {
                    EmulatedKernel kernel = run(opened, instances.get(i), looked);
                    all.add(kernel);
                    show(opened, kernel);
                    if (other.isPresent()) {
                        EmulatedKernel second = run(opened, others.get(i), looked);
                        all.add(second);
                        show(opened, second);
                        compare(kernel, second);
                    }
                }
            } finally { // what was counted before one that fails is not lost
                write(opened, all);
            }
            boolean clean = all.stream().allMatch(kernel -> kernel.faults().isEmpty());
            return (clean ? ExitCode.OK : ExitCode.NOT_RIGHT).status();
        }
    }

    /** Refuses before anything runs what could not be written afterwards. */
    private void targets() {
        if (json != null && html != null && OutputFiles.place(json).equals(OutputFiles.place(html))) {
            throw new CommandFailed(ExitCode.BAD_INPUT, "--json and --html write to '" + json + "'; give each its own");
        }
        for (String file : Stream.of(json, html).filter(Objects::nonNull).toList()) {
            if (!file.equals("-")) {
                OutputFiles.writable(file);
            }
        }
    }

    private boolean tableIsShown() {
        return !"-".equals(json) && !"-".equals(html);
    }

    private void write(Device opened, List<EmulatedKernel> all) {
        PrintWriter out = spec.commandLine().getOut();
        if (!all.isEmpty()) {
            OutputFiles.text(json, EmulateJson.render(opened.info().id(), seed, all), out);
            OutputFiles.text(
                    html, html == null ? "" : EmulateHtml.render(opened.info().id(), all), out);
        }
        out.flush();
    }

    private static List<Instance> instances(EmulateTarget target, DeviceProvider.Candidate candidate, Device opened) {
        try {
            return target.instances(candidate, opened);
        } catch (DeviceException | UnsupportedException | MissingEntryException e) {
            throw new CommandFailed(ExitCode.NOT_RIGHT, String.valueOf(e.getMessage()));
        }
    }

    private void compare(EmulatedKernel a, EmulatedKernel b) {
        if (tableIsShown() && a.counted().isPresent() && b.counted().isPresent()) {
            PrintWriter out = spec.commandLine().getOut();
            out.print(CountsComparison.render(
                    EmulatedText.figures(a.counted().get()),
                    EmulatedText.figures(b.counted().get()),
                    name(what, a),
                    name(compared == null ? "" : compared, b),
                    surroundings.width(),
                    surroundings.color()));
            out.println();
        }
    }

    /** A file's own name where it is one, for kernels in two files may have the same. */
    private static String name(String given, EmulatedKernel kernel) {
        int slash = given.lastIndexOf('/');
        return given.endsWith(".cu") || given.endsWith(".ptx")
                ? given.substring(slash + 1)
                : kernel.instance().kernel();
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

    private EmulatedKernel run(Device opened, Instance instance, Set<Check> looked) {
        try {
            SourceText source = new SourceText(instance.image().file());
            if (!looked.isEmpty()) {
                return EmulatedKernel.checked(instance, source, looked, faults(opened, instance, source, looked));
            }
            Counted counted = CountedOnce.of(opened, instance, seed);
            List<LineView> views =
                    counted.lines().stream().map(l -> view(l, source)).toList();
            Optional<Explanation> explanation = explain ? Optional.of(explained(opened, instance)) : Optional.empty();
            return EmulatedKernel.counted(instance, source, counted, views, explanation);
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

    /** In a second run, whose prints say nothing new. */
    private Explanation explained(Device opened, Instance instance) {
        opened.printing(text -> {});
        try {
            return ExplainedOnce.of(opened, instance, seed);
        } finally {
            opened.printing(this::print);
        }
    }

    private void print(String text) {
        PrintWriter err = spec.commandLine().getErr();
        err.print(text);
        err.flush();
    }

    private List<FaultView> faults(Device opened, Instance instance, SourceText source, Set<Check> looked) {
        return CheckedOnce.of(opened, instance, seed, looked).stream()
                .map(fault -> new FaultView(
                        fault,
                        fault.at().flatMap(at -> source.line(at.line())),
                        fault.other().flatMap(other -> source.line(other.line()))))
                .toList();
    }

    private void show(Device opened, EmulatedKernel kernel) {
        if (!tableIsShown()) {
            return;
        }
        PrintWriter out = spec.commandLine().getOut();
        int width = surroundings.width();
        boolean color = surroundings.color();
        out.println(EmulatedText.title(opened.info().id(), kernel.instance()));
        EmulatedText.launches(kernel.instance()).forEach(out::println);
        kernel.counted().ifPresent(counted -> {
            EmulatedText.counts(counted).forEach(out::println);
            if (compared != null) {
                return; // the lines of two kernels would hide what tells them apart
            }
            out.println();
            out.print(LinesTable.render(kernel.lines(), LineView.total(kernel.lines()), order, lines, width, color));
        });
        kernel.explanation().ifPresent(explanation -> {
            out.println();
            out.print(ExplanationText.render(explanation, kernel.source()::line, lines, width, color));
        });
        if (kernel.counted().isEmpty()) {
            out.print(FaultsList.render(kernel.faults(), kernel.checks(), lines, width, color));
        }
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
}
