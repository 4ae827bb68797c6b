package dev.panamark.ptx.count;

import dev.panamark.ptx.ir.Site;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Collects what lanes of a block access in shared memory, each different set of addresses once. Threads may share one. */
public final class AccessPatterns {
    /** Different sets that are kept; a block that reads a large table at random has more. */
    private static final int MOST = 50_000;

    private final Map<Key, long[]> counts = new LinkedHashMap<>();
    private final boolean pairing;
    private long dropped;

    /** @param pairing whether phases of a load may pair up, as in {@link SharedRule} */
    public AccessPatterns(boolean pairing) {
        this.pairing = pairing;
    }

    /** What lanes of a warp accessed at once. */
    static final class Pattern {
        private final String kernel;
        private final Site site;
        private final int bytes;
        private final boolean load;
        private final boolean together;
        private final int mask;
        private final long[] addresses;

        private Pattern(
                String kernel, Site site, int bytes, boolean load, boolean together, int mask, long[] addresses) {
            this.kernel = kernel;
            this.site = site;
            this.bytes = bytes;
            this.load = load;
            this.together = together;
            this.mask = mask;
            this.addresses = addresses;
        }

        /** Of the instruction. */
        String kernel() {
            return kernel;
        }

        Site site() {
            return site;
        }

        /** Of a lane. */
        int bytes() {
            return bytes;
        }

        /** Whether it only reads. */
        boolean load() {
            return load;
        }

        /** Whether phases may pair up, which those of matrices do not. */
        boolean mayPair() {
            return load && !together;
        }

        int mask() {
            return mask;
        }

        /** In shared memory, of lane l at l; those of lanes that are not in the mask say nothing. */
        long[] addresses() {
            return addresses;
        }

        /** {@code file:line}, or that of the PTX text where it does not name the program's. */
        String line() {
            return site.source() == null
                    ? "ptx:" + site.at().line()
                    : site.source().toString();
        }
    }

    /** Compares by contents. */
    private static final class Key {
        private final Pattern pattern;
        private final int hash;

        Key(Pattern pattern) {
            this.pattern = pattern;
            this.hash = 31
                            * (31 * Arrays.hashCode(pattern.addresses())
                                    + pattern.site().index())
                    + pattern.mask();
        }

        Pattern pattern() {
            return pattern;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Key key
                    && key.pattern.site().equals(pattern.site())
                    && key.pattern.mask() == pattern.mask()
                    && key.pattern.kernel().equals(pattern.kernel())
                    && Arrays.equals(key.pattern.addresses(), pattern.addresses());
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }

    /**
     * Adds an access; {@code addresses} of lane l are at {@code from + l}, and {@code offset} is added to them.
     *
     * @param together whether the lanes access a matrix
     */
    public synchronized void add(
            String kernel,
            Site site,
            int bytes,
            boolean load,
            boolean together,
            int mask,
            long[] addresses,
            int from,
            long offset) {
        long[] own = new long[Integer.SIZE];
        for (int rest = mask; rest != 0; rest &= rest - 1) {
            int lane = Integer.numberOfTrailingZeros(rest);
            own[lane] = addresses[from + lane] + offset;
        }
        Key key = new Key(new Pattern(kernel, site, bytes, load, together, mask, own));
        long[] count = counts.get(key);
        if (count != null) {
            count[0]++;
        } else if (counts.size() < MOST) {
            counts.put(key, new long[] {1});
        } else {
            dropped++;
        }
    }

    /** Accesses that were not kept because there were too many different ones. */
    public synchronized long dropped() {
        return dropped;
    }

    /** Where conflicts come from and what removes them, those that cost most first. */
    public synchronized List<BankConflicts> conflicts() {
        return new BankAdvice(pairing)
                .of(counts.entrySet().stream()
                        .map(e -> new BankAdvice.Counted(e.getKey().pattern(), e.getValue()[0]))
                        .toList());
    }
}
