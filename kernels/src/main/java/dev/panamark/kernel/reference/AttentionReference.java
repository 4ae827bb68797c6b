package dev.panamark.kernel.reference;

import dev.panamark.kernel.Buffer;
import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.Instance;
import dev.panamark.kernel.Shape;
import dev.panamark.kernel.format.DataType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * {@code attention}: softmax(scale q k^T) v, forward.
 *
 * <p>Buffers: {@code q} [batch, seq, heads, head_dim], or [batch, heads, head_dim] for decoding; keys and values as
 * {@code k}, {@code v} [batch, kv_seq, kv_heads, head_dim], or as one {@code kv} [batch, 2, kv_len, kv_heads, head_dim],
 * or as a pool {@code kv} [num_pages, 2, page, kv_heads, head_dim] with {@code table} [batch, pages]; {@code lens}
 * [batch] (always with a pool); optional {@code ks}, by which stored keys and values are multiplied, [1], [kv_heads], or
 * beside one {@code kv} the extents of it but for head_dim, any of them 1 ([1, 2, 1, kv_heads]: keys and values of a head
 * have one scale each; [num_pages, 2, page, kv_heads]: those of each token); with it keys and values may be i8, or u8 that
 * packs two four-bit codes, whose last extent is then head_dim / 2; optional {@code slopes} [heads] of ALiBi; {@code out} as q (with the head_dim of v); optional {@code lse} [batch, heads, seq] or [batch, heads].
 *
 * <p>Conventions: {@code scale} (default 1/sqrt(head_dim)); {@code causal: none} or {@code bottom-right} (query i of Lq
 * sees keys up to i + Lk - Lq, as FlashAttention since 2.1); {@code window_left}, {@code window_right} (keys
 * [i + Lk - Lq - left, i + Lk - Lq + right], -1 is no limit); {@code softcap} c (score c tanh(score / c) before the
 * mask; 0 is none); {@code alibi} (added to the capped score of key j, with d = i + Lk - Lq and the slope m of the head:
 * {@code flash} is -m |d - j| as FlashAttention, {@code signed} m (j - d) as FlashInfer and vLLM; default none). Query head h uses key head h / (heads / kv_heads). A row without keys is 0, its lse what the check
 * says ({@code empty}), else -inf.
 *
 * <p>Where that takes at most some 300 million multiply-adds (a second or two), everything is computed; otherwise every
 * (batch, head) on at least 64 query rows, and every row without keys.
 */
final class AttentionReference implements Reference {
    private static final int ROWS = 64;
    private static final double CHEAP = 3e8;
    private static final String Q = "[batch, seq, heads, head_dim] or [batch, heads, head_dim]";
    private static final String KV =
            "[num_pages, 2, page, kv_heads, head_dim] or [batch, 2, kv_len, kv_heads, head_dim]";

    @Override
    public String name() {
        return "attention";
    }

    @Override
    public List<String> faults(Instance instance) {
        Subject subject = new Subject(instance);
        Faults faults = new Faults(subject, name());
        faults.onlyConventions("scale", "causal", "window_left", "window_right", "softcap", "alibi");
        faults.number("scale", "window_left", "window_right", "softcap");
        faults.word("causal", "none", "bottom-right", "true", "false");
        faults.word("alibi", "none", "flash", "signed");
        Optional<Buffer> q = faults.input("q", Q).filter(b -> faults.rank(b, Q, 3, 4));
        q.ifPresent(faults::floating);
        Optional<Shape> v = values(subject, faults);
        scales(subject, faults);
        Optional<Buffer> out = faults.output("out", "as q");
        out.ifPresent(faults::floating);
        if (q.isPresent() && v.isPresent()) {
            related(subject, faults, q.get(), v.get(), out);
        }
        return subject.find("lse").isPresent() ? faults.orUnchecked("out", "lse") : faults.orUnchecked("out");
    }

