package dev.panamark.kernel.fill;

/**
 * Random numbers that are a function of seed, name and position alone, so that any thread may draw any of them: the
 * output function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014, with the constants of Stafford's mix 13) over a
 * counter. Normals come from one uniform each by inversion, which keeps one counter value per element and reaches 8
 * standard deviations.
 */
final class Draws {
    private static final long STEP = 0x9E37_79B9_7F4A_7C15L;

    private final long key;

    Draws(long seed, String name) {
        long hash = 0xCBF2_9CE4_8422_2325L; // FNV-1a over the characters
        for (int i = 0; i < name.length(); i++) {
            hash = (hash ^ name.charAt(i)) * 0x0000_0100_0000_01B3L;
        }
        this.key = mix(mix(seed + STEP) ^ hash);
    }

    /** 64 random bits. */
    long bits(long position) {
        return mix(key + (position + 1) * STEP);
    }

    /** Uniform in (0, 1), never an end. */
    double uniform(long position) {
        return ((bits(position) >>> 12) + 0.5) * 0x1p-52;
    }

    /** Standard normal. */
    double normal(long position) {
        return NormalTable.of(bits(position));
    }

    /** A whole number in [0, bound). */
    long below(long position, long bound) {
        return Math.unsignedMultiplyHigh(bits(position), bound);
    }

    private static long mix(long z) {
        z = (z ^ (z >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D0_49BB_1331_11EBL;
        return z ^ (z >>> 31);
    }
}
