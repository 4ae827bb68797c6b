package dev.panamark.measure;

import static dev.panamark.result.Rows.metric;
import static dev.panamark.result.Rows.value;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.device.DeviceException;
import dev.panamark.device.UnsupportedException;
import dev.panamark.kernel.Catalogue;
import dev.panamark.kernel.Kernel;
import dev.panamark.kernel.Problem;
import dev.panamark.kernel.Value;
import dev.panamark.result.Metric;
import dev.panamark.result.Row;
import dev.panamark.result.Status;
import dev.panamark.result.Tag;
import dev.panamark.result.Tags;
import dev.panamark.telemetry.EnergyMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RowMeasurementTest {
    private static final long SEED = 3;
    private static final FakeDevice.Code RIGHT = b -> KernelFiles.twice(b.getFirst(), b.getLast());

    @TempDir
    static Path cache;

    @TempDir
    Path folder;

    private static @Nullable Catalogue builtin;

    private final FakeDevice device = new FakeDevice(new FakeClock());
    private final List<Phase> phases = new ArrayList<>();
    private Effort effort = new Effort(30, 0, 0.01, 1);
    private boolean once;
    private Mode mode = Mode.HOT;
    private Optional<Path> dump = Optional.empty();
    private EnergyMeasurement energy = Energies.none(device.clock);
    private Catalogue catalogue = Objects.requireNonNull(builtin);

    @BeforeAll
    static void readBuiltins() {
        builtin = Catalogue.builtin(cache);
    }

    @BeforeEach
    void right() {
        device.with("doubled", RIGHT);
    }

    @AfterEach
    void everythingWasClosed() {
        assertEquals(0, device.open, "buffers and modules that are still open");
        assertEquals(device.hold.held, device.hold.closed, "the device is let go");
    }

    private void add(String name, String yaml) {
        catalogue = catalogue.withFile(new KernelFiles(folder).write(name, yaml));
    }

    private Measured measure(String name, String sha, int n) {
        LinkedHashMap<String, Value> values = new LinkedHashMap<>(Map.of("n", new Value.Int(n)));
        LinkedHashMap<String, Object> json = new LinkedHashMap<>(Map.of("n", (long) n));
        Request request = new Request(
                "mine." + name, sha, new Problem(values), json, SEED, effort, Optional.empty(), mode, once, dump);
        try (RowMeasurement measurement = new RowMeasurement(device, catalogue, device.clock, energy)) {
            return measurement
                    .measure(List.of(request), (row, phase) -> phases.add(phase))
                    .getFirst();
        }
    }

    private Measured measure(String name) {
        Kernel kernel = catalogue.select(List.of("mine." + name)).getFirst();
        return measure(name, kernel.sourceSha256(), KernelFiles.N);
    }

    private Measured doubling() {
        add("k", KernelFiles.doubling("k"));
        return measure("k");
    }

    private static void ended(Measured done, Status status, boolean inputFault, String... words) {
        Row row = done.row();
        String reason = String.valueOf(row.reason());
        assertEquals(status, row.status(), reason);
        assertEquals(inputFault, done.inputFault(), reason);
        for (String word : words) {
            assertTrue(reason.contains(word), () -> "'" + word + "' is not in: " + reason);
        }
        Metric time = row.metric(Tags.TIME_MEDIAN);
        assertTrue(time == null || time.value() == null, "a row that is not right has no time");
        assertEquals("cpu:9", row.device());
        assertEquals(0, row.invocation());
    }

    @Test
    void aRightKernelGoesThroughAllPhasesAndIsTimed() {
        device.launchSeconds = () -> 0.010;
        effort = new Effort(1_000_000, 0, 0.01, 2);
        Measured done = doubling();
        Row row = done.row();
        assertEquals(Status.OK, row.status(), row::reason);
        assertEquals(
                List.of(
                        Phase.LOAD,
                        Phase.VALIDATE,
                        Phase.CHECK,
                        Phase.WARM,
                        Phase.SAMPLE,
                        Phase.REVALIDATE,
                        Phase.CHECK,
                        Phase.REVALIDATE,
                        Phase.CHECK),
                phases);
        Metric time = row.metric(Tags.TIME_MEDIAN);
        assertNotNull(time);
        assertEquals(0.010, Objects.requireNonNull(time.value()), 1e-12);
        assertEquals(2400, Objects.requireNonNull(row.metric(Tags.RATE_FLOPS)).value(), "24 flops in 10 ms");
        // Two seconds, less 20 ms of validation and as much for the second one: 1.96 s. Of these warming up takes
        // 250 ms, sampling 80 %, which 157 launches of 10 ms are the first to reach.
        assertEquals(25L, row.run().get("warm_up_launches"));
        assertEquals(157L, row.run().get("samples"));
        assertEquals(2 + 25 + 157 + 2, device.launches);
        assertEquals("cafe", row.image());
        assertEquals("mine.k", done.code().get("kernel"));
        assertEquals("none", done.code().get("compiler"));
        assertEquals("cafe", done.code().get("image"));
        assertEquals(Map.of("n", 24L), row.problem());
        assertFalse(done.inputFault());
    }

    private List<Measured> together(List<String> heard, String... names) {
        List<Request> requests = new ArrayList<>();
        for (String name : names) {
            Kernel kernel = catalogue.select(List.of("mine." + name)).getFirst();
            requests.add(new Request(
                    kernel.name(),
                    kernel.sourceSha256(),
                    new Problem(new LinkedHashMap<>(Map.of("n", new Value.Int(KernelFiles.N)))),
                    new LinkedHashMap<>(Map.of("n", (long) KernelFiles.N)),
                    SEED,
                    effort,
                    Optional.empty(),
                    mode,
                    false,
                    dump));
        }
        RowMeasurement.Listener listener = new RowMeasurement.Listener() {
            @Override
            public void entered(int row, Phase phase) {
                heard.add(row + " " + phase);
            }

            @Override
            public void ended(int row, Measured measured) {
                heard.add(row + " " + measured.row().status());
            }
        };
        try (RowMeasurement measurement = new RowMeasurement(device, catalogue, device.clock, energy)) {
            return measurement.measure(requests, listener);
        }
    }

    /** A launch takes 10 ms at 50 W: 0.5 J. */
    @Test
    void aMeterGivesJoulesOfALaunch() {
        device.launchSeconds = () -> 0.010;
        energy = Energies.steady(device.clock, EnergyMode.QUICK);
        effort = new Effort(30, 0, 0.01, 5);
        Row row = doubling().row();
        assertEquals(Status.OK, row.status(), row::reason);
        assertEquals(Energies.WATTS, value(row, Tags.POWER_AVERAGE), 0.05);
        assertEquals(0.5, value(row, Tags.ENERGY_GROSS), 0.0005);
        assertEquals(0.5, value(row, Tags.ENERGY_IDLE), 0.005);
        String noNet = metric(row, Tags.ENERGY_NET).reason();
        assertTrue(noNet != null && noNet.contains("--energy screen"), noNet);
        String noTokens = metric(row, Tags.TOKENS_PER_JOULE_GROSS).reason();
        assertTrue(noTokens != null && noTokens.contains("work.tokens"), noTokens);
        assertEquals("test:0", metric(row, Tags.ENERGY_GROSS).detail().get("meter"));
        int energyPhase = phases.indexOf(Phase.ENERGY);
        assertTrue(energyPhase > phases.indexOf(Phase.SAMPLE), phases::toString);
        assertTrue(energyPhase < phases.indexOf(Phase.REVALIDATE), phases::toString);
    }

    /** The same power when idle: nothing is left for the launch itself. */
    @Test
    void idlePowerIsTakenOff() {
        device.launchSeconds = () -> 0.010;
        energy = Energies.steady(device.clock, EnergyMode.SCREEN);
        effort = new Effort(30, 0, 0.01, 1000);
        Row row = doubling().row();
        assertEquals(0.5, value(row, Tags.ENERGY_GROSS), 0.0005);
        assertEquals(0, value(row, Tags.ENERGY_NET), 0.0005);
        assertEquals(10, metric(row, Tags.ENERGY_GROSS).n());
    }

    /** Half of 20 ms is too short for ten updates of a millisecond and what belongs to them. */
    @Test
    void aWindowThatIsTooShortGivesAReason() {
        device.launchSeconds = () -> 0.0001;
        energy = Energies.steady(device.clock, EnergyMode.QUICK);
        effort = new Effort(1, 0, 1, 0.015);
        Row row = doubling().row();
        assertEquals(Status.OK, row.status(), row::reason);
        assertNull(metric(row, Tags.ENERGY_GROSS).value());
        String why = String.valueOf(metric(row, Tags.ENERGY_GROSS).reason());
        assertTrue(why.contains("below resolution"), why);
    }

    @Test
    void withoutAMeterTheReasonIsInTheRow() {
        Row row = doubling().row();
        for (Tag tag : List.of(Tags.POWER_AVERAGE, Tags.ENERGY_GROSS, Tags.ENERGY_IDLE, Tags.ENERGY_NET)) {
            assertEquals("no meter here", metric(row, tag).reason());
        }
        assertFalse(phases.contains(Phase.ENERGY), phases::toString);
    }

    /** What empties the caches takes energy too, and no window can tell it from the launches. */
    @Test
    void coldLaunchesHaveNoJoules() {
        mode = Mode.COLD;
        energy = Energies.steady(device.clock, EnergyMode.QUICK);
        effort = new Effort(30, 0, 0.01, 5);
        String why = String.valueOf(metric(doubling().row(), Tags.ENERGY_GROSS).reason());
        assertTrue(why.contains("emptying the caches"), why);
    }

    private void three() {
        for (String name : List.of("a", "b", "c")) {
            add(name, KernelFiles.doubling(name).replace("entry: doubled", "entry: " + name));
            device.with(name, RIGHT);
        }
    }

    /** One whose launches fail while all take turns has ended; the others go on to their joules and their end. */
    @Test
    void aLaunchThatFailsWhileSampledCostsItsRowOnly() {
        three();
        energy = Energies.steady(device.clock, EnergyMode.QUICK);
        int[] launches = {0};
        device.with("b", b -> {
            if (++launches[0] > 290) { // some 250 of 1 ms are to warm up
                throw new DeviceException("the device is gone");
            }
            RIGHT.run(b);
        });
        effort = new Effort(100, 0, 0.01, 3);
        List<Measured> done = together(new ArrayList<>(), "a", "b", "c");
        assertEquals(Status.FAILED, done.get(1).row().status());
        assertTrue(String.valueOf(done.get(1).row().reason()).contains("the device is gone"));
        for (int i : new int[] {0, 2}) {
            Row row = done.get(i).row();
            assertEquals(Status.OK, row.status(), row::reason);
            assertEquals(Energies.WATTS, value(row, Tags.POWER_AVERAGE), 0.5);
        }
        assertTrue(launches[0] == 291, () -> "launched " + launches[0] + " times");
    }

    @Test
    void variantsAreSampledInTurns() {
        three();
        List<String> heard = new ArrayList<>();
        List<Measured> done = together(heard, "a", "b", "c");
        assertEquals(List.of("mine.b", "mine.c"), done.getFirst().row().run().get("interleaved_with"));
        for (Measured m : done) {
            assertEquals(Status.OK, m.row().status(), m.row()::reason);
            assertTrue(m.row().run().get("visits") instanceof Long visits && visits > 1);
        }
        assertEquals(
                List.of(
                        "0 LOAD",
                        "0 VALIDATE",
                        "0 CHECK",
                        "1 LOAD",
                        "1 VALIDATE",
                        "1 CHECK",
                        "2 LOAD",
                        "2 VALIDATE",
                        "2 CHECK",
                        "0 WARM",
                        "1 WARM",
                        "2 WARM",
                        "-1 SAMPLE",
                        "0 REVALIDATE",
                        "0 CHECK",
                        "0 REVALIDATE",
                        "0 CHECK",
                        "0 OK"),
                heard.subList(0, 18));
    }

    @Test
    void aVariantThatIsWrongEndsBeforeTheOthersAreTimed() {
        three();
        device.with("b", b -> b.getLast().set(0, 1));
        List<String> heard = new ArrayList<>();
        List<Measured> done = together(heard, "a", "b", "c");
        assertEquals(
                List.of(Status.OK, Status.WRONG, Status.OK),
                done.stream().map(m -> m.row().status()).toList());
        assertEquals("1 WRONG", heard.get(heard.indexOf("2 LOAD") - 1));
        assertEquals(List.of("mine.c"), done.getFirst().row().run().get("interleaved_with"));
    }

    @Test
    void aVariantThatBreaksDownInItsTurnCostsItselfOnly() {
        three();
        int[] calls = {0};
        device.with("b", b -> {
            if (++calls[0] > 30) {
                throw new DeviceException("sticky error 700");
            }
            KernelFiles.twice(b.getFirst(), b.getLast());
        });
        List<Measured> done = together(new ArrayList<>(), "a", "b", "c");
        ended(done.get(1), Status.FAILED, false, "sticky error 700");
        assertEquals(Status.OK, done.getFirst().row().status());
        assertEquals(Status.OK, done.getLast().row().status());
    }

    @Test
    void coldLaunchesEachFindEmptyCaches() {
        mode = Mode.COLD;
        Row row = doubling().row();
        assertEquals(Status.OK, row.status(), row::reason);
        assertEquals("cold", row.mode());
        assertEquals(1L, row.run().get("launches_per_sample"));
        assertTrue(row.run().get("samples") instanceof Long n
                && row.run().get("warm_up_launches") instanceof Long w
                && device.sweepCount == n + w);
        assertEquals(Map.of("bytes_written", 64L), row.run().get("cache_sweep"));
    }

    @Test
    void withoutAKnownCacheNothingIsCold() {
        mode = Mode.COLD;
        device.sweeps = false;
        ended(doubling(), Status.UNSUPPORTED, false, "no cache is known", "Measure hot");
    }

    @Test
    void anEmptyKernelIsTheFloor() {
        Row row = doubling().row();
        Metric floor = Objects.requireNonNull(row.metric(Tags.TIME_FLOOR));
        assertEquals(1e-5, Objects.requireNonNull(floor.value()), 1e-12);
        assertEquals(30, floor.n());
        assertEquals(List.of(), row.flags(), "a launch takes a hundred floors");
        device.emptySeconds = 2e-4;
        List<String> flags = measure("k").row().flags();
        assertTrue(flags.getFirst().startsWith("takes less than ten empty launches"), flags::toString);
    }

    @Test
    void whatHeldTheDeviceIsInTheRow() {
        Row row = doubling().row();
        assertEquals(List.of(3L), row.run().get("pinned_to"));
        assertEquals(0L, row.run().get("disturbed_samples"));
        device.hold.interruptions = () -> device.launches;
        List<String> flags = measure("k").row().flags();
        assertTrue(flags.getFirst().startsWith("in 30 of 30 samples a thread was taken off"), flags::toString);
    }

    @Test
    void samplingEndsEarlyWhenTheRuleHasEnough() {
        Row row = doubling().row();
        assertEquals(30L, row.run().get("samples"));
    }

    @Test
    void aKernelThatIsWrongFromTheStartIsNotTimed() {
        device.with("doubled", b -> {
            KernelFiles.twice(b.getFirst(), b.getLast());
            b.getLast().set(7, 1e6f);
        });
        Measured done = doubling();
        ended(done, Status.WRONG, false, "out[7]", "before the timed launches, seed 3");
        assertEquals(List.of(Phase.LOAD, Phase.VALIDATE, Phase.CHECK), phases);
        assertEquals(2, device.launches);
        assertEquals(SEED, done.row().check().get("seed"));
        assertEquals("cafe", done.row().image());
    }

    @Test
    void aKernelThatRemembersItsFirstResultIsFoundByFreshInputs() {
        float[] kept = new float[KernelFiles.N];
        device.with("doubled", b -> {
            if (device.launches == 1) {
                for (int i = 0; i < kept.length; i++) {
                    kept[i] = 2 * b.getFirst().get(i);
                }
            }
            for (int i = 0; i < kept.length; i++) {
                b.getLast().set(i, kept[i]);
            }
        });
        Measured done = doubling();
        ended(done, Status.WRONG, false, "after the timed launches");
        Object seed = done.row().check().get("seed");
        assertNotEquals(SEED, seed);
        assertTrue(String.valueOf(done.row().reason()).contains("seed " + seed));
    }

    @Test
    void aKernelThatBreaksWhileItIsTimedIsWrong() {
        device.with("doubled", b -> {
            KernelFiles.twice(b.getFirst(), b.getLast());
            if (device.launches > 20) {
                b.getLast().set(5, Float.NaN);
            }
        });
        ended(doubling(), Status.WRONG, false, "out[5]", "after the timed launches");
    }

    @Test
    void theSecondCheckOfARightKernelUsesFreshInputs() {
        TreeSet<Float> firsts = new TreeSet<>();
        device.with("doubled", b -> {
            firsts.add(b.getFirst().get(0));
            KernelFiles.twice(b.getFirst(), b.getLast());
        });
        Row row = doubling().row();
        assertEquals(Status.OK, row.status(), row::reason);
        assertEquals(2, firsts.size());
        assertNotEquals(SEED, row.check().get("seed"));
    }

    @Test
    void aKernelThatWorksInPlaceFindsTheSameContentsBeforeEveryLaunch() {
        List<Float> starts = new ArrayList<>();
        device.with("doubled", b -> {
            FakeDevice.Memory y = b.getLast();
            starts.add(y.get(0));
            for (int i = 0; i < y.floats(); i++) {
                y.set(i, 2 * b.getFirst().get(i) + y.get(i));
            }
        });
        device.launchSeconds = () -> 2e-6;
        add("inplace", KernelFiles.inPlace("inplace"));
        Row row = measure("inplace").row();
        assertEquals(Status.OK, row.status(), row::reason);
        assertEquals(1L, row.run().get("launches_per_sample"));
        assertEquals(2, starts.stream().distinct().count(), "one of the first inputs, one of the fresh ones");
        assertEquals(starts.getFirst(), starts.get(starts.size() - 3));
    }

    /** Where nothing is restored, a kernel that adds to what is there leaves more with every launch. */
    @Test
    void anInoutThatNeedsRestoringAfterAllIsFoundOut() {
        device.with("doubled", b -> {
            FakeDevice.Memory y = b.getLast();
            for (int i = 0; i < y.floats(); i++) {
                y.set(i, 2 * b.getFirst().get(i) + y.get(i));
            }
        });
        add("same", KernelFiles.inPlace("same").replace("role: inout,", "role: inout, restore: none,"));
        ended(measure("same"), Status.WRONG, false, "after the timed launches");
        assertTrue(device.launches > 30, "it was launched back to back");
    }

    @Test
    void onceValidatesAndEndsThere() {
        once = true;
        Row row = doubling().row();
        assertEquals(Status.OK, row.status(), row::reason);
        assertEquals(1, device.launches);
        assertEquals(List.of(Phase.LOAD, Phase.VALIDATE, Phase.CHECK), phases);
    }

    @Test
    void runsThatDifferWithinTheRuleAreFlagged() {
        device.with("doubled", b -> {
            KernelFiles.twice(b.getFirst(), b.getLast());
            b.getLast().set(0, b.getLast().get(0) + (device.launches % 2 == 0 ? 5e-7f : 0));
        });
        Row row = doubling().row();
        assertEquals(Status.OK, row.status(), row::reason);
        assertEquals(List.of("nondeterministic"), row.flags());
    }

    @Test
    void aClauseThatExcludesTheProblemSkipsIt() {
        add("k", KernelFiles.doubling("k"));
        Kernel kernel = catalogue.select(List.of("mine.k")).getFirst();
        Measured done = measure("k", kernel.sourceSha256(), 1000);
        ended(done, Status.SKIPPED, false, "n < 1000");
        assertEquals(Map.of(), done.code());
        assertEquals("", done.row().image());
    }

    @Test
    void aDeviceThatLacksAValueOrAnImageIsUnsupported() {
        add("units", KernelFiles.doubling("units").replace("n < 1000", "n < device.units"));
        ended(measure("units"), Status.UNSUPPORTED, false, "units");
        add("cuda", KernelFiles.doubling("cuda").replace("cpu: [", "cuda: ["));
        ended(measure("cuda"), Status.UNSUPPORTED, false, "no image for cpu");
    }

    @Test
    void aMissingEntryIsTheWritersFault() {
        add("k", KernelFiles.doubling("k").replace("entry: doubled", "entry: trippled"));
        ended(measure("k"), Status.FAILED, true, "trippled", "doubled");
    }

    @Test
    void anUnknownReferenceIsTheWritersFault() {
        add("k", KernelFiles.doubling("k").replace("reference: linear", "reference: quadratic"));
        ended(measure("k"), Status.FAILED, true, "k.yaml", "'quadratic'", "linear");
    }

    @Test
    void whatAReferenceLacksIsTheWritersFault() {
        add("k", KernelFiles.doubling("k").replace("alpha: 2", "beta: 2"));
        ended(measure("k"), Status.FAILED, true, "beta");
        assertEquals(List.of(Phase.LOAD), phases);
    }

    @Test
    void inputsOfZerosAreTheWritersFault() {
        add("k", KernelFiles.doubling("k").replace("fill: normal", "fill: zeros"));
        ended(measure("k"), Status.FAILED, true, "zeros");
        assertEquals(0, device.launches);
    }

    @Test
    void aSourceThatChangedSinceThePlanIsNotMeasured() {
        add("k", KernelFiles.doubling("k"));
        ended(measure("k", "0000", KernelFiles.N), Status.FAILED, true, "k.yaml", "was changed while the run");
        assertEquals(0, device.launches);
    }

    private Measured throwing(RuntimeException e) {
        device.with("doubled", b -> {
            throw e;
        });
        return doubling();
    }

    @Test
    void whatADeviceCannotDoIsUnsupported() {
        Measured done = throwing(new UnsupportedException("no clusters here; leave them out"));
        ended(done, Status.UNSUPPORTED, false, "no clusters here");
        assertEquals("cafe", done.row().image(), "the image was loaded");
    }

    @Test
    void aDriversErrorFails() {
        ended(throwing(new DeviceException("cuLaunchKernel: 700")), Status.FAILED, false, "cuLaunchKernel: 700");
    }

    @Test
    void aFaultOfOursAsksToBeReported() {
        ended(
                throwing(new IllegalStateException("seen by nobody")),
                Status.FAILED,
                false,
                "internal error, please report",
                "seen by nobody");
    }

    @Test
    void tooLittleMemoryAsksForASmallerProblem() {
        device.with("doubled", b -> {
            throw new OutOfMemoryError("Java heap space");
        });
        ended(doubling(), Status.UNSUPPORTED, false, "Java heap space", "smaller problem");
    }

    @Test
    void anotherKernelCanBeTheTruth() {
        add("other", KernelFiles.doubling("other").replace("entry: doubled", "entry: other"));
        add(
                "k",
                KernelFiles.doubling("k")
                        .replace(
                                "check: {reference: linear, conventions: {alpha: 2}}", "check: {against: mine.other}"));
        device.with("other", RIGHT);
        Row row = measure("k").row();
        assertEquals(Status.OK, row.status(), row::reason);
        assertEquals("mine.other", row.check().get("reference"));
        device.with("other", b -> {
            KernelFiles.twice(b.getFirst(), b.getLast());
            b.getLast().set(3, 0);
        });
        ended(measure("k"), Status.WRONG, false, "out[3]");
    }

    @Test
    void anotherKernelThatCannotRunHereIsNoTruth() {
        add(
                "other",
                KernelFiles.doubling("other")
                        .replace("entry: doubled", "entry: other")
                        .replace("n < 1000", "n < 5"));
        add(
                "k",
                KernelFiles.doubling("k")
                        .replace(
                                "check: {reference: linear, conventions: {alpha: 2}}", "check: {against: mine.other}"));
        ended(measure("k"), Status.UNSUPPORTED, false, "mine.k is checked against mine.other", "n < 5");
    }

    @Test
    void anOutputThatTheOtherKernelLacksIsTheWritersFault() {
        add("other", KernelFiles.doubling("other"));
        add(
                "k",
                KernelFiles.doubling("k")
                        .replace("check: {reference: linear, conventions: {alpha: 2}}", "check: {against: mine.other}")
                        .replace("steps:", "  lse: {type: f32, shape: [n], role: output}\nsteps:")
                        .replace("[x, out]", "[x, out, lse]"));
        ended(measure("k"), Status.FAILED, true, "lse", "mine.other");
    }

    @Test
    void evidenceThatCannotBeKeptDoesNotHideThatTheKernelIsWrong() throws IOException {
        dump = Optional.of(Files.writeString(folder.resolve("a-file"), "in the way"));
        device.with("doubled", b -> b.getLast().set(0, 1));
        Measured done = doubling();
        ended(done, Status.WRONG, false, "out[");
        assertTrue(
                done.row().flags().getFirst().startsWith("--dump: "),
                () -> done.row().flags().toString());
        assertNull(done.row().check().get("dump"));
    }

    @Test
    void evidenceIsKeptOfWrongRows() {
        dump = Optional.of(folder.resolve("dump"));
        device.with("doubled", b -> b.getLast().set(0, 1));
        Row row = doubling().row();
        Path own = Path.of(String.valueOf(row.check().get("dump")));
        assertTrue(Files.exists(own.resolve("out-out.npy")), own::toString);
    }
}