    /** Keys and values that were divided by scales must be multiplied by the same ones. */
    private static void scales(Subject subject, Faults faults) {
        for (String role : List.of("kv", "k", "v")) {
            subject.find(role)
                    .flatMap(Buffer::scale)
                    .filter(scale -> !scale.equals(subject.nameOf("ks")))
                    .ifPresent(scale -> faults.add("buffers." + subject.nameOf(role) + ".scale: '" + scale
                            + "' is not what the reference multiplies by, '" + subject.nameOf("ks")
                            + "'; add check.buffers: {ks: " + scale + "}"));
        }
        subject.find("q")
                .flatMap(Buffer::scale)
                .ifPresent(scale -> faults.add("buffers." + subject.nameOf("q") + ".scale: '" + scale
                        + "', but the reference takes queries as they are; leave the scale out"));
    }

    /** [batch (or pages), tokens, kv_heads, head_dim] of the values. */
    private static Optional<Shape> values(Subject subject, Faults faults) {
        if (subject.find("kv").isPresent()) {
            return faults.input("kv", KV).filter(b -> faults.rank(b, KV, 5)).map(b -> {
                stored(subject, faults, b);
                List<Long> d = b.shape().dims();
                faults.shape(b, KV, List.of(d.get(0), 2L, d.get(2), d.get(3), d.get(4)));
                return Shape.of(d.get(0), d.get(2), d.get(3), d.get(4) * b.packed());
            });
        }
        String what = "[batch, kv_seq, kv_heads, head_dim], or a pool 'kv' " + KV;
        Optional<Buffer> k = faults.input("k", what).filter(b -> faults.rank(b, what, 4));
        Optional<Buffer> v = faults.input("v", what).filter(b -> faults.rank(b, what, 4));
        if (k.isEmpty() || v.isEmpty()) {
            return Optional.empty();
        }
        stored(subject, faults, k.get());
        stored(subject, faults, v.get());
        List<Long> want = new ArrayList<>(k.get().shape().dims());
        want.set(3, v.get().shape().dim(3));
        faults.shape(v.get(), "as k", want);
        want.set(3, want.get(3) * v.get().packed());
        return Optional.of(new Shape(want));
    }

    /** Keys and values are floating-point numbers, or whole ones that scales make reals of. */
    private static void stored(Subject subject, Faults faults, Buffer b) {
        boolean scaled = subject.find("ks").isPresent() && (b.type() == DataType.I8 || b.packed() > 1);
        if (!scaled && !b.type().floating()) {
            faults.add("buffers." + b.name() + ".type: " + b.type().tag()
                    + ", expected a floating-point type, or i8 or packed u8 with scales 'ks'");
        }
    }

