package dev.panamark.kernel.reference;

import dev.panamark.kernel.Buffer;
import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.Instance;
import dev.panamark.kernel.Shape;
import dev.panamark.kernel.format.DataType;
import dev.panamark.kernel.format.Formats;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/**
 * {@code kv.gather}: a KV cache in one piece, {@code out} [batch, 2, kv_len, kv_heads, head_dim]. It comes from pages in a
 * {@link PoolLayout} (convention {@code layout}) through {@code table} [batch, pages] and {@code lens} [batch], or from a
 * {@code kv} of the shape of {@code out}. Past the length of a sequence {@code out} is 0. Every bit is checked.
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
        faults.onlyConventions("layout");
        PoolLayout.check(faults);
        Optional<Buffer> out = faults.output("out", OUT).filter(b -> faults.rank(b, OUT, 5));
        if (subject.find("table").isEmpty() && PoolLayout.of(subject) != PoolLayout.VLLM) {
            Optional<Buffer> kv = faults.input("kv", OUT + ", or a pool with a table");
            kv.ifPresent(b -> out.ifPresent(o -> shapes(subject, faults, o, b)));
        } else {
            out.ifPresent(o -> paged(subject, faults, o));
        }
        return faults.orUnchecked("out");
    }

    private static void shapes(Subject subject, Faults faults, Buffer out, Buffer kv) {
        faults.type(out, kv.type());
        faults.shape(kv, OUT, out.shape().dims());
        batch(subject, faults, out);
    }

    private static void paged(Subject subject, Faults faults, Buffer out) {
        PoolLayout.of(subject)
                .checkShapes(faults, false, out, out.shape().dim(3), out.shape().dim(4));
        pages(subject, faults, out.shape().dim(0));
        batch(subject, faults, out);
    }

    private static void batch(Subject subject, Faults faults, Buffer out) {
        long batch = out.shape().dim(0);
        faults.shape(
                out,
                OUT,
                List.of(
                        batch,
                        2L,
                        out.shape().dim(2),
                        out.shape().dim(3),
                        out.shape().dim(4)));
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
        if (subject.find("table").isEmpty()) {
            KvSource source = KvSource.of(subject, inputs);
            long row = out.shape().dim(3) * out.shape().dim(4);
            return List.of(Expectation.ofWhole(
                    out.name(), (from, count, into) -> gather(out.shape(), source, row, from, count, into)));
        }
        PagedCache cache = new PagedCache(subject, inputs);
        return List.of(
                Expectation.ofWhole(out.name(), (from, count, into) -> gather(out.shape(), cache, from, count, into)));
    }

    private static void gather(Shape out, PagedCache cache, long from, int count, MemorySegment into) {
        long dim = out.dim(4);
        long heads = out.dim(3);
        long kvLen = out.dim(2);
        for (long at = from; at < from + count; at++) {
            long d = at % dim;
            long head = at / dim % heads;
            long token = at / dim / heads % kvLen;
            long part = at / dim / heads / kvLen % 2;
            long sequence = at / dim / heads / kvLen / 2;
            long bits = token < cache.length(sequence)
                    ? cache.bits((int) part, cache.page(sequence, token), token % cache.pageTokens(), head, d)
                    : 0;
            Formats.setBits(cache.type(), into, at - from, bits);
        }
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
