package dev.panamark.kernel.reference;

import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.Tensor;
import dev.panamark.kernel.format.DataType;
import dev.panamark.kernel.format.Formats;

/** The contents of a paged KV cache: pools in a layout, a table [batch, pages] and lengths [batch]. */
final class PagedCache {
    private final PoolLayout layout;
    private final Tensor keys;
    private final Tensor values;
    private final Tensor table;
    private final long[] lengths;
    private final long pages;

    PagedCache(Subject subject, Inputs inputs) {
        this.layout = PoolLayout.of(subject);
        this.keys = subject.tensor(layout.pool(0), inputs);
        this.values = subject.tensor(layout.pool(1), inputs);
        this.table = subject.tensor("table", inputs);
        this.pages = table.shape().dim(1);
        Tensor lens = subject.tensor("lens", inputs);
        this.lengths = new long[Math.toIntExact(lens.shape().elements())];
        for (int s = 0; s < lengths.length; s++) {
            lengths[s] = (long) Formats.get(lens, s);
            if (lengths[s] < 0 || lengths[s] > pages * pageTokens()) {
                throw new IllegalArgumentException("lens[" + s + "] is " + lengths[s] + ", but there is room for "
                        + pages * pageTokens() + " tokens");
            }
        }
    }

    DataType type() {
        return keys.type();
    }

    int sequences() {
        return lengths.length;
    }

    /** Tokens of a page. */
    long pageTokens() {
        return layout.pageTokens(keys.shape());
    }

    /** Tokens of a sequence. */
    long length(long sequence) {
        return lengths[(int) sequence];
    }

    /** The page in the pool that holds a token. */
    long page(long sequence, long token) {
        long entry = (long) Formats.get(table, sequence * pages + token / pageTokens());
        if (entry < 0 || entry >= keys.shape().dim(0)) {
            throw new IllegalArgumentException("table[" + sequence + ", " + token / pageTokens() + "] is " + entry
                    + ", but the pool has " + keys.shape().dim(0) + " pages");
        }
        return entry;
    }

    /** The code of an element of the keys (part 0) or values (part 1). */
    long bits(int part, long page, long slot, long head, long d) {
        return Formats.bits(part == 0 ? keys : values, position(part, page, slot, head, d));
    }

    /** Where that element is. */
    long position(int part, long page, long slot, long head, long d) {
        return layout.position((part == 0 ? keys : values).shape(), part, page, slot, head, d);
    }
}
