package dev.panamark.cli;

import dev.panamark.measure.HostClock;
import dev.panamark.report.EnergyCsv;
import dev.panamark.report.EnergyTable;
import dev.panamark.result.LineFile;
import dev.panamark.result.ResultWriteException;
import dev.panamark.telemetry.EnergyRecorder;
import dev.panamark.telemetry.EnergyRun;
import dev.panamark.telemetry.MeterEnergy;
import dev.panamark.worker.Meters;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code panamark energy}. */
@Command(
        name = "energy",
        sortOptions = false,
        description = "Joules of a command, or of a stretch of time, by every meter of this machine.",
        footer = {
            "",
            "A command keeps its input and outputs; the table goes to standard error, or nowhere when --json, --csv or",
            "--openmetrics name a file. Without any meter the command runs all the same.",
            "",
            "Exit codes with a command: the command's own (128 + n when signal n ended it); 125 Panamark failed; 126 the",
            "command cannot be executed; 127 it is not there. With --duration: 0, 2 bad command line, 3 no meter,",
            "4 a meter gave no figure, 130 interrupted, 143 terminated.",
            "",
            "Examples:",
            "  panamark energy -- make -j8",
            "  panamark energy --json joules.json --samples power.csv -- ./job.sh",
            "  panamark energy --duration 60s --openmetrics -"
        })
final class EnergyCommand implements Callable<Integer> {
    /** As with env(1), nice(1), timeout(1). */
    static final int OWN_FAILURE = 125;

    static final int NOT_EXECUTABLE = 126;
    static final int NOT_FOUND = 127;

    private static final int SIGINT = 2;

    /** What the launcher adds to the environment for Panamark itself: names, and {@code NAME=old} of what it changes. */
    private static final String ADDED = "PANAMARK_ADDED";

