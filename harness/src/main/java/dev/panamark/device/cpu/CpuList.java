package dev.panamark.device.cpu;

import dev.panamark.device.TextFiles;
import java.util.BitSet;
import java.util.Optional;
import java.util.OptionalLong;

/** The kernel's lists of processors: {@code 0-3,8,10-11}. */
final class CpuList {
    private static final long LIMIT = 1 << 20;

    private CpuList() {}

    /** The numbers in it; empty when it is no such list or names none. */
    static Optional<BitSet> parse(String text) {
        BitSet set = new BitSet();
        for (String part : text.strip().split(",", -1)) {
            int dash = part.indexOf('-');
            OptionalLong from = TextFiles.parse(dash < 0 ? part : part.substring(0, dash));
            OptionalLong to = TextFiles.parse(part.substring(dash + 1));
            if (from.isEmpty()
                    || to.isEmpty()
                    || from.getAsLong() < 0
                    || to.getAsLong() < from.getAsLong()
                    || to.getAsLong() > LIMIT) {
                return Optional.empty();
            }
            set.set((int) from.getAsLong(), (int) to.getAsLong() + 1);
        }
        return Optional.of(set);
    }
}
