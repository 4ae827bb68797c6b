package dev.panamark.cli;

import dev.panamark.device.DeviceProvider;
import dev.panamark.device.MeterInfo;
import dev.panamark.device.PowerMeter;
import dev.panamark.worker.Meters;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code panamark doctor}. */
@Command(name = "doctor", description = "Say what this machine has and lacks for measuring, and what to do about it.")
final class DoctorCommand implements Callable<Integer> {
    private final Surroundings surroundings;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    private enum Finding {
        GOOD("ok"),
        DOUBTFUL("note"),
        ABSENT("none");

        private final String tag;

        Finding(String tag) {
            this.tag = tag;
        }
    }

    private record Line(Finding finding, String subject, String text) {}

    DoctorCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() {
        List<Line> lines = new ArrayList<>();
        lines.add(new Line(
                Finding.GOOD,
                "java",
                Runtime.version() + " (" + System.getProperty("java.vendor") + "), " + System.getProperty("os.name")
                        + " " + System.getProperty("os.arch")));
        lines.add(cache());
        DeviceChoice devices = new DeviceChoice(surroundings);
        List<String> others = new ArrayList<>();
        for (DeviceProvider.Candidate c : devices.found().values()) {
            if (!c.isUsual()) {
                others.add(c.info().id());
                continue;
            }
            lines.add(new Line(
                    Finding.GOOD,
                    c.info().id(),
                    c.info().name() + ", " + c.info().values().get("units") + " units"
                            + (c.info().facts().get("compiler") instanceof String compiler
                                    ? ", code by " + compiler
                                    : "")
                            + (c.info().facts().get("driver_cuda") instanceof String release
                                    ? ", " + c.info().facts().get("target") + ", driver for CUDA " + release
                                    : "")
                            + (c.info().facts().get("driver_hip") instanceof String release
                                    ? ", " + c.info().facts().get("target") + ", HIP " + release
                                    : "")));
        }
        if (!others.isEmpty()) {
            lines.add(new Line(Finding.GOOD, "by name", String.join(", ", others)));
        }
        devices.missing()
                .forEach((backend, absences) ->
                        absences.forEach(a -> lines.add(new Line(Finding.ABSENT, backend, a.text()))));
        meters(lines);
        load().ifPresent(lines::add);
        print(lines);
        return (devices.isEmulatedOnly() ? ExitCode.NOTHING_THERE : ExitCode.OK).status();
    }

    private Line cache() {
        Path folder = surroundings.cache();
        try {
            Files.createDirectories(folder);
            Path probe = Files.createTempFile(folder, "probe", null);
            Files.delete(probe);
            long free = Files.getFileStore(folder).getUsableSpace();
            return new Line(Finding.GOOD, "cache", String.format(Locale.ROOT, "%s, %.1f GB free", folder, free * 1e-9));
        } catch (IOException e) {
            return new Line(
                    Finding.ABSENT,
                    "cache",
                    folder + " cannot be written (" + e.getMessage()
                            + "); set PANAMARK_CACHE to a folder that can, as kernels are compiled into it");
        }
    }

    /** What can meter energy, and what keeps others from it. */
    private void meters(List<Line> lines) {
        try (Meters meters = Meters.of(surroundings.env())) {
            for (PowerMeter meter : meters.found()) {
                MeterInfo info = meter.info();
                lines.add(new Line(
                        Finding.GOOD,
                        "energy",
                        info.id() + ": " + info.method() + " of " + info.device() + " ("
                                + info.scope().tag() + "), "
                                + info.place()
                                + info.overlap()
                                        .map(why -> "; " + why + ", so in no total")
                                        .orElse("")));
            }
            meters.missing().forEach(none -> lines.add(new Line(Finding.ABSENT, "energy", none.text())));
        }
    }

    /** Other work on the machine is the commonest reason for noise. */
    private static java.util.Optional<Line> load() {
        return HostLoad.read()
                .map(l -> new Line(
                        l.busy() ? Finding.DOUBTFUL : Finding.GOOD,
                        "load",
                        l.text() + (l.busy() ? "; other work will show as noise, so end it before measuring" : "")));
    }

    private void print(List<Line> lines) {
        PrintWriter out = spec.commandLine().getOut();
        int subject = lines.stream().mapToInt(l -> l.subject().length()).max().orElse(0);
        String indent = " ".repeat(6 + subject + 2);
        for (Line line : lines) {
            String head = String.format(Locale.ROOT, "%-4s  %-" + subject + "s  ", line.finding().tag, line.subject());
            out.println(head + Paragraph.wrap(line.text(), surroundings.width() - indent.length(), indent));
        }
        out.flush();
    }
}
