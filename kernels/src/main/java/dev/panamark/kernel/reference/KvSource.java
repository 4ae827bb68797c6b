package dev.panamark.kernel.reference;

import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.Shape;
import dev.panamark.kernel.Tensor;
import dev.panamark.kernel.format.Formats;
import java.util.Optional;

/** Where the keys and values of a token lie: in tensors of their own, or in a pool of pages. */
sealed interface KvSource {

    /** Which of the two. */
    enum Part {
        /** Keys, which come first where both share a tensor. */
        KEY(0),
        /** Values. */
        VALUE(1);

        private final int plane;

        Part(int plane) {
            this.plane = plane;
        }
    }

    /** The tensor that holds a part. */
    Tensor tensor(Part part);

    /** Position in {@link #tensor} of the first head of a token; a token's heads follow one another. */
    long offset(Part part, int sequence, long token);

    /** Position in a tensor of scales [sequences or pages, 2, tokens or slots, kv_heads], extents of 1 shared by all. */
    long scaleOffset(Shape scales, Part part, int sequence, long token, int head);

    /** Tokens of a sequence. */
    long length(int sequence);

    /** Numbers in an element of the tensor of a part: 1, or 2 codes of four bits. */
    int packed(Part part);

    /** Reads one head of a token, as stored: without scales. */
    default void read(Part part, int sequence, long token, int head, double[] into) {
        Tensor tensor = tensor(part);
        if (packed(part) == 1) {
            Formats.read(tensor, offset(part, sequence, token) + (long) head * into.length, into.length, into, 0);
            return;
        }
        long at = offset(part, sequence, token) + (long) head * (into.length / 2);
        for (int i = 0; i < into.length; i += 2) {
            long codes = Formats.bits(tensor, at + i / 2);
            into[i] = (double) ((codes & 15) - 8);
            into[i + 1] = (double) ((codes >> 4) - 8);
        }
    }

    /** Two tensors [batch, kv_len, kv_heads, head_dim]; {@code lens} shortens sequences. */
    record Apart(Tensor k, Tensor v, int packedK, int packedV, Optional<Tensor> lens) implements KvSource {
        @Override
        public Tensor tensor(Part part) {
            return part == Part.KEY ? k : v;
        }

        @Override
        public long offset(Part part, int sequence, long token) {
            return tensor(part).shape().offset(sequence, token, 0, 0);
        }

        @Override
        public long scaleOffset(Shape scales, Part part, int sequence, long token, int head) {
            return KvSource.shared(scales, sequence, part.plane, token, head);
        }

        @Override
        public long length(int sequence) {
            return KvSource.length(lens, sequence, k.shape().dim(1));
        }

        @Override
        public int packed(Part part) {
            return part == Part.KEY ? packedK : packedV;
        }
    }

    /** One tensor [batch, 2, kv_len, kv_heads, head_dim], keys first. */
    record Together(Tensor kv, int packed, Optional<Tensor> lens) implements KvSource {
        @Override
        public Tensor tensor(Part part) {
            return kv;
        }

        @Override
        public long offset(Part part, int sequence, long token) {
            return kv.shape().offset(sequence, part.plane, token, 0, 0);
        }

        @Override
        public long scaleOffset(Shape scales, Part part, int sequence, long token, int head) {
            return KvSource.shared(scales, sequence, part.plane, token, head);
        }

        @Override
        public long length(int sequence) {
            return KvSource.length(lens, sequence, kv.shape().dim(2));
        }

        @Override
        public int packed(Part part) {
            return packed;
        }
    }

    /** A pool [num_pages, 2, page, kv_heads, head_dim], a table [batch, pages] and lengths [batch]. */
    record Paged(Tensor pool, int packed, Tensor table, Tensor lens) implements KvSource {
        @Override
        public Tensor tensor(Part part) {
            return pool;
        }

        @Override
        public long offset(Part part, int sequence, long token) {
            return pool.shape().offset(entry(sequence, token), part.plane, token % page(), 0, 0);
        }

        private long page() {
            return pool.shape().dim(2);
        }

        private long entry(int sequence, long token) {
            long pages = pool.shape().dim(0);
            long entry = (long) Formats.get(table, table.shape().offset(sequence, token / page()));
            if (entry < 0 || entry >= pages) {
                throw new IllegalArgumentException("table[" + sequence + ", " + token / page() + "] is " + entry
                        + ", but the pool has " + pages + " pages");
            }
            return entry;
        }

        @Override
        public long scaleOffset(Shape scales, Part part, int sequence, long token, int head) {
            return KvSource.shared(scales, entry(sequence, token), part.plane, token % page(), head);
        }

        @Override
        public int packed(Part part) {
            return packed;
        }

        @Override
        public long length(int sequence) {
            return KvSource.length(
                    Optional.of(lens),
                    sequence,
                    table.shape().dim(1) * pool.shape().dim(2));
        }
    }

    /** The keys and values of a kernel whose faults were looked for. */
    static KvSource of(Subject subject, Inputs inputs) {
        Optional<Tensor> lens = subject.find("lens").map(b -> inputs.get(b.name()));
        if (subject.find("kv").isEmpty()) {
            return new Apart(
                    subject.tensor("k", inputs),
                    subject.tensor("v", inputs),
                    subject.buffer("k").packed(),
                    subject.buffer("v").packed(),
                    lens);
        }
        Tensor kv = subject.tensor("kv", inputs);
        int packed = subject.buffer("kv").packed();
        return subject.find("table")
                .<KvSource>map(t -> new Paged(kv, packed, inputs.get(t.name()), lens.orElseThrow()))
                .orElseGet(() -> new Together(kv, packed, lens));
    }

    private static long shared(Shape scales, long... at) {
        for (int i = 0; i < at.length; i++) {
            at[i] = scales.dim(i) == 1 ? 0 : at[i];
        }
        return scales.offset(at);
    }

    private static long length(Optional<Tensor> lens, int sequence, long most) {
        if (lens.isEmpty()) {
            return most;
        }
        long length = (long) Formats.get(lens.get(), sequence);
        if (length < 0 || length > most) {
            throw new IllegalArgumentException(
                    "lens[" + sequence + "] is " + length + ", but there is room for " + most + " tokens");
        }
        return length;
    }
}
