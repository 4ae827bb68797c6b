package dev.panamark.device;

import dev.panamark.ffi.Availability;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * What launches did, all of them together: counted exactly, unless {@code sampled} says otherwise.
 *
 * @param instructions that threads executed
 * @param flops by class: {@code fma_f32}, {@code tensor_f16}; a fused multiply-add is two
 * @param shared accesses to shared memory, atomic ones too
 * @param global accesses to global memory, atomic ones too
 * @param lines of the program that had a part in it, those with the most excess wavefronts first
 * @param occupancy of the launch that takes longest
 * @param bound no device of this kind runs the launches in less
 * @param sampled where only some blocks ran and all the others are estimates
 */
public record Counted(
        long instructions,
        SequencedMap<String, Long> flops,
        Shared shared,
        Global global,
        List<Line> lines,
        Availability<Occupancy> occupancy,
        Availability<Bound> bound,
        Optional<Sampled> sampled) {

    /** Copies, keeping the order. */
    public Counted {
        flops = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(flops));
        lines = List.copyOf(lines);
    }

    /**
     * How far the estimate may be off.
     *
     * @param ran blocks that ran
     * @param of all blocks
     * @param groups what was estimated from parts of the blocks that ran, each chosen like all of them and of one size
     */
    public record Sampled(long ran, long of, List<Counted> groups) {}

    /**
     * Accesses to shared memory.
     *
     * @param requests of warps
     * @param wavefronts that they took: passes over the banks
     * @param ideal that they would have taken without bank conflicts
     */
    public record Shared(long requests, long wavefronts, long ideal) {
        /** Wavefronts that bank conflicts cost. */
        public long excess() {
            return wavefronts - ideal;
        }
    }

    /**
     * Accesses to global memory.
     *
     * @param requests of warps
     * @param sectors of 32 bytes that they touched, each counted once a request
     * @param distinct sectors that the launches touched, each counted once a launch for reading and once for writing
     */
    public record Global(long requests, long sectors, long distinct) {}

    /**
     * What one line of the program did.
     *
     * @param place file and line; of the PTX text where that does not name the program's
     * @param instructions that threads executed
     * @param shared accesses to shared memory
     * @param global accesses to global memory
     * @param branches that warps came to
     */
    public record Line(String place, long instructions, Shared shared, Global global, Branches branches) {}

    /**
     * Branches of warps.
     *
     * @param all of them
     * @param divergent at which lanes went both ways
     */
    public record Branches(long all, long divergent) {}

    /**
     * Warps that can be resident at once over the most that a unit holds.
     *
     * @param share 0 to 1
     * @param limiter what keeps more blocks out: registers, shared memory, warps, blocks
     * @param note where registers come from
     */
    public record Occupancy(double share, String limiter, String note) {}

    /**
     * A lower bound on time, from counts and the device's rates.
     *
     * @param seconds of all launches
     * @param limiter the busiest part of the device
     */
    public record Bound(double seconds, String limiter) {}
}
