package dev.panamark.device.cuda;

import dev.panamark.device.DeviceException;
import dev.panamark.device.Profile;
import dev.panamark.device.ProfilerProgram;
import dev.panamark.driver.compile.Programs;
import dev.panamark.ffi.Availability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/**
 * The command line of NVIDIA Nsight Compute, which replays each kernel as often as its counters take and restores memory
 * between. Of counters that a chip lacks it says so and tells the others.
 */
final class NsightCompute implements ProfilerProgram {
    private final Path program;

    private NsightCompute(Path program) {
        this.program = program;
    }

    /** The one on the PATH. */
    static Availability<ProfilerProgram> find(Map<String, String> env) {
        return Programs.find("ncu", env)
                .<Availability<ProfilerProgram>>map(found -> Availability.of(new NsightCompute(found)))
                .orElseGet(() -> Availability.missing(
                        "ncu is " + Programs.whyNot("ncu", env),
                        "Install NVIDIA Nsight Compute, which the CUDA toolkit has as well."));
    }

    @Override
    public String name() {
        return "ncu";
    }

    @Override
    public List<String> before(Launches launches, int run, Path report) {
        String metrics = Arrays.stream(HardwareCounter.values())
                .map(HardwareCounter::metric)
                .collect(Collectors.joining(","));
        String kernels = launches.entries().stream()
                .distinct()
                .map(NsightCompute::quoted)
                .collect(Collectors.joining("|", "regex:^(", ")$"));
        return List.of(
                program.toString(),
                "--csv",
                "--page",
                "raw",
                "--print-units",
                "base",
                "--log-file",
                report.toString(),
                "--target-processes",
                "all",
                "--kernel-name-base",
                "mangled",
                "--kernel-name",
                kernels,
                "--launch-skip",
                String.valueOf(launches.skip()),
                "--launch-count",
                String.valueOf(launches.count()),
                "--replay-mode",
                "kernel",
                "--cache-control",
                launches.cold() ? "all" : "none",
                "--clock-control",
                "none",
                "--metrics",
                metrics);
    }

    /** As names of kernels are words, of what has a meaning in a regular expression only the dollar can be in them. */
    private static String quoted(String name) {
        return name.replace("$", "\\$");
    }

    @Override
    public Profile read(List<Run> runs, Launches launches) {
        Run only = runs.getFirst();
        if (only.failure().isPresent() && !Files.isRegularFile(only.report())) {
            throw new DeviceException("under ncu " + only.failure().get());
        }
        try {
            NsightReport read = NsightReport.parse(Files.readString(only.report()));
            if (read.launches() != launches.count()) {
                throw new DeviceException("ncu tells of " + read.launches() + " launches and not of the "
                        + launches.count()
                        + " of " + launches.entries() + (read.words().isEmpty() ? "" : "; it says: " + read.words())
                        + only.failure().map(why -> "; " + why).orElse(""));
            }
            return new Profile(
                    "Nsight Compute (" + program + ")",
                    OptionalInt.empty(),
                    CounterFormulas.of(read.counters(), "the GPU"));
        } catch (IOException e) {
            throw new DeviceException("ncu left no report (" + e + "); run 'ncu --version' to see whether it works", e);
        }
    }
}
