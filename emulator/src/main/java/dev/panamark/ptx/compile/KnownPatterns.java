package dev.panamark.ptx.compile;

import dev.panamark.ptx.analyze.Liveness;
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
 * Accesses to shared memory through registers that segments write and nothing else does: what was counted of one is the same
 * again until its register is written. Their numbers are places in {@link dev.panamark.ptx.runtime.Warp#known}.
 */
final class KnownPatterns {
    /** Of one register; more would make the code that forgets them long. */
    private static final int MOST = 8;

    private final List<List<Track>> tracks = new ArrayList<>();
    private final List<Integer> first = new ArrayList<>();
    private final Map<Register, List<Integer>> byRegister = new HashMap<>();

    private final boolean checking;

    private KnownPatterns(boolean checking) {
        this.checking = checking;
    }

    /**
     * Those of a kernel's segments; of none where nothing is counted.
     *
     * @param checking whether faults are looked for, so that all accesses matter; then of none too
     */
    static KnownPatterns of(List<Segment> segments, boolean counting, boolean checking) {
        KnownPatterns patterns = new KnownPatterns(checking);
        Set<Register> together = new HashSet<>();
        for (Segment segment : segments) {
            if (segment.exit() instanceof Segment.Together exit) {
                Liveness.writes(exit.sync(), together::add);
            }
        }
        int number = 0;
        for (Segment segment : segments) {
            List<Track> all = counting ? Track.of(segment, true) : List.of();
            patterns.tracks.add(all);
            patterns.first.add(number);
            for (Track track : all) {
                Register register = addresses(segment, track);
                if (register != null && !checking && track.space() == Space.SHARED && !together.contains(register)) {
                    patterns.byRegister
                            .computeIfAbsent(register, key -> new ArrayList<>())
                            .add(number);
                }
                number++;
            }
        }
        patterns.byRegister.values().removeIf(numbers -> numbers.size() > MOST);
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

    List<Track> tracks(int segment) {
        return tracks.get(segment);
    }

    /** The number of a track; -1 where what was counted of it does not stay the same. */
    int number(int segment, int track, Register register) {
        int number = first.get(segment) + track;
        return byRegister.getOrDefault(register, List.of()).contains(number) ? number : -1;
    }

    /** Numbers of the tracks whose addresses are in a register. */
    List<Integer> of(Register register) {
        return byRegister.getOrDefault(register, List.of());
    }
}
