package dev.panamark.kernel.check;

import dev.panamark.kernel.Buffer;
import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.OutputCheck;
import dev.panamark.kernel.OutputCheck.Rule;
import dev.panamark.kernel.Tensor;
import dev.panamark.kernel.format.Formats;
import dev.panamark.kernel.reference.Expectation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.LongPredicate;
import java.util.stream.IntStream;

/** Judges one output. */
final class OutputJudge {
    private final Buffer buffer;
    private final Tensor a;
    private final Tensor b;
    private final Expectation expectation;
    private final Inputs inputs;
    private final boolean some;
    private final LongPredicate written;
    private final Comparison comparison;
    private final List<String> faults = new ArrayList<>();
    private final long elements;
    private Tally tally = new Tally();
    private boolean nondeterministic;

    /** {@code some}: only what was written is judged. */
    OutputJudge(Buffer buffer, Tensor a, Tensor b, Expectation expectation, Inputs inputs, boolean some) {
        this.buffer = buffer;
        this.a = a;
        this.b = b;
        this.expectation = expectation;
        this.inputs = inputs;
        this.some = some;
        this.written = some ? Written.some(buffer, a, b, inputs) : Written.all();
        OutputCheck check = buffer.check()
                .orElseThrow(() -> new IllegalArgumentException("output '" + buffer.name() + "' has no check"));
        this.comparison =
                Comparison.of(expectation, check, buffer.type(), buffer.shape().elements(), some ? written : null);
        this.elements = some
                ? Scan.of(a, written).map(Scan::count).orElse(0L)
                : buffer.shape().elements();
    }

    /** Looks at everything; to be called once, before the getters. */
    OutputJudge judge() {
        if (elements == 0 && some) {
            return this;
        }
        long differ = differ();
        if (differ >= 0 && !some && buffer.role() == Buffer.Role.OUTPUT) {
            Scan.unwritten(a, b).ifPresent(this::unwritten);
        }
        tally = run(a, "");
        if (differ >= 0 && faults.isEmpty()) {
            Tally second = run(b, "in a second run on the same inputs ");
            if (!faults.isEmpty()) {
                tally = second;
            } else if (comparison.check().rule() == Rule.EXACT) {
                faults.add(name(differ)
                        + " differs between two runs on the same inputs, where rule exact allows one value");
            } else {
                agree();
            }
        }
        if (!faults.isEmpty()
                && buffer.role() == Buffer.Role.INOUT
                && a.data().mismatch(inputs.get(buffer.name()).data()) < 0) {
            faults.add(buffer.name() + " is as it was before the launch");
        }
        return this;
    }

    /** The first element in which the runs differ; -1 where there is none. */
    private long differ() {
        long differ = a.data().mismatch(b.data());
        if (differ < 0 || !some) {
            return differ < 0 ? -1 : differ / buffer.type().bytes();
        }
        return Scan.of(a, i -> Formats.bits(a, i) != Formats.bits(b, i) && written.test(i))
                .map(Scan::first)
                .orElse(-1L);
    }

    /** The reference may be sampled; that two runs on the same inputs say much the same is seen everywhere. */
    private void agree() {
        Tally twice = comparison.agreement(a, b);
        nondeterministic = twice.off() == 0;
        twice.first()
                .ifPresent(e -> faults.add(name(e.position()) + " is " + Numbers.text(e.want())
                        + " after one run and " + Numbers.text(e.got())
                        + " after another on the same inputs, the first of "
                        + twice.off() + " elements that differ by more than twice what the rule allows"));
    }

    private Tally run(Tensor tensor, String when) {
        if (expectation.whole().isEmpty()) {
            long[] notFinite = IntStream.range(0, expectation.want().length)
                    .filter(i -> !Double.isFinite(expectation.want()[i]))
                    .mapToLong(i -> expectation.positions()[i])
                    .sorted()
                    .toArray();
            Scan.notFinite(tensor, i -> Arrays.binarySearch(notFinite, i) >= 0 || !written.test(i))
                    .ifPresent(s -> notFinite(s, tensor, when));
        }
        Tally found = comparison.run(tensor);
        if (!comparison.accepts(found)) {
            faults.add(when + refusal(found));
        }
        return found;
    }

    private void unwritten(Scan scan) {
        faults.add(name(scan.first()) + " was never written: it holds what was there before the launch, as do "
                + scan.count() + " of the " + elements() + " elements of " + buffer.name());
    }

    private void notFinite(Scan scan, Tensor tensor, String when) {
        faults.add(when + name(scan.first()) + " is " + Numbers.text(Formats.get(tensor, scan.first()))
                + ", where a finite number is expected; " + scan.count() + " of the " + elements()
                + " elements of " + buffer.name() + " are such");
    }

    private String refusal(Tally found) {
        OutputCheck check = comparison.check();
        String elements = found.first()
                .map(first -> element(first) + ", the first of " + found.off() + " wrong among " + found.checked()
                        + " checked elements"
                        + found.worst()
                                .filter(w -> w.position() != first.position())
                                .map(w -> "; the worst: " + element(w))
                                .orElse(""))
                .orElse("");
        if (check.rule() != Rule.COSINE || found.broken() > 0) {
            return elements;
        }
        return buffer.name() + " has a dissimilarity of " + Numbers.text(found.dissimilarity()) + ", allowed "
                + Numbers.text(check.rtol()) + " (cosine, " + found.checked() + " checked elements)"
                + (elements.isEmpty() ? "" : "; " + elements);
    }

    private String element(Tally.Element e) {
        Rule rule = comparison.check().rule();
        return name(e.position()) + " is " + Numbers.text(e.got()) + ", expected " + Numbers.text(e.want())
                + (rule == Rule.EXACT ? "" : " ± " + Numbers.text(e.allowed())) + " (" + rule.tag() + ")";
    }

    private String name(long position) {
        return buffer.name() + buffer.shape().index(position);
    }

    /** Elements that were to be judged. */
    long elements() {
        return elements;
    }

    Buffer buffer() {
        return buffer;
    }

    /** What is wrong; empty when the output is right. */
    List<String> faults() {
        return faults;
    }

    Rule rule() {
        return comparison.check().rule();
    }

    Tally tally() {
        return tally;
    }

    boolean nondeterministic() {
        return nondeterministic;
    }

    /** The element farthest off. */
    Optional<Worst> worst() {
        return tally.worst()
                .map(e -> new Worst(
                        buffer.name(),
                        e.position(),
                        buffer.shape().index(e.position()),
                        e.got(),
                        e.want(),
                        e.allowed()));
    }
}
