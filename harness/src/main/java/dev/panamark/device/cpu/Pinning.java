package dev.panamark.device.cpu;

import dev.panamark.driver.host.HostLibraryException;
import dev.panamark.driver.host.HostThread;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * Which processor each thread of a pool is bound to. Threads are bound only where there is one for each processor that
 * this process may use: among more processors any choice could be that of a neighbour, and the scheduler sees more
 * than we do. Helpers stay bound; the caller is bound while it is timed and not before, because threads that a kernel
 * or a compiler starts inherit its processors.
 */
final class Pinning {
    private final List<Integer> processors;
    private volatile @Nullable String refusal;

    /** For a pool of {@code threads}. */
    static Pinning of(int threads) {
        try {
            return new Pinning(HostThread.allowed(), threads);
        } catch (HostLibraryException e) {
            return new Pinning(List.of(), String.valueOf(e.getMessage()));
        }
    }

    private Pinning(List<Integer> allowed, int threads) {
        this(
                allowed,
                allowed.size() == threads
                        ? null
                        : threads + " threads may run on " + allowed.size()
                                + " processors (a CPU quota limits the threads), so the scheduler chooses");
    }

    private Pinning(List<Integer> processors, @Nullable String refusal) {
        this.processors = List.copyOf(processors);
        this.refusal = refusal;
    }

    /** Binds the calling thread, the pool's {@code index}-th, to its processor; what the system refuses is kept. */
    void bind(int index) {
        if (refusal == null) {
            bindTo(List.of(processors.get(index)));
        }
    }

    /** Gives the calling thread all processors back. */
    void release() {
        if (refusal == null) {
            bindTo(processors);
        }
    }

    private void bindTo(List<Integer> some) {
        try {
            HostThread.bind(some);
        } catch (HostLibraryException e) {
            refusal = String.valueOf(e.getMessage());
        }
    }

    /** {@code pinned_to}: the processors, or {@code not_pinned}: why. */
    SequencedMap<String, Object> facts() {
        SequencedMap<String, Object> facts = new LinkedHashMap<>();
        String why = refusal;
        if (why == null) {
            facts.put("pinned_to", processors);
        } else {
            facts.put("not_pinned", why);
        }
        return facts;
    }
}
