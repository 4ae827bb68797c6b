package dev.panamark.cli;

import dev.panamark.kernel.Catalogue;
import dev.panamark.kernel.Kernel;
import dev.panamark.kernel.Model;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code panamark list}. */
@Command(name = "list", description = "List kernels, describe one, or list the model presets.")
final class ListCommand implements Callable<Integer> {
    private final Surroundings surroundings;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Parameters(paramLabel = "NAME", arity = "0..*", description = "Kernels to describe; globs are fine.")
    private List<String> names = new ArrayList<>();

    @Option(
            names = {"-k", "--kernel-file"},
            paramLabel = "FILE",
            description = "A kernel file of your own, listed too.")
    private List<Path> kernelFiles = new ArrayList<>();

    @Option(names = "--models", description = "List the presets for --model instead.")
    private boolean models;

    ListCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        if (models) {
            listModels(out);
            return ExitCode.OK.status();
        }
        Catalogue catalogue = Catalogue.builtin(surroundings.cache()).withFiles(kernelFiles);
        if (names.isEmpty()) {
            listKernels(out, catalogue.all());
        } else {
            out.println(catalogue.select(names).stream().map(Kernel::describe).collect(Collectors.joining("\n\n")));
        }
        out.flush();
        return ExitCode.OK.status();
    }

    private static void listKernels(PrintWriter out, List<Kernel> kernels) {
        int name = kernels.stream().mapToInt(k -> k.name().length()).max().orElse(0);
        int backends = kernels.stream()
                .mapToInt(k -> String.join(",", k.backends()).length())
                .max()
                .orElse(0);
        for (Kernel k : kernels) {
            out.printf(
                    Locale.ROOT,
                    "%-" + name + "s  %-" + backends + "s  %s%n",
                    k.name(),
                    String.join(",", k.backends()),
                    k.purpose());
        }
        out.println();
        out.println("'panamark list NAME' shows a kernel's axes, buffers, work and check.");
    }

    private static void listModels(PrintWriter out) {
        List<Model> all = Model.all();
        int name = all.stream().mapToInt(m -> m.name().length()).max().orElse(0);
        for (Model m : all) {
            String axes = m.axes().entrySet().stream()
                    .map(e -> e.getKey() + "=" + e.getValue())
                    .collect(Collectors.joining(" "));
            out.printf(Locale.ROOT, "%-" + name + "s  layers=%d %s%n", m.name(), m.layers(), axes);
        }
        out.flush();
    }
}
