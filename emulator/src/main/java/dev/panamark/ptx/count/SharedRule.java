package dev.panamark.ptx.count;

import java.util.Arrays;

/**
 * Wavefronts of an access to shared memory: 32 banks of 4 bytes; lanes that read the same word share it. Accesses of
 * 8 bytes go in two phases of 16 lanes, of 16 bytes in four of 8; conflicts are within a phase. Phases may pair
 * up where every active lane has the address of the lane next to it, or of the lane two further (published for loads and
 * compute capability 7.0 to 7.5, not verified since). Sources: facts/emulator.md section 4. Of one thread.
 */
public final class SharedRule {
    private static final int LANES = 32;

    private final int[] words = new int[2 * LANES];
    private final int[] perBank = new int[LANES];
    private int wavefronts;
    private int ideal;

    /** Serialised work of the last access; 0 without active lanes. */
    public int wavefronts() {
        return wavefronts;
    }

    /** What it would be without conflicts: its phases that have active lanes, after pairing. */
    public int ideal() {
        return ideal;
    }

    /**
     * Counts an access.
     *
     * @param addresses of lane l at {@code from + l}
     * @param mask active lanes
     * @param bytes of one lane: 1, 2, 4, 8 or 16
     * @param pairs whether its phases may pair up
     */
    public void count(long[] addresses, int from, int mask, int bytes, boolean pairs) {
        wavefronts = 0;
        ideal = 0;
        int phases = bytes <= 4 ? 1 : bytes / 4;
        int lanes = LANES / phases;
        int together =
                phases > 1 && pairs && (paired(addresses, from, mask, 1) || paired(addresses, from, mask, 2)) ? 2 : 1;
        for (int first = 0; first < LANES; first += lanes * together) {
            int all = lanes * together;
            int part = all == LANES ? mask : mask & (((1 << all) - 1) << first);
            if (part != 0) {
                ideal++;
                wavefronts += phase(addresses, from, part, bytes);
            }
        }
    }

    private static boolean paired(long[] addresses, int from, int mask, int distance) {
        for (int rest = mask; rest != 0; rest &= rest - 1) {
            int lane = Integer.numberOfTrailingZeros(rest);
            int other = lane ^ distance;
            if ((mask >>> other & 1) == 0 || addresses[from + lane] != addresses[from + other]) {
                return false;
            }
        }
        return mask != 0;
    }

    /** The most distinct words in one bank. */
    private int phase(long[] addresses, int from, int mask, int bytes) {
        int count = 0;
        int most = 1;
        int width = Math.max(1, bytes / 4);
        Arrays.fill(perBank, 0);
        for (int rest = mask; rest != 0; rest &= rest - 1) {
            int lane = Integer.numberOfTrailingZeros(rest);
            int first = (int) (addresses[from + lane] >> 2);
            for (int word = first; word < first + width; word++) {
                if (add(word, count)) {
                    count++;
                    most = Math.max(most, ++perBank[word & 31]);
                }
            }
        }
        return most;
    }

    private boolean add(int word, int count) {
        for (int i = count - 1; i >= 0; i--) {
            if (words[i] == word) {
                return false;
            }
        }
        words[count] = word;
        return true;
    }
}
