package dev.panamark.measure;

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
import dev.panamark.result.Tags;
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
    private Optional<Path> dump = Optional.empty();
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
    }

    private void add(String name, String yaml) {
        catalogue = catalogue.withFile(new KernelFiles(folder).write(name, yaml));
    }

    private RowMeasurement.Measured measure(String name, String sha, int n) {
        LinkedHashMap<String, Value> values = new LinkedHashMap<>(Map.of("n", new Value.Int(n)));
        LinkedHashMap<String, Object> json = new LinkedHashMap<>(Map.of("n", (long) n));
        return new RowMeasurement(device, catalogue, device.clock, phases::add)
                .measure(new Request(
                        "mine." + name, sha, new Problem(values), json, SEED, effort, Optional.empty(), once, dump));
    }

    private RowMeasurement.Measured measure(String name) {
        Kernel kernel = catalogue.select(List.of("mine." + name)).getFirst();
        return measure(name, kernel.sourceSha256(), KernelFiles.N);
    }

    private RowMeasurement.Measured doubling() {
        add("k", KernelFiles.doubling("k"));
        return measure("k");
    }

    private static void ended(RowMeasurement.Measured done, Status status, boolean inputFault, String... words) {
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
        RowMeasurement.Measured done = doubling();
        Row row = done.row();
        assertEquals(Status.OK, row.status(), row::reason);
        assertEquals(
                List.of(
                        Phase.LOAD,
                        Phase.VALIDATE,
                        Phase.CHECK,
                        Phase.WARM,
                        Phase.SAMPLE,
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
        RowMeasurement.Measured done = doubling();
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
        RowMeasurement.Measured done = doubling();
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
        RowMeasurement.Measured done = measure("k", kernel.sourceSha256(), 1000);
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

    private RowMeasurement.Measured throwing(RuntimeException e) {
        device.with("doubled", b -> {
            throw e;
        });
        return doubling();
    }

    @Test
    void whatADeviceCannotDoIsUnsupported() {
        RowMeasurement.Measured done = throwing(new UnsupportedException("no clusters here; leave them out"));
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
        RowMeasurement.Measured done = doubling();
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
