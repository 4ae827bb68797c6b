package dev.panamark.kernel.reference;

import dev.panamark.kernel.Buffer;
import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.OutputCheck;
import dev.panamark.kernel.Shape;
import dev.panamark.kernel.Tensor;
import dev.panamark.kernel.format.DataType;
import dev.panamark.kernel.format.Formats;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * What attention is computed for: extents, tensors, conventions.
 *
 * @param q [batch, seq, heads, head_dim] whatever the rank of the buffer
 * @param source keys and values
 * @param ks scales of keys and values, where there are any
 * @param kvHeads heads of keys and values
 * @param valueDim head_dim of the values
 * @param out output buffer
 * @param lse log-sum-exp output, where there is one
 * @param mask which keys a query sees
 * @param scale of the scores
 * @param softcap 0 for none
 * @param bias what is added to a capped score
 */
record AttentionProblem(
        Tensor q,
        KvSource source,
        Optional<Tensor> ks,
        int kvHeads,
        int valueDim,
        Buffer out,
        Optional<Buffer> lse,
        KeyRange mask,
        double scale,
        double softcap,
        Alibi bias) {

    static AttentionProblem of(Subject subject, Inputs inputs) {
        Tensor q = subject.tensor("q", inputs);
        List<Long> d = q.shape().dims();
        Tensor wide = d.size() == 4 ? q : new Tensor(q.type(), Shape.of(d.get(0), 1, d.get(1), d.get(2)), q.data());
        KvSource source = KvSource.of(subject, inputs);
        Shape keys = source.tensor(KvSource.Part.KEY).shape();
        Shape values = source.tensor(KvSource.Part.VALUE).shape();
        long[] lengths = IntStream.range(0, (int) wide.shape().dim(0))
                .mapToLong(source::length)
                .toArray();
        String causal = subject.word("causal", "none");
        long right = (long) subject.number("window_right", -1);
        boolean isCausal = causal.equals("bottom-right") || causal.equals("true");
        KeyRange mask = new KeyRange(
                lengths, wide.shape().dim(1), (long) subject.number("window_left", -1), isCausal ? 0 : right);
        return new AttentionProblem(
                wide,
                source,
                subject.find("ks").map(b -> inputs.get(b.name())),
                (int) keys.dim(keys.rank() - 2),
                Math.toIntExact(values.dim(values.rank() - 1) * source.packed(KvSource.Part.VALUE)),
                subject.buffer("out"),
                subject.find("lse"),
                mask,
                subject.number("scale", 1 / Math.sqrt((double) wide.shape().dim(3))),
                subject.number("softcap", 0),
                Alibi.of(subject, inputs, lengths, wide.shape().dim(1)));
    }

    int batch() {
        return (int) q.shape().dim(0);
    }

    long seq() {
        return q.shape().dim(1);
    }

    int heads() {
        return (int) q.shape().dim(2);
    }

    int keyDim() {
        return (int) q.shape().dim(3);
    }

    /** What the stored numbers of one head of a token are multiplied by. */
    double kvScale(KvSource.Part part, int sequence, long token, int head) {
        if (ks.isEmpty()) {
            return 1;
        }
        Shape shape = ks.get().shape();
        if (shape.elements() == 1) {
            return Formats.get(ks.get(), 0);
        }
        return Formats.get(ks.get(), shape.rank() == 1 ? head : source.scaleOffset(shape, part, sequence, token, head));
    }

    /** The logarithm of a sum of exponentials to the base that the output's check says. */
    double logarithm(double natural) {
        boolean two = lse.flatMap(Buffer::check)
                .map(OutputCheck::base)
                .filter("2"::equals)
                .isPresent();
        return two ? natural / Math.log(2) : natural;
    }

    /** The log-sum-exp of a row without keys. */
    double emptyLse() {
        return lse.flatMap(Buffer::check)
                .filter(c -> c.empty().isPresent())
                .map(c -> c.empty().getAsDouble())
                .orElse(Double.NEGATIVE_INFINITY);
    }

    /** The rows' results, put where they belong in the outputs. */
    List<Expectation> expectations(List<AttentionRow> rows) {
        int count = Math.multiplyExact(rows.size(), valueDim);
        long[] positions = new long[count];
        double[] want = new double[count];
        double[] plain = new double[count];
        for (int r = 0; r < rows.size(); r++) {
            AttentionRow row = rows.get(r);
            long first = ((row.sequence() * seq() + row.query()) * heads() + row.head()) * valueDim;
            for (int i = 0; i < valueDim; i++) {
                positions[r * valueDim + i] = first + i;
            }
            System.arraycopy(row.exact.values, 0, want, r * valueDim, valueDim);
            System.arraycopy(row.plain.values, 0, plain, r * valueDim, valueDim);
        }
        List<Expectation> all = new ArrayList<>();
        // The plain formula accumulates in f32, which is no standard for an f64 output.
        all.add(new Expectation(out.name(), positions, want, out.type() == DataType.F64 ? want : plain));
        lse.ifPresent(b -> all.add(lse(b, rows)));
        return all;
    }

    private Expectation lse(Buffer buffer, List<AttentionRow> rows) {
        DataType type = buffer.type();
        return new Expectation(
                buffer.name(),
                rows.stream()
                        .mapToLong(r -> (r.sequence() * (long) heads() + r.head()) * seq() + r.query())
                        .toArray(),
                rows.stream().mapToDouble(r -> r.exact.lse).toArray(),
                rows.stream().mapToDouble(r -> Formats.round(type, r.plain.lse)).toArray());
    }
}
