package dev.panamark.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import dev.panamark.result.Status;
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
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.BiConsumer;
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
    private BiConsumer<Integer, Row> ended = (i, row) -> {};
    private BiConsumer<Integer, Plan.Item> begun = (i, item) -> {};

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
                java.util.Objects.requireNonNull(rows.getLast().metric(Tags.UTIL_CEILING))
                        .value(),
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
