package dev.panamark.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.device.Counted;
import dev.panamark.device.LaunchCounter;
import dev.panamark.device.UnsupportedException;
import dev.panamark.kernel.DeviceValues;
import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.Instance;
import dev.panamark.kernel.Kernel;
import dev.panamark.kernel.Resolution;
import dev.panamark.kernel.Tensor;
import dev.panamark.kernel.fill.Filler;
import dev.panamark.kernel.format.Formats;
import dev.panamark.kernel.reference.Expectation;
import dev.panamark.kernel.reference.Reference;
import dev.panamark.kernel.reference.References;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ValidationTest {
    @TempDir
    Path folder;

    private final FakeDevice device = new FakeDevice(new FakeClock());
    private final List<Map<String, Tensor>> evidence = new ArrayList<>();

    private Instance instance(String yaml) {
        Kernel kernel = new KernelFiles(folder).kernel("k", yaml);
        Resolution resolution = kernel.instance(
                kernel.problems("cpu", List.of(), Optional.empty()).getFirst(), new DeviceValues("cpu", Map.of()));
        return ((Resolution.Ready) resolution).instance();
    }

    private Validation.Outcome validate(String yaml, Reference reference, boolean once, FakeDevice.Code code) {
        device.with("doubled", code);
        Instance instance = instance(yaml);
        try (Prepared prepared = new Prepared(device, instance)) {
            Inputs inputs = Filler.fill(instance, 42, Arena.ofAuto());
            List<Runnable> passes = once ? List.of(prepared::pass) : List.of(prepared::pass, prepared::pass);
            return new Validation(reference, () -> {})
                    .validate(prepared, inputs, passes, (in, outputs, again, expected) -> evidence.add(outputs));
        }
    }

    private Validation.Outcome validate(FakeDevice.Code code) {
        return validate(KernelFiles.doubling("k"), linear(), false, code);
    }

    private static Reference linear() {
        return References.named("linear").orElseThrow();
    }

    @Test
    void aRightKernelIsRightAndLeavesNoEvidence() {
        Validation.Outcome outcome = validate(b -> KernelFiles.twice(b.getFirst(), b.getLast()));
        assertTrue(outcome.right(), outcome::reason);
        assertEquals(42, outcome.seed());
        assertEquals(KernelFiles.N, outcome.verdict().checked());
        assertEquals(2, device.launches);
        assertEquals(List.of(), evidence);
    }

    @Test
    void onceIsOnce() {
        Validation.Outcome outcome =
                validate(KernelFiles.doubling("k"), linear(), true, b -> KernelFiles.twice(b.getFirst(), b.getLast()));
        assertTrue(outcome.right(), outcome::reason);
        assertEquals(1, device.launches);
    }

    /** A counter whose launches leave blocks out, or have too few to do so. */
    private record Sampler(boolean leavesOut) implements LaunchCounter {
        @Override
        public Counted count(Runnable launches) {
            throw new AssertionError("nothing is counted here");
        }

        @Override
        public boolean some(int blocks, long seed, Runnable launches) {
            assertEquals(16, blocks);
            assertEquals(42, seed);
            launches.run();
            return leavesOut;
        }
    }

    private Validation.Outcome sampled(Reference reference, boolean leavesOut, FakeDevice.Code code) {
        device.with("doubled", code);
        Instance instance = instance(KernelFiles.doubling("k"));
        try (Prepared prepared = new Prepared(device, instance)) {
            Inputs inputs = Filler.fill(instance, 42, Arena.ofAuto());
            return new Validation(reference, () -> {})
                    .of(16, new Sampler(leavesOut))
                    .validate(
                            prepared,
                            inputs,
                            List.of(prepared::pass, prepared::pass),
                            (in, outputs, again, expected) -> evidence.add(outputs));
        }
    }

    @Test
    void onlyWhereBlocksWereLeftOutMayElementsBeUnwritten() {
        FakeDevice.Code five = b -> {
            for (int i = 0; i < 5; i++) {
                b.getLast().set(i, 2 * b.getFirst().get(i));
            }
        };
        Validation.Outcome some = sampled(linear(), true, five);
        assertTrue(some.right(), some::reason);
        assertFalse(some.whole());
        assertEquals(5, some.verdict().checked());
        Validation.Outcome all = sampled(linear(), false, five);
        assertFalse(all.right());
        assertTrue(all.whole());
        assertTrue(all.reason().startsWith("out[5] was never written"), all::reason);
    }

    @Test
    void whatNothingIsComparedWithIsNotRight() {
        Reference lastOnly = new Reference() {
            @Override
            public String name() {
                return "the last element";
            }

            @Override
            public List<String> faults(Instance instance) {
                return List.of();
            }

            @Override
            public List<Expectation> expect(Instance instance, Inputs inputs, long seed) {
                return List.of(new Expectation("out", new long[] {KernelFiles.N - 1}, new double[] {1}, new double[0]));
            }
        };
        UnsupportedException none = assertThrows(
                UnsupportedException.class,
                () -> sampled(lastOnly, true, b -> b.getLast().set(0, 1)));
        assertTrue(String.valueOf(none.getMessage()).contains("--emulate-blocks"), none::toString);
    }

    @Test
    void outputsAndScratchHoldAnotherPatternBeforeEachPass() {
        List<Byte> before = new ArrayList<>();
        validate(
                KernelFiles.doubling("k")
                        .replace("steps:", "  tmp: {type: f32, shape: [n], role: scratch}\nsteps:")
                        .replace("[x, out]", "[x, tmp, out]"),
                linear(),
                false,
                b -> {
                    before.add(b.get(1).firstByte());
                    before.add(b.getLast().firstByte());
                    b.get(1).set(0, 1);
                    KernelFiles.twice(b.getFirst(), b.getLast());
                });
        assertEquals(List.of((byte) 0xff, (byte) 0xff, (byte) 0x7b, (byte) 0x7b), before);
    }

    /** Every bit set is -1 in i32, so after the first pattern an output that nobody wrote looks right. */
    @Test
    void anUnwrittenElementIsFoundEvenWhereThePatternIsTheRightValue() {
        Reference minusOnes = new Reference() {
            @Override
            public String name() {
                return "minus ones";
            }

            @Override
            public List<String> faults(Instance instance) {
                return List.of();
            }

            @Override
            public List<Expectation> expect(Instance instance, Inputs inputs, long seed) {
                return List.of(Expectation.ofWhole("out", (from, count, into) -> into.fill((byte) 0xff)));
            }
        };
        String yaml = KernelFiles.doubling("k")
                .replace("out: {type: f32", "out: {type: i32")
                .replace("{rule: close, atol: 1e-6}", "{rule: exact}");
        FakeDevice.Code allButFive = b -> {
            for (int i = 0; i < KernelFiles.N; i++) {
                if (i != 5) {
                    b.getLast().set(i, Float.intBitsToFloat(-1));
                }
            }
        };
        assertTrue(validate(yaml, minusOnes, true, allButFive).right(), "the first pattern alone does not show it");
        Validation.Outcome outcome = validate(yaml, minusOnes, false, allButFive);
        assertFalse(outcome.right());
        assertTrue(outcome.reason().startsWith("out[5] was never written"), outcome::reason);
    }

    @Test
    void aWriteOutsideABufferIsAFaultThoughEveryOutputIsRight() {
        Validation.Outcome outcome = validate(b -> {
            KernelFiles.twice(b.getFirst(), b.getLast());
            b.getLast().set(KernelFiles.N + 1, 7);
        });
        assertTrue(outcome.verdict().right());
        assertFalse(outcome.right());
        assertEquals("writes outside buffer 'out': byte 100 was written", outcome.reason());
        assertEquals(1, evidence.size());
    }

    @Test
    void aChangedInputIsAFaultThoughEveryOutputIsRight() {
        Validation.Outcome outcome = validate(b -> {
            KernelFiles.twice(b.getFirst(), b.getLast());
            b.getFirst().set(12, 1e9f);
        });
        assertTrue(outcome.verdict().right(), "inputs are uploaded again before the second pass");
        assertFalse(outcome.right());
        assertTrue(outcome.reason().contains("x[12]"), outcome::reason);
    }

    @Test
    void bothPassesOfAKernelThatWorksInPlaceStartFromTheSameContents() {
        List<Float> starts = new ArrayList<>();
        Validation.Outcome outcome = validate(KernelFiles.inPlace("k"), linear(), false, b -> {
            FakeDevice.Memory x = b.getFirst();
            FakeDevice.Memory y = b.getLast();
            starts.add(y.get(0));
            for (int i = 0; i < x.floats(); i++) {
                y.set(i, 2 * x.get(i) + y.get(i));
            }
        });
        assertTrue(outcome.right(), outcome::reason);
        assertEquals(2, starts.size());
        assertEquals(starts.getFirst(), starts.getLast());
    }

    @Test
    void theEvidenceIsWhatTheFirstPassLeft() {
        validate(b -> {
            KernelFiles.twice(b.getFirst(), b.getLast());
            b.getLast().set(3, device.launches);
        });
        assertEquals(1, evidence.size());
        assertEquals(List.of("out"), List.copyOf(evidence.getFirst().keySet()));
    }

    @Test
    void aResultThatIsWrongInTheSecondPassOnlyIsWrong() {
        Validation.Outcome outcome = validate(b -> {
            KernelFiles.twice(b.getFirst(), b.getLast());
            if (device.launches == 2) {
                b.getLast().set(3, 1e9f);
            }
        });
        assertFalse(outcome.right());
        assertTrue(outcome.reason().contains("out[3]"), outcome::reason);
    }

    @Test
    void theOutputsOfAnotherKernelAreTheTruth() {
        device.with("other", b -> {
            for (int i = 0; i < KernelFiles.N; i++) {
                b.getLast().set(i, b.getFirst().get(i) + 3);
            }
        });
        AgainstKernel against = new AgainstKernel(
                device, instance(KernelFiles.doubling("other").replace("entry: doubled", "entry: other")));
        assertEquals("mine.other", against.name());
        Instance mine = instance(KernelFiles.doubling("k"));
        assertEquals(List.of(), against.faults(mine));
        Inputs inputs = Filler.fill(mine, 42, Arena.ofAuto());
        Expectation truth = against.expect(mine, inputs, 42).getFirst();
        assertEquals("out", truth.output());
        Tensor got = new Tensor(
                mine.buffer("out").type(),
                mine.buffer("out").shape(),
                Arena.ofAuto().allocate(4 * KernelFiles.N));
        truth.whole().orElseThrow().bits(0, KernelFiles.N, got.data());
        assertEquals((float) (Formats.get(inputs.get("x"), 23) + 3), Formats.get(got, 23));
        assertEquals(0, device.open, "the other kernel's buffers are closed");
    }

    @Test
    void whatAnotherKernelCannotSayAnythingAboutIsAFault() {
        AgainstKernel against = new AgainstKernel(device, instance(KernelFiles.doubling("other")));
        String extra = KernelFiles.doubling("k")
                .replace("steps:", "  lse: {type: f32, shape: [n], role: output}\nsteps:")
                .replace("[x, out]", "[x, out, lse]");
        assertEquals(
                List.of("buffers.lse: mine.other, which it is checked against, has no such output"),
                against.faults(instance(extra)));
        String other =
                KernelFiles.doubling("k").replace("out: {type: f32, shape: [n]", "out: {type: f16, shape: [n, 1]");
        assertEquals(
                List.of("buffers.out: is f16[24x1], but mine.other, which it is checked against, has f32[24]"),
                against.faults(instance(other)));
        String scratch = KernelFiles.doubling("k").replace("fill: zeros}", "role: scratch}");
        assertEquals(
                List.of(
                        "buffers.y.role: has no contents before the launch, but mine.other, which it is checked against,"
                                + " reads it; input or inout expected"),
                against.faults(instance(scratch)));
        String less = KernelFiles.doubling("k").replaceAll("(?m)^  y:.*\n", "");
        assertEquals(
                List.of("buffers: lacks 'y', which mine.other, the kernel it is checked against, has"),
                against.faults(instance(less)));
    }
}
