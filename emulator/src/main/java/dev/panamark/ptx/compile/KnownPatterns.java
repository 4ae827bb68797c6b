package dev.panamark.ptx.compile;

import dev.panamark.ptx.analyze.Liveness;
import dev.panamark.ptx.analyze.Uniformity;
import dev.panamark.ptx.count.Track;
import dev.panamark.ptx.ir.Address;
import dev.panamark.ptx.ir.Expr;
import dev.panamark.ptx.ir.Register;
import dev.panamark.ptx.ir.Segment;
import dev.panamark.ptx.ir.Space;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Accesses through registers that segments write and nothing else does. Of shared memory what was counted of one is the same
 * again until its register is written; of global memory the distances of its lanes are, until its register is written
 * otherwise than by adding the same to all lanes. Their numbers are places in {@link dev.panamark.ptx.runtime.Warp#known}.
 */
final class KnownPatterns {
    /** Of one register; more would make the code that forgets them long. */
    private static final int MOST = 8;

    private final @Nullable Uniformity uniformity;
    private final List<List<Track>> tracks = new ArrayList<>();
    private final List<Integer> first = new ArrayList<>();

    /** An access, of shared memory or else of global memory. */
    private record Known(int number, boolean shared) {}

    private final Map<Register, List<Known>> byRegister = new HashMap<>();

    private final boolean checking;

    private KnownPatterns(@Nullable Uniformity uniformity, boolean checking) {
        this.uniformity = uniformity;
        this.checking = checking;
    }

    /** Those of a kernel's segments where nothing is counted: none. */
    static KnownPatterns none(List<Segment> segments) {
        KnownPatterns patterns = new KnownPatterns(null, false);
        segments.forEach(segment -> patterns.tracks.add(List.of()));
        return patterns;
    }

    /**
     * Those of a kernel's segments.
     *
     * @param uniformity of warps
     * @param checking whether faults are looked for, so that all accesses matter; then nothing is known
     */
    static KnownPatterns of(List<Segment> segments, Uniformity uniformity, boolean checking) {
        KnownPatterns patterns = new KnownPatterns(uniformity, checking);
        Set<Register> together = new HashSet<>();
        for (Segment segment : segments) {
            if (segment.exit() instanceof Segment.Together exit) {
                Liveness.writes(exit.sync(), together::add);
            }
        }
        int number = 0;
        for (Segment segment : segments) {
            List<Track> all = Track.of(segment, true);
            patterns.tracks.add(all);
            patterns.first.add(number);
            for (Track track : all) {
                Register register = addresses(segment, track);
                if (register != null
                        && !checking
                        && (track.space() == Space.SHARED || track.space() == Space.GLOBAL)
                        && !together.contains(register)) {
                    patterns.byRegister
                            .computeIfAbsent(register, key -> new ArrayList<>())
                            .add(new Known(number, track.space() == Space.SHARED));
                }
                number++;
            }
        }
        patterns.byRegister.values().removeIf(known -> known.size() > MOST);
        return patterns;
    }

    /** The register that holds the addresses of a track before and after its segment; null where they must be noted. */
    static @Nullable Register addresses(Segment segment, Track track) {
        Address address = Track.address(track.leader());
        if (address == null || track.leader().guard() != null || !(address.base() instanceof Expr.Read read)) {
            return null;
        }
        Register register = read.register();
        boolean[] written = new boolean[1];
        segment.ops().forEach(op -> Liveness.writes(op, other -> written[0] |= other == register));
        boolean fits = register.storage() == Register.Storage.LONG || track.space() == Space.SHARED;
        return written[0] || !fits ? null : register;
    }

    /** Whether faults are looked for. */
    boolean checking() {
        return checking;
    }

    /** By segment. */
    List<List<Track>> tracks() {
        return tracks;
    }

    /** The number of a track; -1 where nothing of it is known to stay the same. */
    int number(int segment, int track, Register register) {
        int number = first.get(segment) + track;
        return byRegister.getOrDefault(register, List.of()).stream().anyMatch(known -> known.number() == number)
                ? number
                : -1;
    }

    /**
     * Numbers of tracks of which something else may be so after a segment has written their register.
     *
     * @param masked whether only some lanes execute it
     */
    List<Integer> forgotten(Segment segment, Register register, boolean masked) {
        List<Known> known = byRegister.getOrDefault(register, List.of());
        boolean moved = !known.isEmpty() && !masked && uniformity != null && Moves.only(segment, register, uniformity);
        return known.stream()
                .filter(one -> one.shared() || !moved)
                .map(Known::number)
                .toList();
    }
}