    private final Surroundings surroundings;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            converter = Seconds.class,
            description = "Meter whatever the machine does for so long, instead of a command.")
    private @Nullable Double duration;

    @Mixin
    private EnergyOutputs outputs = new EnergyOutputs();

    @Option(
            names = {"-q", "--quiet"},
            description = "No table.")
    private boolean quiet;

    @Parameters(paramLabel = "CMD", arity = "0..*", description = "Command and its arguments, after '--'.")
    private List<String> command = new ArrayList<>();

    EnergyCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    /** Whether there is a command to run. */
    boolean hasCommand() {
        return !command.isEmpty();
    }

    @Override
    public Integer call() throws InterruptedException {
        if (command.isEmpty() == (duration == null)) {
            throw new CommandFailed(
                    ExitCode.BAD_INPUT,
                    command.isEmpty()
                            ? "say what to meter: a command ('panamark energy -- make -j8') or a time (--duration 60s)"
                            : "--duration and a command exclude each other; 'timeout 60 CMD' ends a command in time");
        }
        outputs.check();
        if (!command.isEmpty() && outputs.takesStandardOutput()) {
            throw new CommandFailed(
                    ExitCode.BAD_INPUT, "'-' is standard output, which belongs to the command; name a file instead");
        }
        if (!command.isEmpty() && command.getFirst().isEmpty()) {
            throw new CommandFailed(ExitCode.BAD_INPUT, "the command's name is empty");
        }
        try (Meters meters = Meters.of(surroundings.env())) {
            if (duration != null && meters.found().isEmpty()) {
                String why = String.join(
                        " ", meters.missing().stream().map(a -> a.text()).toList());
                throw new CommandFailed(ExitCode.NOTHING_THERE, "there is no energy meter: " + why);
            }
            return meter(meters);
        }
    }

    private int meter(Meters meters) throws InterruptedException {
        HostClock clock = HostClock.system();
        try (Samples samples = new Samples(outputs)) {
            EnergyRecorder recorder = new EnergyRecorder(clock, meters.found(), samples);
            return command.isEmpty()
                    ? ofTime(meters, recorder, samples, clock, duration == null ? 0 : duration)
                    : ofCommand(meters, recorder, samples, clock);
        }
    }

    private int ofCommand(Meters meters, EnergyRecorder recorder, Samples samples, HostClock clock)
            throws InterruptedException {
        AtomicReference<@Nullable Child> running = new AtomicReference<>();
        AtomicInteger early = new AtomicInteger();
        // Everything that takes time comes before the tick behind which the command begins.
        try (Signals _ = Signals.to(number -> {
            if (running.get() == null) {
                early.set(number);
            }
            Child child = running.get(); // which may have been started meanwhile
            // In the foreground of a terminal, that has sent an interrupt to the command as well.
            if (child != null && (number != SIGINT || !Terminal.interruptsUs())) {
                child.signal(number);
            }
        })) {
            Map<String, String> environment = environment();
            recorder.prepare();
            if (early.get() != 0) {
                complain("ended before the command was started");
                return 128 + early.get();
            }
            Instant started = Instant.now();
            samples.begin(started);
            long begin = clock.nanos();
            recorder.begin(begin);
            Child child;
            try {
                child = Child.start(command, environment, clock);
            } catch (Child.NotStarted e) {
                complain(String.valueOf(e.getMessage()));
                return e.status();
            }
            running.set(child);
            if (early.get() != 0) {
                child.signal(early.get());
            }
            while (!child.awaitEnd(recorder.wake() - clock.nanos())) {
                recorder.poll();
            }
            List<MeterEnergy> energies = recorder.end(child.ended());
            EnergyRun run = run(meters, started, command, child.status(), (child.ended() - begin) * 1e-9, energies);
            if (!quiet && !outputs.takesFile()) {
                table(run, spec.commandLine().getErr());
            } else if (!quiet && run.joules().value() == null) {
                complain("no joules: " + run.joules().reason());
            }
            try {
                outputs.write(run, spec.commandLine().getOut());
                samples.check();
            } catch (ResultWriteException e) {
                if (!quiet && outputs.takesFile()) {
                    table(run, spec.commandLine().getErr());
                }
                complain(e.getMessage() + "; the command ended with " + child.status());
                return OWN_FAILURE;
            }
            return child.status();
        }
    }

    private int ofTime(Meters meters, EnergyRecorder recorder, Samples samples, HostClock clock, double seconds)
            throws InterruptedException {
        CountDownLatch stop = new CountDownLatch(1);
        AtomicInteger signal = new AtomicInteger();
        try (Signals _ = Signals.to(number -> {
            signal.set(number);
            stop.countDown();
        })) {
            recorder.prepare();
            Instant started = Instant.now();
            samples.begin(started);
            long begin = clock.nanos();
            recorder.begin(begin);
            long end = begin + Math.round(seconds * 1e9);
            while (!stop.await(Math.min(end, recorder.wake()) - clock.nanos(), TimeUnit.NANOSECONDS)
                    && clock.nanos() < end) {
                recorder.poll();
            }
            long ended = clock.nanos();
            List<MeterEnergy> energies = recorder.end(ended);
            EnergyRun run = run(meters, started, null, null, (ended - begin) * 1e-9, energies);
            PrintWriter out = spec.commandLine().getOut();
            if (!quiet && !outputs.takesStandardOutput()) {
                table(run, out);
            }
            outputs.write(run, out);
            samples.check();
            if (signal.get() != 0) {
                complain("ended before its time; what was metered until then is the answer");
                return 128 + signal.get();
            }
            return (run.joules().value() == null ? ExitCode.NOT_TRUSTED : ExitCode.OK).status();
        }
    }

    private EnergyRun run(
            Meters meters,
            Instant started,
            @Nullable List<String> what,
            @Nullable Integer status,
            double seconds,
            List<MeterEnergy> energies) {
        return new EnergyRun(
                List.copyOf(spec.commandLine().getParseResult().originalArgs()),
                HostFacts.gather(surroundings, List.of()),
                started,
                what,
                status,
                seconds,
                energies,
                meters.missing().stream()
                        .map(a ->
                                new EnergyRun.Absent(a.why().reasons(), a.why().remedy()))
                        .toList());
    }

    private void table(EnergyRun run, PrintWriter to) {
        to.print(EnergyTable.render(run, surroundings.width(), surroundings.color()));
        to.flush();
    }

    private void complain(String what) {
        spec.commandLine().getErr().println("panamark: " + what);
    }

    /** The user's environment: what the launcher has added for Panamark is out again, what it has changed as it was. */
    private Map<String, String> environment() {
        Map<String, String> env = new HashMap<>(surroundings.env());
        for (String change : env.getOrDefault(ADDED, "").split(" ", -1)) {
            int value = change.indexOf('=');
            if (value < 0) {
                env.remove(change);
            } else {
                env.put(change.substring(0, value), change.substring(value + 1));
            }
        }
        env.remove(ADDED);
        return env;
    }

    /** Samples on their way into their file. A disk that fills up must not end the command; it is said afterwards. */
    private static final class Samples implements EnergyRecorder.Samples, AutoCloseable {
        private final @Nullable LineFile file;
        private Instant started = Instant.EPOCH;
        private @Nullable ResultWriteException trouble;

        Samples(EnergyOutputs outputs) {
            file = outputs.samplesFile().map(LineFile::create).orElse(null);
            put(EnergyCsv.samplesHeader());
        }

        void begin(Instant now) {
            started = now;
        }

        @Override
        public void add(String meter, double from, double to, double joules) {
            put(EnergyCsv.sample(started, meter, from, to, joules));
        }

        private void put(String lines) {
            if (file != null && trouble == null) {
                try {
                    file.add(lines);
                } catch (ResultWriteException e) {
                    trouble = e;
                }
            }
        }

        /** Throws what writing has met with. */
        void check() {
            if (trouble != null) {
                throw trouble;
            }
        }

        @Override
        public void close() {
            if (file != null) {
                file.close();
            }
        }
    }
}
