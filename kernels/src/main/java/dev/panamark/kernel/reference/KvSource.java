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

    /** Tokens of a sequence. */
    long length(int sequence);

    /** Two tensors [batch, kv_len, kv_heads, head_dim]; {@code lens} shortens sequences. */
    record Apart(Tensor k, Tensor v, Optional<Tensor> lens) implements KvSource {
        @Override
        public Tensor tensor(Part part) {
            return part == Part.KEY ? k : v;
        }

        @Override
        public long offset(Part part, int sequence, long token) {
            return tensor(part).shape().offset(sequence, token, 0, 0);
        }

        @Override
        public long length(int sequence) {
            return KvSource.length(lens, sequence, k.shape().dim(1));
        }
    }

    /** One tensor [batch, 2, kv_len, kv_heads, head_dim], keys first. */
    record Together(Tensor kv, Optional<Tensor> lens) implements KvSource {
        @Override
        public Tensor tensor(Part part) {
            return kv;
        }

        @Override
        public long offset(Part part, int sequence, long token) {
            return kv.shape().offset(sequence, part.plane, token, 0, 0);
        }

        @Override
        public long length(int sequence) {
            return KvSource.length(lens, sequence, kv.shape().dim(2));
        }
    }

    /** A pool [num_pages, 2, page, kv_heads, head_dim], a table [batch, pages] and lengths [batch]. */
    record Paged(Tensor pool, Tensor table, Tensor lens) implements KvSource {
        @Override
        public Tensor tensor(Part part) {
            return pool;
        }

        @Override
        public long offset(Part part, int sequence, long token) {
            Shape shape = pool.shape();
            long page = shape.dim(2);
            long entry = (long) Formats.get(table, table.shape().offset(sequence, token / page));
            if (entry < 0 || entry >= shape.dim(0)) {
                throw new IllegalArgumentException("table[" + sequence + ", " + token / page + "] is " + entry
                        + ", but the pool has " + shape.dim(0) + " pages");
            }
            return shape.offset(entry, part.plane, token % page, 0, 0);
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
            return new Apart(subject.tensor("k", inputs), subject.tensor("v", inputs), lens);
        }
        Tensor kv = subject.tensor("kv", inputs);
        return subject.find("table")
                .<KvSource>map(t -> new Paged(kv, inputs.get(t.name()), lens.orElseThrow()))
                .orElseGet(() -> new Together(kv, lens));
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
