package dev.panamark.kernel.reference;

/**
 * Which keys a query sees: always a range.
 *
 * @param lengths keys of each sequence
 * @param seq queries of each sequence
 * @param left keys before the diagonal; -1 for all
 * @param right keys after the diagonal; -1 for all, 0 for a causal mask
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record KeyRange(long[] lengths, long seq, long left, long right) {

    /** The first key that a query sees. */
    long first(long query, int sequence) {
        return left < 0 ? 0 : Math.max(0, query + lengths[sequence] - seq - left);
    }

    /** The last key that a query sees; below {@link #first} when it sees none. */
    long last(long query, int sequence) {
        long end = lengths[sequence] - 1;
        return right < 0 ? end : Math.min(end, query + lengths[sequence] - seq + right);
    }
}
