package dev.panamark.kernel.reference;

import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.Tensor;
import dev.panamark.kernel.format.Formats;
import java.util.Optional;

/**
 * A bias that grows with the distance of a key from its query's diagonal.
 *
 * @param slopes of the heads; none for no bias
 * @param signed whether it is m (j - d) rather than -m |d - j|: the same for keys up to the diagonal d
 * @param lengths keys of each sequence
 * @param seq queries of each sequence
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Alibi(Optional<Tensor> slopes, boolean signed, long[] lengths, long seq) {

    static Alibi of(Subject subject, Inputs inputs, long[] lengths, long seq) {
        String word = subject.word("alibi", "none");
        return new Alibi(
                word.equals("none") ? Optional.empty() : Optional.of(subject.tensor("slopes", inputs)),
                word.equals("signed"),
                lengths,
                seq);
    }

    /** What is added to the score of a key. */
    double of(int sequence, int head, long query, long key) {
        if (slopes.isEmpty()) {
            return 0;
        }
        long ahead = key - (query + lengths[sequence] - seq);
        return Formats.get(slopes.get(), head) * (double) (signed ? ahead : -Math.abs(ahead));
    }
}