    private static void related(Subject subject, Faults faults, Buffer q, Shape v, Optional<Buffer> out) {
        int rank = q.shape().rank();
        long batch = q.shape().dim(0);
        long heads = q.shape().dim(rank - 2);
        long kvHeads = v.dim(2);
        boolean together = subject.find("kv").isPresent();
        if (kvHeads < 1 || heads % kvHeads != 0) {
            faults.add("buffers." + q.name() + ".shape: " + heads + " heads are no multiple of the " + kvHeads
                    + " heads of keys and values");
        }
        String keys = together ? "kv" : "k";
        long keyDim = subject.buffer(keys).shape().dim(together ? 4 : 3)
                * subject.buffer(keys).packed();
        if (q.shape().dim(rank - 1) != keyDim) {
            faults.add("buffers." + q.name() + ".shape: head_dim is "
                    + q.shape().dim(rank - 1) + ", but that of " + subject.nameOf(keys) + " is " + keyDim);
        }
        if (together && subject.find("table").isPresent()) {
            GatherReference.pages(subject, faults, batch);
        } else if (v.dim(0) != batch) {
            faults.add("buffers." + subject.nameOf(keys) + ".shape: batch is " + v.dim(0) + ", but that of "
                    + q.name() + " is " + batch
                    + (together ? " (a pool of pages needs 'table' and 'lens')" : ""));
        }
        subject.find("lens").ifPresent(b -> {
            faults.type(b, DataType.I32, DataType.I64);
            faults.shape(b, "[batch]", List.of(batch));
        });
        subject.find("ks").ifPresent(b -> {
            faults.floating(b);
            if (together && b.shape().rank() == 4) {
                List<Long> kv = subject.buffer("kv").shape().dims();
                faults.shape(
                        b,
                        "as " + subject.nameOf("kv") + " without head_dim, or 1 for a scale that all share",
                        IntStream.range(0, 4)
                                .mapToObj(i -> b.shape().dim(i) == 1 ? 1L : kv.get(i))
                                .toList());
            } else if (b.shape().elements() != 1) {
                faults.shape(b, "[kv_heads]", List.of(kvHeads));
            }
        });
        if (!subject.word("alibi", "none").equals("none")) {
            faults.input("slopes", "[heads], the slopes of alibi").ifPresent(b -> {
                faults.floating(b);
                faults.shape(b, "[heads]", List.of(heads));
            });
        }
        List<Long> outShape = new ArrayList<>(q.shape().dims());
        outShape.set(rank - 1, v.dim(3));
        out.ifPresent(b -> faults.shape(b, Q, outShape));
        subject.find("lse").ifPresent(b -> {
            faults.floating(b);
            faults.shape(
                    b,
                    rank == 4 ? "[batch, heads, seq]" : "[batch, heads]",
                    rank == 4 ? List.of(batch, heads, q.shape().dim(1)) : List.of(batch, heads));
        });
    }

    @Override
    public List<Expectation> expect(Instance instance, Inputs inputs, long seed) {
        AttentionProblem problem = AttentionProblem.of(new Subject(instance), inputs);
        int groups = problem.batch() * problem.kvHeads();
        // One list of rows for each (sequence, key head): its query heads share the decoded keys and values.
        List<List<AttentionRow>> rows =
                IntStream.range(0, groups).mapToObj(g -> rows(problem, g, seed)).toList();
        List<AttentionTile> tiles = IntStream.range(0, groups)
                .boxed()
                .flatMap(g -> AttentionTile.split(problem, g, rows.get(g)).stream())
                .toList();
        tiles.parallelStream().forEach(AttentionTile::compute);
        return problem.expectations(rows.stream().flatMap(List::stream).toList());
    }

    private static List<AttentionRow> rows(AttentionProblem problem, int group, long seed) {
        int sequence = group / problem.kvHeads();
        int kvHead = group % problem.kvHeads();
        int perKvHead = problem.heads() / problem.kvHeads();
        return IntStream.range(kvHead * perKvHead, (kvHead + 1) * perKvHead)
                .boxed()
                .flatMap(head -> Arrays.stream(chosen(problem, sequence, seed * 31 + sequence * 7919L + head))
                        .mapToObj(query -> new AttentionRow(problem, sequence, head, query)))
                .toList();
    }

    private static double multiplyAdds(AttentionProblem problem) {
        double keys = Arrays.stream(problem.mask().lengths()).asDoubleStream().sum();
        return keys * problem.seq() * problem.heads() * (problem.keyDim() + problem.valueDim());
    }

    private static long[] chosen(AttentionProblem problem, int sequence, long seed) {
        if (multiplyAdds(problem) <= CHEAP) {
            return LongStream.range(0, problem.seq()).toArray();
        }
        long[] sample = Sample.of(problem.seq(), ROWS, seed);
        long[] empty = LongStream.range(0, problem.seq())
                .filter(i -> problem.mask().first(i, sequence) > problem.mask().last(i, sequence))
                .toArray();
        return LongStream.concat(Arrays.stream(sample), Arrays.stream(empty))
                .sorted()
                .distinct()
                .toArray();
    }
}
