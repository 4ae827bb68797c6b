package dev.panamark.device.hip;

import dev.panamark.device.DeviceException;
import dev.panamark.device.Profile;
import dev.panamark.device.ProfilerProgram;
import dev.panamark.driver.compile.Programs;
import dev.panamark.ffi.Availability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/**
 * ROCm's profiler, {@code rocprofv3}. A process of it counts what fits into one pass, so there is one for each group of
 * counters; what a chip does not know costs its group. No AMD hardware has confirmed what is made of its reports.
 */
final class Rocprof implements ProfilerProgram {
    private static final String PROGRAM = "rocprofv3";
    private static final String USUAL = "/opt/rocm/bin/" + PROGRAM;

    private final Path program;

    private Rocprof(Path program) {
        this.program = program;
    }

    /** The one on the PATH, or where ROCm is installed. */
    static Availability<ProfilerProgram> find(Map<String, String> env) {
        Optional<Path> found = Programs.find(PROGRAM, env).or(() -> Programs.find(USUAL, env));
        return found.<Availability<ProfilerProgram>>map(path -> Availability.of(new Rocprof(path)))
                .orElseGet(() -> Availability.missing(
                        PROGRAM + " is " + Programs.whyNot(PROGRAM, env) + " and not at " + USUAL,
                        "Install rocprofiler-sdk of ROCm 6.3 or newer."));
    }

    @Override
    public String name() {
        return PROGRAM;
    }

    @Override
    public int runs() {
        return RocprofCounter.runs();
    }

    @Override
    public List<String> before(Launches launches, int run, Path report) {
        List<String> words = new ArrayList<>(List.of(program.toString(), "--pmc"));
        RocprofCounter.ofRun(run).forEach(counter -> words.add(counter.metric()));
        words.addAll(List.of("--output-format", "csv", "-d", report.toString(), "--"));
        return words;
    }

    @Override
    public Profile read(List<Run> runs, Launches launches) {
        Map<RocprofCounter, Double> read = new EnumMap<>(RocprofCounter.class);
        Map<RocprofCounter, String> failures = new EnumMap<>(RocprofCounter.class);
        for (int i = 0; i < runs.size(); i++) {
            Optional<String> trouble = runs.get(i).failure();
            try {
                RocprofReport report = RocprofReport.parse(text(runs.get(i).report()), launches);
                if (report.launches() == launches.count()) {
                    read.putAll(report.counters());
                } else if (trouble.isEmpty()) {
                    trouble = Optional.of(PROGRAM + " tells of " + report.launches() + " launches and not of the "
                            + launches.count() + " of " + launches.entries());
                }
            } catch (IOException e) {
                trouble = trouble.or(() -> Optional.of(PROGRAM + " left no report of counters: " + e.getMessage()));
            }
            String why = trouble.orElse("");
            if (!why.isEmpty()) {
                RocprofCounter.ofRun(i).forEach(counter -> failures.put(counter, why));
            }
        }
        if (read.isEmpty()) {
            throw new DeviceException(
                    failures.values().stream().distinct().findFirst().orElse(PROGRAM + " told none of the counters"));
        }
        return new Profile(
                PROGRAM + " (" + program + ")", OptionalInt.of(runs.size()), RocprofFormulas.of(read, failures));
    }

    /** The tables of counters in its folder, one below the other where several processes left one. */
    private static String text(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            throw new IOException("there is no folder " + folder.getFileName());
        }
        try (Stream<Path> files = Files.walk(folder)) {
            List<Path> tables = files.filter(file -> file.toString().endsWith("counter_collection.csv"))
                    .sorted()
                    .toList();
            if (tables.isEmpty()) {
                throw new IOException("no file ends with counter_collection.csv");
            }
            List<String> texts = new ArrayList<>();
            for (Path table : tables) {
                texts.add(Files.readString(table));
            }
            return String.join("\n", texts);
        }
    }
}
