package dev.panamark.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.device.Profile;
import dev.panamark.device.ProfilerProgram;
import dev.panamark.ffi.Availability;
import dev.panamark.kernel.DeviceValues;
import dev.panamark.kernel.Kernel;
import dev.panamark.kernel.Problem;
import dev.panamark.kernel.Value;
import dev.panamark.measure.Budget;
import dev.panamark.measure.Effort;
import dev.panamark.measure.HostClock;
import dev.panamark.measure.Mode;
import dev.panamark.measure.Plan;
import dev.panamark.result.Metric;
import dev.panamark.result.Row;
import dev.panamark.result.Source;
import dev.panamark.result.Status;
import dev.panamark.result.Tag;
import dev.panamark.result.Tags;
import dev.panamark.telemetry.EnergyMode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ConductorTest {
    @TempDir
    Path folder;

    private final List<String> heard = Collections.synchronizedList(new ArrayList<>());
    private final List<Row> rows = Collections.synchronizedList(new ArrayList<>());

    /** Goes on by what it is told. */
    private static final class StepClock implements HostClock {
        private long now;

        @Override
        public long nanos() {
            return now;
        }

        @Override
        public void sleepUntil(long nanos) {
            now = nanos;
        }
    }

    private static final Conductor.Known NOTHING = (invocation, item) -> Optional.empty();
    private final List<SequencedMap<String, Object>> codes = Collections.synchronizedList(new ArrayList<>());
    private final StepClock clock = new StepClock();
    private double memory;
    private int invocations = 1;
    private CounterSources counters = CounterSources.NONE;
    private BiConsumer<Integer, Row> ended = (i, row) -> {};
    private BiConsumer<Integer, Plan.Item> begun = (i, item) -> {};
    private Consumer<Row> aggregated = row -> {};

    private Conductor conductor() {
        return new Conductor(
                new Conductor.Settings(
                        1,
                        new Effort(1, 0, 0.01, 1000),
                        Optional.empty(),
                        Optional.empty(),
                        List.of(),
                        folder,
                        Mode.HOT,
                        EnergyMode.OFF,
                        invocations,
                        memory == 0 ? Map.of() : Map.of("cpu:0", new DeviceValues("cpu", Map.of("memory", memory))),
                        Set.of("emu:0"),
                        counters,
                        new Deadlines(20)),
                new Conductor.Listener() {
                    @Override
                    public void begins(int number, List<Plan.Item> items) {
                        Plan.Item item = items.getFirst();
                        heard.add("begins " + number + " " + item.kernel().name());
                        begun.accept(number, item);
                    }

                    @Override
                    public void ends(int number, Row row, SequencedMap<String, Object> code) {
                        codes.add(code);
                        heard.add("ends " + number + " " + row.kernel() + " " + row.status());
                        rows.add(row);
                        ended.accept(number, row);
                    }

                    @Override
                    public void aggregated(Row row) {
                        aggregated.accept(row);
                    }
                },
                ScriptedWorker.command());
    }

    /** A kernel of this name; only its name matters to a scripted worker. */
    private Kernel kernel(String name) {
        try {
            Files.writeString(folder.resolve("k.c"), "");
            return Kernel.read(Files.writeString(folder.resolve(name + ".yaml"), """
                    format: panamark.kernel/1
                    kernel: %s
                    purpose: is named
                    axes: {n: [1]}
                    images: {cpu: [{file: k.c}]}
                    buffers: {out: {type: f32, shape: [n], role: output}}
                    steps: [{entry: e, grid: [1], args: [out]}]
                    work: {reads: 0, writes: bytes(out)}
                    check: {reference: linear}
                    """.formatted(name)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Plan plan(String device, String... kernels) {
        return new Plan(Stream.of(kernels)
                .map(name -> List.of(new Plan.Item(
                        device, kernel(name), new Problem(new LinkedHashMap<>(Map.of("n", new Value.Int(1)))))))
                .toList());
    }

    private static double seconds(Row row) {
        return row.run().get("seconds") instanceof Double seconds ? seconds : Double.NaN;
    }

    @Test
    void rowsComeInTheOrderOfThePlanAndAFailureCostsOne() {
        Conductor.Outcome outcome = conductor()
                .run(
                        plan("cpu:0", "ceiling.scripted", "it.works", "it.ends", "it.faults", "it.works"),
                        new Budget(clock, 1000),
                        NOTHING);
        assertEquals(
                List.of(
                        "begins 0 ceiling.scripted",
                        "ends 0 ceiling.scripted OK",
                        "begins 1 it.works",
                        "ends 1 it.works OK",
                        "begins 2 it.ends",
                        "ends 2 it.ends FAILED",
                        "begins 3 it.faults",
                        "ends 3 it.faults OK",
                        "begins 4 it.works",
                        "ends 4 it.works OK"),
                heard);
        // 997 s over five rows, of which the simulated clock sees nothing pass.
        assertEquals(997.0 / 5, seconds(rows.getFirst()), 1e-6);
        assertEquals(997.0, seconds(rows.getLast()), 1e-6);
        assertEquals(
                Set.of(
                        Map.of(),
                        Map.of("kernel", "ceiling.scripted"),
                        Map.of("kernel", "it.works"),
                        Map.of("kernel", "it.faults")),
                Set.copyOf(codes),
                "and none of the row that never came");
        assertTrue(outcome.inputFault(), "one is enough");
        assertFalse(outcome.interrupted());
        Metric share = rows.get(1).metric(Tags.UTIL_CEILING);
        assertNotNull(share);
        // 1 GFLOP in 0.2 s against a ceiling of 1 GFLOP in 0.1 s.
        assertEquals(0.5, share.value());
    }

    /** What a device has of memory decides how many rows stand side by side; here it is not known. */
    @Test
    void rowsOfOneProblemAreMeasuredByOneWorkerInOneGo() {
        Plan apart = plan("cpu:0", "it.works", "it.faults", "it.ends");
        Plan plan = new Plan(List.of(apart.items().subList(0, 2), apart.items().subList(2, 3)));
        conductor().run(plan, new Budget(clock, 1000), NOTHING);
        assertEquals(
                List.of(
                        "begins 0 it.works",
                        "ends 0 it.works OK",
                        "begins 1 it.faults",
                        "ends 1 it.faults OK",
                        "begins 2 it.ends",
                        "ends 2 it.ends FAILED"),
                heard);
        heard.clear();
        memory = 1e6;
        conductor().run(plan, new Budget(clock, 1000), NOTHING);
        assertEquals(
                List.of(
                        "begins 0 it.works",
                        "ends 0 it.works OK",
                        "ends 1 it.faults OK",
                        "begins 2 it.ends",
                        "ends 2 it.ends FAILED"),
                heard);
        heard.clear();
        // Each has one float: two of them take more than a fifth of 32 bytes.
        memory = 32;
        conductor().run(plan, new Budget(clock, 1000), NOTHING);
        assertEquals("begins 1 it.faults", heard.get(2));
    }

    @Test
    void emulatedRowsAreKeptATimeAndComeOnce() {
        invocations = 2;
        Plan plan = new Plan(
                Stream.concat(plan("cpu:0", "it.works").groups().stream(), plan("emu:0", "it.faults").groups().stream())
                        .toList());
        conductor().run(plan, new Budget(clock, 1000), NOTHING);
        assertEquals(
                List.of("it.works 0", "it.works 1", "it.faults 1"),
                rows.stream().map(r -> r.kernel() + " " + r.invocation()).toList());
        // 997 s, 400 of them kept while emulated rows are left; the simulated clock sees nothing pass.
        assertEquals(
                List.of(597.0 / 2, 597.0, 997.0),
                rows.stream().map(r -> Math.round(10 * seconds(r)) / 10.0).toList());
    }

    private static final Availability<ProfilerProgram> NO_PROGRAM = Availability.missing("no program", "Install one.");

    /** Finds an occupancy of three quarters in every report, and keeps what it was asked for. */
    private static final class Program implements ProfilerProgram {
        private final List<Launches> asked = new ArrayList<>();

        @Override
        public String name() {
            return "scripted-profiler";
        }

        @Override
        public List<String> before(Launches launches, int run, Path report) {
            asked.add(launches);
            return List.of("env", "REPORT=" + report);
        }

        @Override
        public Profile read(List<Run> runs, Launches launches) {
            return new Profile(
                    "a program",
                    OptionalInt.of(7),
                    new LinkedHashMap<>(Map.of(
                            "occupancy/achieved",
                            Availability.of(new Profile.Count(0.75, "x / y", false, new LinkedHashMap<>())))));
        }
    }

    private static Metric metric(Row row, Tag tag) {
        return Objects.requireNonNull(row.metric(tag), () -> tag.path() + " of " + row);
    }

    @Test
    void countersAreReadInAProcessOfTheirOwnOnceARowIsTimed() {
        counters = new CounterSources(Map.of("cpu:0", NO_PROGRAM), Map.of());
        invocations = 2;
        List<Row> aggregates = new ArrayList<>();
        aggregated = aggregates::add;
        conductor().run(plan("cpu:0", "it.works"), new Budget(clock, 1000), NOTHING);
        Row first = rows.getFirst();
        assertEquals(0.5, metric(first, Tags.OCCUPANCY_ACHIEVED).value());
        assertEquals(0.2, metric(first, Tags.TIME_MEDIAN).value(), "what was timed stays");
        assertNotEquals(
                Map.of("pid", Objects.requireNonNull(first.run().get("pid"))),
                first.run().get("counters"),
                "another process");
        assertEquals(997.0 / 2 * 0.75, seconds(first), 1e-6, "a quarter is for counting");
        assertEquals(997.0, seconds(rows.getLast()), 1e-6, "later invocations count nothing");
        assertNull(rows.getLast().metric(Tags.OCCUPANCY_ACHIEVED));
        assertEquals(0.5, metric(aggregates.getFirst(), Tags.OCCUPANCY_ACHIEVED).value());
    }

    @Test
    void aProgramCountsWhereCountersMayNotBeRead() {
        Program program = new Program();
        counters = new CounterSources(Map.of("cpu:0", Availability.of(program)), Map.of());
        memory = 1e6; // of a device that is known, so that the launches of a problem are
        conductor().run(plan("cpu:0", "it.refuses"), new Budget(clock, 1000), NOTHING);
        Metric occupancy = metric(rows.getFirst(), Tags.OCCUPANCY_ACHIEVED);
        assertEquals(0.75, occupancy.value());
        assertEquals(Source.COMPUTED, occupancy.source());
        assertEquals("x / y", occupancy.detail().get("formula"));
        assertEquals(List.of(new ProfilerProgram.Launches(List.of("e"), 1, 1, false)), program.asked);
    }

    @Test
    void theEmulatorCountsWhereNothingElseDoes() {
        counters = new CounterSources(Map.of("cpu:0", NO_PROGRAM), Map.of("cpu:0", "emu:0"));
        conductor().run(plan("cpu:0", "it.refuses", "it.refuses.too"), new Budget(clock, 1000), NOTHING);
        for (Row row : rows) {
            Metric conflicts = metric(row, Tags.SHARED_CONFLICTS);
            assertEquals(64.0, conflicts.value(), "blocks that the emulator was to run");
            assertEquals(Source.EMULATED, conflicts.source());
            assertNull(metric(row, Tags.OCCUPANCY_ACHIEVED).value());
            assertEquals(
                    "counters: counters are root's",
                    metric(row, Tags.OCCUPANCY_ACHIEVED).reason());
            assertEquals(
                    List.of("counted by the emulator (emu:0), because counters cannot be read: counters: counters are"
                            + " root's"),
                    row.flags());
            assertEquals(0.2, metric(row, Tags.TIME_MEDIAN).value(), "and not the emulation's");
        }
    }

    /** What was timed is kept, and no other way is tried. */
    @Test
    void anInterruptedCountCostsTheCountsOnly() {
        counters = new CounterSources(Map.of("cpu:0", NO_PROGRAM), Map.of("cpu:0", "emu:0"));
        Conductor conductor = conductor();
        begun = (i, item) -> Thread.ofPlatform().start(() -> {
            // The second worker is the one that counts.
            while (ProcessHandle.current().children().count() < 2) {
                Thread.onSpinWait();
            }
            conductor.interrupt();
        });
        Conductor.Outcome outcome =
                conductor.run(plan("cpu:0", "it.counts.for.ever", "it.works"), new Budget(clock, 1000), NOTHING);
        assertTrue(outcome.interrupted());
        assertEquals(List.of("begins 0 it.counts.for.ever", "ends 0 it.counts.for.ever OK"), heard);
        assertEquals(0.2, metric(rows.getFirst(), Tags.TIME_MEDIAN).value());
        assertTrue(
                String.valueOf(metric(rows.getFirst(), Tags.SHARED_CONFLICTS).reason())
                        .endsWith("emu:0: interrupted"),
                rows::toString);
    }

    @Test
    void withoutAnyWayEveryReasonIsTold() {
        counters = new CounterSources(Map.of("cpu:0", NO_PROGRAM), Map.of());
        conductor().run(plan("cpu:0", "it.refuses", "it.ends"), new Budget(clock, 1000), NOTHING);
        assertEquals(
                "counters: counters are root's",
                metric(rows.getFirst(), Tags.L2_HIT_RATE).reason());
        assertEquals(Status.OK, rows.getFirst().status());
        assertNull(rows.getLast().metric(Tags.L2_HIT_RATE), "a row that was not timed is not counted");
    }

    @Test
    void rowsThatAreKnownAreNotMeasuredAgain() {
        Plan plan = plan("cpu:0", "ceiling.scripted", "it.ends", "it.works");
        List<Row> before = new ArrayList<>();
        conductor().run(plan("cpu:0", "ceiling.scripted", "it.works"), new Budget(clock, 1000), NOTHING);
        before.addAll(rows);
        rows.clear();
        heard.clear();
        Conductor.Known known = (invocation, item) -> before.stream()
                .filter(row -> row.kernel().equals(item.kernel().name())
                        && row.kernel().startsWith("ceiling"))
                .findFirst();
        conductor().run(plan, new Budget(clock, 1000), known);
        assertEquals(
                List.of("begins 1 it.ends", "ends 1 it.ends FAILED", "begins 2 it.works", "ends 2 it.works OK"), heard);
        assertEquals(997.0, seconds(rows.getLast()), 1e-6, "the last of those that are left has all the time");
        assertEquals(
                0.5,
                Objects.requireNonNull(rows.getLast().metric(Tags.UTIL_CEILING)).value(),
                "the known ceiling counts");
    }

    @Test
    void aSpentBudgetSkipsWhatIsLeft() {
        ended = (i, row) -> clock.sleepUntil(clock.nanos() + 990_000_000_000L);
        Conductor.Outcome outcome =
                conductor().run(plan("cpu:0", "it.works", "it.works", "it.works"), new Budget(clock, 1000), NOTHING);
        assertEquals(
                List.of("OK", "OK", "SKIPPED"),
                rows.stream().map(r -> r.status().name()).toList());
        Row skipped = rows.getLast();
        assertEquals(List.of(Conductor.BUDGET_SPENT), skipped.flags());
        assertTrue(String.valueOf(skipped.reason()).contains("--budget"), skipped::reason);
        assertEquals(Map.of("n", 1L), skipped.problem());
        assertEquals("begins 2 it.works", heard.get(4));
        assertFalse(outcome.interrupted());
    }

    @Test
    void anInterruptInARowEndsTheRunAndKeepsWhatIsFinished() throws Exception {
        Conductor conductor = conductor();
        begun = (i, item) -> {
            if (i == 1) {
                // As a signal's hook does, while the row is running.
                Thread.ofPlatform().start(conductor::interrupt);
            }
        };
        List<Conductor.Outcome> outcomes = Collections.synchronizedList(new ArrayList<>());
        Thread conducting = Thread.ofPlatform()
                .start(() -> outcomes.add(conductor.run(
                        plan("cpu:0", "it.works", "it.hangs", "it.works"), new Budget(clock, 1000), NOTHING)));
        conducting.join(Duration.ofSeconds(18));
        assertFalse(conducting.isAlive(), "the hanging row would have taken a thousand seconds");
        assertTrue(outcomes.getFirst().interrupted());
        assertEquals(List.of("begins 0 it.works", "ends 0 it.works OK", "begins 1 it.hangs"), heard);
    }

    @Test
    void anInterruptBetweenRowsStartsNoFurtherOne() {
        Conductor conductor = conductor();
        ended = (i, row) -> conductor.interrupt();
        Conductor.Outcome outcome = conductor.run(
                new Plan(Stream.concat(
                                plan("cpu:0", "it.works").groups().stream(),
                                plan("cpu:1", "it.works").groups().stream())
                        .toList()),
                new Budget(clock, 1000),
                NOTHING);
        assertTrue(outcome.interrupted());
        assertEquals(1, rows.size());
        assertEquals(Status.OK, rows.getFirst().status());
        assertEquals(2, heard.size());
    }

    @Test
    void anInterruptBeforeTheFirstRowMeasuresNothing() {
        Conductor conductor = conductor();
        conductor.interrupt();
        assertTrue(conductor
                .run(plan("cpu:0", "it.works"), new Budget(clock, 1000), NOTHING)
                .interrupted());
        assertEquals(List.of(), heard);
    }
}
