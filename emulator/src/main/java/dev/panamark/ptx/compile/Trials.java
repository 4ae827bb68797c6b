package dev.panamark.ptx.compile;

import dev.panamark.ptx.runtime.Executor;
import dev.panamark.ptx.runtime.Trial;
import dev.panamark.ptx.runtime.Warp;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Executes a kernel lane after lane, and segments with vectors now and then to see whether that is faster, and always where it
 * is. Both do the same. Threads may use one at the same time.
 */
final class Trials implements Executor {
    private final Executor plain;
    private final Executor vectors;
    private final ClassLoader loader;
    private final @Nullable Trial[] trials;

    /**
     * Of the segments of {@code tried}.
     *
     * @param loader of the methods with vectors
     */
    Trials(Executor plain, Executor vectors, ClassLoader loader, BitSet tried) {
        this.plain = plain;
        this.vectors = vectors;
        this.loader = loader;
        trials = new Trial[tried.length()];
        tried.stream().forEach(segment -> trials[segment] = new Trial());
    }

    @Override
    public int run(int segment, Warp warp, int mask) {
        if (mask == -1 && segment < trials.length) {
            Trial trial = trials[segment];
            if (trial != null && !trial.slower()) {
                return trial.faster() ? vectors.run(segment, warp, mask) : run(trial, segment, warp);
            }
        }
        return plain.run(segment, warp, mask);
    }

    private int run(Trial trial, int segment, Warp warp) {
        if (!trial.due()) {
            return plain.run(segment, warp, -1);
        }
        boolean vector = trial.vectors();
        long begun = System.nanoTime();
        int result = (vector ? vectors : plain).run(segment, warp, -1);
        trial.took(vector, System.nanoTime() - begun);
        return result;
    }

    /** Whether nothing is left to try. */
    boolean decided() {
        return Arrays.stream(trials).filter(Objects::nonNull).allMatch(trial -> trial.faster() || trial.slower());
    }

    /** Segments that are faster with vectors. */
    BitSet chosen() {
        BitSet chosen = new BitSet();
        for (int i = 0; i < trials.length; i++) {
            Trial trial = trials[i];
            if (trial != null && trial.faster()) {
                chosen.set(i);
            }
        }
        return chosen;
    }

    /** Of the methods with vectors. */
    ClassLoader loader() {
        return loader;
    }
}
