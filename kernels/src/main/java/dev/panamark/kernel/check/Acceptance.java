package dev.panamark.kernel.check;

import dev.panamark.kernel.Buffer;
import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.Instance;
import dev.panamark.kernel.Tensor;
import dev.panamark.kernel.format.Formats;
import dev.panamark.kernel.reference.Expectation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Decides whether a kernel is right, from what it left in its outputs after two runs on the same inputs. */
public final class Acceptance {
    private Acceptance() {}

    /**
     * Judges every output, on all cores. An output is right when every element was written, none is NaN or infinite
     * that should not be, and its rule accepts both runs. Runs that differ are flagged; under rule {@code exact} they
     * are wrong.
     *
     * @param inputs as they were before the runs
     * @param outA every output and inout after a run over {@link Poison#A}
     * @param outB the same after a run over {@link Poison#B}
     * @param expectations one for every output
     * @throws IllegalArgumentException if an output has no tensor, one of another type or shape, or no expectation
     */
    public static Verdict judge(
            Instance instance,
            Inputs inputs,
            Map<String, Tensor> outA,
            Map<String, Tensor> outB,
            List<Expectation> expectations) {
        return verdict(judges(instance, inputs, outA, outB, expectations, false));
    }

    /**
     * The same for runs of some of a launch's blocks, of which only what they wrote can be right: an element of an output
     * that holds both poisons, and one of an inout that is as it was, is not looked at. {@link Verdict#elements} are those
     * that were written; a verdict without any is wrong.
     */
    public static Verdict judgeWritten(
            Instance instance,
            Inputs inputs,
            Map<String, Tensor> outA,
            Map<String, Tensor> outB,
            List<Expectation> expectations) {
        List<OutputJudge> judged = judges(instance, inputs, outA, outB, expectations, true);
        Verdict verdict = verdict(judged);
        List<String> untouched = judged.stream()
                .filter(j -> j.elements() == 0)
                .map(j -> j.buffer().name())
                .toList();
        if (untouched.size() == judged.size()) {
            return verdict.wrong("the blocks that ran wrote nothing");
        }
        return untouched.isEmpty()
                ? verdict
                : verdict.flagged("the blocks that ran wrote nothing of " + String.join(", ", untouched));
    }

    private static List<OutputJudge> judges(
            Instance instance,
            Inputs inputs,
            Map<String, Tensor> outA,
            Map<String, Tensor> outB,
            List<Expectation> expectations,
            boolean some) {
        return instance.buffers().stream()
                .filter(Buffer::isOutput)
                .map(b -> new OutputJudge(
                                b, output(b, outA), output(b, outB), expectation(b, expectations), inputs, some)
                        .judge())
                .toList();
    }

    private static Verdict verdict(List<OutputJudge> judged) {
        List<OutputJudge> wrong =
                judged.stream().filter(j -> !j.faults().isEmpty()).toList();
        return new Verdict(
                wrong.isEmpty(),
                rule(judged),
                worst(wrong.isEmpty() ? judged : wrong),
                errors(judged),
                judged.stream().mapToLong(j -> j.tally().checked()).sum(),
                judged.stream().mapToLong(OutputJudge::elements).sum(),
                reason(wrong),
                judged.stream().anyMatch(OutputJudge::nondeterministic) ? List.of("nondeterministic") : List.of());
    }

    private static Tensor output(Buffer b, Map<String, Tensor> outputs) {
        Tensor t = outputs.get(b.name());
        if (t == null) {
            throw new IllegalArgumentException("no tensor for output '" + b.name() + "'");
        }
        if (t.type() != b.type() || !t.shape().equals(b.shape())) {
            throw new IllegalArgumentException("output '" + b.name() + "' is "
                    + b.type().tag() + b.shape() + ", its tensor " + t.type().tag() + t.shape());
        }
        return t;
    }

    private static Expectation expectation(Buffer b, List<Expectation> expectations) {
        return expectations.stream()
                .filter(e -> e.output().equals(b.name()))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no expectation for output '" + b.name() + "'"));
    }

    private static String rule(List<OutputJudge> judged) {
        List<String> rules = judged.stream().map(j -> j.rule().tag()).distinct().toList();
        return rules.size() == 1
                ? rules.getFirst()
                : judged.stream()
                        .map(j -> j.buffer().name() + " " + j.rule().tag())
                        .collect(Collectors.joining(", "));
    }

    private static Optional<Worst> worst(List<OutputJudge> judged) {
        return judged.stream()
                .filter(j -> j.worst().isPresent())
                .max(Comparator.comparingDouble(j -> j.tally().worstRatio()))
                .flatMap(OutputJudge::worst);
    }

    private static SortedMap<String, Double> errors(List<OutputJudge> judged) {
        SortedMap<String, Double> errors = new TreeMap<>();
        judged.stream().mapToDouble(j -> j.tally().maxAbs()).max().ifPresent(e -> errors.put("max_abs", e));
        judged.stream()
                .mapToDouble(j -> j.tally().cosine())
                .filter(c -> !Double.isNaN(c))
                .min()
                .ifPresent(c -> errors.put("cosine", c));
        return errors;
    }

    private static String reason(List<OutputJudge> wrong) {
        if (wrong.isEmpty()) {
            return "";
        }
        List<String> sentences = new ArrayList<>(wrong.getFirst().faults());
        if (wrong.size() > 1) {
            sentences.add("also wrong: "
                    + wrong.stream().skip(1).map(j -> j.buffer().name()).collect(Collectors.joining(", ")));
        }
        return String.join("; ", sentences);
    }

    /**
     * Looks for an input that a kernel changed.
     *
     * @param inputs as they were before the run
     * @param after inputs as they are now; those without a tensor are not looked at
     * @return the first change of the first changed input
     */
    public static Optional<Changed> changedInputs(Instance instance, Inputs inputs, Map<String, Tensor> after) {
        for (Buffer b : instance.buffers()) {
            Tensor now = after.get(b.name());
            if (b.role() == Buffer.Role.INPUT && now != null) {
                Tensor before = inputs.get(b.name());
                long offset = before.data().mismatch(now.data());
                if (offset >= 0) {
                    long position = offset / b.type().bytes();
                    return Optional.of(new Changed(
                            b.name(),
                            offset,
                            b.shape().index(position),
                            Formats.get(before, position),
                            Formats.get(now, position)));
                }
            }
        }
        return Optional.empty();
    }
}
