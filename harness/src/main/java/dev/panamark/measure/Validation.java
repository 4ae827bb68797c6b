package dev.panamark.measure;

import dev.panamark.device.LaunchCounter;
import dev.panamark.device.UnsupportedException;
import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.Instance;
import dev.panamark.kernel.Tensor;
import dev.panamark.kernel.check.Acceptance;
import dev.panamark.kernel.check.Changed;
import dev.panamark.kernel.check.Poison;
import dev.panamark.kernel.check.Verdict;
import dev.panamark.kernel.reference.Expectation;
import dev.panamark.kernel.reference.Reference;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a kernel is right: passes over the same inputs, the outputs poisoned with another pattern before each,
 * so that with two of them an element that was never written shows itself whatever its type is.
 */
final class Validation {
    private final Reference reference;
    private final Runnable checking;
    private final @Nullable LaunchCounter some;
    private final int blocks;

    /** {@code checking} is told when launches are done and the host begins to compare. */
    Validation(Reference reference, Runnable checking) {
        this(reference, checking, null, 0);
    }

    private Validation(Reference reference, Runnable checking, @Nullable LaunchCounter some, int blocks) {
        this.reference = reference;
        this.checking = checking;
        this.some = some;
        this.blocks = blocks;
    }

    /** The same with launches of some blocks only, of which what they write is judged. */
    Validation of(int most, LaunchCounter counter) {
        return new Validation(reference, checking, counter, most);
    }

    /**
     * What a validation found.
     *
     * @param verdict the judgement of the outputs; right also when only {@code fault} is there
     * @param fault a fault outside the outputs: a write past a buffer's end, a changed input
     * @param seed of the inputs
     * @param expected what the outputs should have been
     * @param whole whether all blocks ran, so that all of an output must be there
     */
    record Outcome(Verdict verdict, Optional<String> fault, long seed, List<Expectation> expected, boolean whole) {
        boolean right() {
            return fault.isEmpty() && verdict.right();
        }

        String reason() {
            return fault.orElseGet(verdict::reason);
        }
    }

    /** Receives what a wrong kernel was given and gave, while it is still in memory. */
    @FunctionalInterface
    interface Evidence {
        /** Called with the inputs, the outputs of both passes and what they should have been. */
        void keep(Inputs inputs, Map<String, Tensor> outputs, Map<String, Tensor> again, List<Expectation> expected);
    }

    /**
     * Judges outputs.
     *
     * @param passes make one pass each; one or two
     */
    Outcome validate(Prepared prepared, Inputs inputs, List<Runnable> passes, Evidence evidence) {
        Instance instance = prepared.instance();
        try (Arena arena = Arena.ofShared()) {
            Outputs first = outputs(prepared, inputs, Poison.A, passes.getFirst(), arena);
            Outputs second = passes.size() == 1 ? first : outputs(prepared, inputs, Poison.B, passes.get(1), arena);
            checking.run();
            List<Expectation> expected = reference.expect(instance, inputs, inputs.seed());
            Outcome outcome = judge(
                    prepared, inputs, first.tensors(), second.tensors(), expected, evidence, arena, first.whole());
            if (outcome.right() && !outcome.whole() && outcome.verdict().checked() == 0) {
                throw new UnsupportedException(
                        "none of the elements that are compared is among those that the blocks which ran wrote;"
                                + " --emulate-blocks with more blocks has some");
            }
            return outcome;
        }
    }

    /**
     * Judges what the timed launches left in the outputs, which were poisoned before the first of them: a kernel that
     * does nothing while it is timed is as fast as it is wrong.
     *
     * @param expected from the validation with the same inputs
     */
    Outcome afterTiming(Prepared prepared, Inputs inputs, List<Expectation> expected, Evidence evidence) {
        try (Arena arena = Arena.ofShared()) {
            Map<String, Tensor> left = prepared.download(true, arena);
            checking.run();
            return judge(prepared, inputs, left, left, expected, evidence, arena, true);
        }
    }

    private static Outcome judge(
            Prepared prepared,
            Inputs inputs,
            Map<String, Tensor> first,
            Map<String, Tensor> second,
            List<Expectation> expected,
            Evidence evidence,
            Arena arena,
            boolean whole) {
        Instance instance = prepared.instance();
        Optional<String> fault = prepared.damage();
        if (fault.isEmpty()) {
            fault = Acceptance.changedInputs(instance, inputs, prepared.download(false, arena))
                    .map(Changed::reason);
        }
        Verdict verdict = whole
                ? Acceptance.judge(instance, inputs, first, second, expected)
                : Acceptance.judgeWritten(instance, inputs, first, second, expected);
        Outcome outcome = new Outcome(verdict, fault, inputs.seed(), expected, whole);
        if (!outcome.right()) {
            evidence.keep(inputs, first, second, expected);
        }
        return outcome;
    }

    /** What a pass left; {@code whole}: of all blocks. */
    private record Outputs(Map<String, Tensor> tensors, boolean whole) {}

    private Outputs outputs(Prepared prepared, Inputs inputs, Poison poison, Runnable pass, Arena arena) {
        prepared.upload(inputs);
        prepared.poison(poison.value());
        boolean whole = true;
        if (some == null) {
            pass.run();
        } else {
            whole = !some.some(blocks, inputs.seed(), pass);
        }
        prepared.device().synchronize();
        return new Outputs(prepared.download(true, arena), whole);
    }
}
