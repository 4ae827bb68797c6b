package dev.panamark.cli;

import dev.panamark.device.Device;
import dev.panamark.device.DeviceProvider;
import dev.panamark.device.Module;
import dev.panamark.kernel.AxisOverride;
import dev.panamark.kernel.Catalogue;
import dev.panamark.kernel.DeviceValues;
import dev.panamark.kernel.Image;
import dev.panamark.kernel.Instance;
import dev.panamark.kernel.Kernel;
import dev.panamark.kernel.KernelFileException;
import dev.panamark.kernel.Resolution;
import dev.panamark.kernel.Step;
import dev.panamark.measure.Plan;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A kernel file, a built-in kernel, a CUDA source or a PTX text that {@code panamark emulate} was given. */
final class EmulateTarget {
    private final String what;
    private final Given given;
    private final Surroundings surroundings;
    private final Optional<Path> image;

    /**
     * What the command line says of launches.
     *
     * @param axes of kernel files; all others are of sources and texts
     * @param arguments in order
     * @param options for the compiler
     */
    record Given(
            List<String> axes,
            @Nullable String entry,
            @Nullable String grid,
            @Nullable String block,
            long shared,
            List<String> arguments,
            List<String> options) {}

    /**
     * Takes it.
     *
     * @throws CommandFailed exit code 2 where it is not there or what was given is not for it
     */
    EmulateTarget(String what, Given given, Surroundings surroundings) {
        this.what = what;
        this.given = given;
        this.surroundings = surroundings;
        this.image = image();
    }

    /** The problems that it is run on. */
    List<Instance> instances(DeviceProvider.Candidate candidate, Device opened) {
        return image.isPresent() ? List.of(launch(opened, image.get())) : problems(candidate);
    }

    /** The source or text, if one was named; kernel files and built-in kernels have theirs. */
    private Optional<Path> image() {
        boolean isImage = what.endsWith(".cu") || what.endsWith(".ptx");
        if (!isImage) {
            refuse("--grid", given.grid() != null);
            refuse("--block", given.block() != null);
            refuse("--entry", given.entry() != null);
            refuse("--arg", !given.arguments().isEmpty());
            refuse("--option", !given.options().isEmpty());
            refuse("--shared", given.shared() != 0);
            return Optional.empty();
        }
        if (what.endsWith(".ptx") && !given.options().isEmpty()) {
            throw new CommandFailed(ExitCode.BAD_INPUT, "--option is for a .cu file; " + what + " is not compiled");
        }
        if (!given.axes().isEmpty()) {
            throw new CommandFailed(ExitCode.BAD_INPUT, "-a is for kernel files; a source takes --option=-DNAME=VALUE");
        }
        if (given.grid() == null || given.block() == null) {
            throw new CommandFailed(
                    ExitCode.BAD_INPUT,
                    what + " does not say how it is launched; give " + (given.grid() == null ? "--grid" : "--block")
                            + " (and --arg for each parameter), or write a kernel file");
        }
        if (given.shared() < 0) {
            throw new CommandFailed(ExitCode.BAD_INPUT, "--shared must be 0 or more bytes, not " + given.shared());
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

    private void refuse(String option, boolean is) {
        if (is) {
            throw new CommandFailed(
                    ExitCode.BAD_INPUT, option + " is for a .cu or .ptx file; " + what + " has its own launches");
        }
    }

    private Instance launch(Device opened, Path file) {
        List<LaunchArgument> all = new ArrayList<>();
        for (int i = 0; i < given.arguments().size(); i++) {
            all.add(LaunchArgument.parse(given.arguments().get(i), i));
        }
        Image image = new Image("cuda", file.toAbsolutePath(), given.options());
        String name = given.entry() != null ? given.entry() : onlyEntry(opened, image);
        Step.Launch launch = new Step.Launch(
                name,
                Extents.parse("--grid", given.grid() == null ? "" : given.grid()),
                Extents.parse("--block", given.block() == null ? "" : given.block()),
                given.shared(),
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
        List<AxisOverride> overrides =
                given.axes().stream().map(AxisOverride::parse).toList();
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
}
