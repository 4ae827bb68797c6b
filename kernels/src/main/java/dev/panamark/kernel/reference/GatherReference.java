package dev.panamark.kernel.reference;

import dev.panamark.kernel.Buffer;
import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.Instance;
import dev.panamark.kernel.Shape;
import dev.panamark.kernel.format.DataType;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/**
 * {@code kv.gather}: a KV cache in one piece, {@code out} [batch, 2, kv_len, kv_heads, head_dim]. It comes from a pool
 * {@code kv} [num_pages, 2, page, kv_heads, head_dim] through {@code table} [batch, pages] and {@code lens} [batch], or
 * from a {@code kv} of the shape of {@code out}. Past the length of a sequence {@code out} is 0. Every bit is checked.
 */
final class GatherReference implements Reference {
    private static final String OUT = "[batch, 2, kv_len, kv_heads, head_dim]";

    @Override
    public String name() {
        return "kv.gather";
    }

    @Override
    public List<String> faults(Instance instance) {
        Subject subject = new Subject(instance);
        Faults faults = new Faults(subject, name());
        faults.onlyConventions();
        Optional<Buffer> out = faults.output("out", OUT).filter(b -> faults.rank(b, OUT, 5));
        Optional<Buffer> kv = faults.input("kv", OUT + " or [num_pages, 2, page, kv_heads, head_dim]")
                .filter(b -> faults.rank(b, OUT, 5));
        if (out.isPresent() && kv.isPresent()) {
            shapes(subject, faults, out.get(), kv.get());
        }
        return faults.orUnchecked("out");
    }

    private static void shapes(Subject subject, Faults faults, Buffer out, Buffer kv) {
        faults.type(out, kv.type());
        long batch = out.shape().dim(0);
        if (subject.find("table").isEmpty()) {
            faults.shape(kv, OUT, out.shape().dims());
            faults.shape(
                    out,
                    OUT,
                    List.of(
                            batch,
                            2L,
                            out.shape().dim(2),
                            out.shape().dim(3),
                            out.shape().dim(4)));
        } else {
            faults.shape(
                    out,
                    OUT,
                    List.of(
                            batch,
                            2L,
                            out.shape().dim(2),
                            kv.shape().dim(3),
                            kv.shape().dim(4)));
            pages(subject, faults, batch);
        }
        subject.find("lens").ifPresent(lens -> {
            faults.type(lens, DataType.I32, DataType.I64);
            faults.shape(lens, "[batch]", List.of(batch));
        });
    }

    /** What a paged cache needs besides its pool. */
    static void pages(Subject subject, Faults faults, long batch) {
        faults.input("lens", "[batch], the tokens of each sequence");
        faults.input("table", "[batch, pages]")
                .filter(t -> faults.rank(t, "[batch, pages]", 2))
                .ifPresent(t -> {
                    faults.type(t, DataType.I32, DataType.I64);
                    faults.shape(t, "[batch, pages]", List.of(batch, t.shape().dim(1)));
                });
    }

    @Override
    public List<Expectation> expect(Instance instance, Inputs inputs, long seed) {
        Subject subject = new Subject(instance);
        Buffer out = subject.buffer("out");
        KvSource source = KvSource.of(subject, inputs);
        long row = out.shape().dim(3) * out.shape().dim(4);
        return List.of(Expectation.ofWhole(
                out.name(), (from, count, into) -> gather(out.shape(), source, row, from, count, into)));
    }

    private static void gather(Shape out, KvSource source, long row, long from, int count, MemorySegment into) {
        int bytes = source.tensor(KvSource.Part.KEY).type().bytes();
        long kvLen = out.dim(2);
        for (long at = from; at < from + count; ) {
            long token = at / row;
            long n = Math.min((token + 1) * row, from + count) - at;
            int sequence = (int) (token / kvLen / 2);
            KvSource.Part part = token / kvLen % 2 == 0 ? KvSource.Part.KEY : KvSource.Part.VALUE;
            MemorySegment target = into.asSlice((at - from) * bytes, n * bytes);
            if (token % kvLen < source.length(sequence)) {
                long where = source.offset(part, sequence, token % kvLen) + at % row;
                MemorySegment.copy(source.tensor(part).data(), where * bytes, target, 0, n * bytes);
            } else {
                target.fill((byte) 0);
            }
            at += n;
        }
    }
}
