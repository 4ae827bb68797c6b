package dev.panamark.device.emulated;

import dev.panamark.device.Counted;
import dev.panamark.device.profile.DeviceProfile;
import dev.panamark.ffi.Availability;
import dev.panamark.ptx.Counts;
import dev.panamark.ptx.KernelInfo;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;

/** Adds up what launches did that follow each other. */
final class Tally {
    private static final int SECTOR = 32;

    private final TimeBound bounds;
    private final OccupancyRules rules;
    private final SequencedMap<String, Long> flops = new LinkedHashMap<>();
    private final SequencedMap<String, Counted.Line> lines = new LinkedHashMap<>();
    private Counted.Line total = line("", 0, 0, 0, 0, 0, 0, 0, 0);
    private long distinct;
    private double seconds;
    private long touched;
    private double longest = -1;
    private final Set<String> limiters = new HashSet<>();
    private String limiter = "";
    private Availability<Counted.Bound> missingBound = Availability.missing("nothing was launched", "Add steps.");
    private Availability<Counted.Occupancy> occupancy = Availability.missing("nothing was launched", "Add steps.");
    private boolean unbounded;

    /**
     * A launch.
     *
     * @param blocks of its grid
     * @param threads of a block
     * @param shared bytes of dynamic shared memory of a block
     */
    record Launch(KernelInfo kernel, Registers registers, long blocks, long threads, long shared) {}

    Tally(DeviceProfile profile, Limits limits) {
        this.bounds = new TimeBound(profile);
        this.rules = new OccupancyRules(limits);
    }

    /** Launches wait for each other, so their bounds add up; the longest names the occupancy and what limits it. */
    void add(Launch launch, Counts counts) {
        SequencedMap<String, Long> own = new LinkedHashMap<>();
        counts.flops().forEach((type, n) -> own.merge(rateClass(type), n, Long::sum));
        own.forEach((type, n) -> flops.merge(type, n, Long::sum));
        total = sum(total, converted(counts.total()));
        counts.lines().forEach(l -> lines.merge(l.place(), converted(l), Tally::sum));
        long sectors = (counts.bytesRead() + counts.bytesWritten()) / SECTOR;
        distinct += sectors;
        switch (bounds.of(
                touched,
                launch.blocks(),
                own,
                counts.total().sharedWavefronts(),
                counts.bytesReadOnly(),
                counts.bytesWritten())) {
            case Availability.Available<Counted.Bound>(Counted.Bound bound) -> {
                seconds += bound.seconds();
                limiters.add(bound.limiter());
                if (bound.seconds() > longest) {
                    longest = bound.seconds();
                    limiter = bound.limiter();
                    occupancy = occupancy(launch);
                }
            }
            case Availability.Unavailable<Counted.Bound> none -> {
                unbounded = true;
                missingBound = none;
                occupancy = occupancy(launch);
            }
        }
        touch(counts.bytesReadOnly() + counts.bytesWritten());
    }

    /** Packed pairs run on the units of their type; products of matrices name theirs. */
    private static String rateClass(String type) {
        return type.startsWith("tensor_") ? type : "fma_" + type.replaceFirst("x2$", "");
    }

    /** Bytes of global memory that launches after this may find in the last-level cache. */
    void touch(long bytes) {
        touched += bytes;
    }

    private Availability<Counted.Occupancy> occupancy(Launch launch) {
        Counted.Occupancy occupancy = rules.of(
                launch.threads(),
                launch.registers().ofThread(),
                launch.shared() + launch.kernel().sharedBytes(),
                launch.registers().source());
        return occupancy.share() > 0
                ? Availability.of(occupancy)
                : Availability.missing(
                        "no block would fit an SM for " + occupancy.limiter() + "; "
                                + launch.registers().source(),
                        "ptxas, of the CUDA toolkit, gives exact figures.");
    }

    private static Counted.Line converted(Counts.Line l) {
        return line(
                l.place(),
                l.threadInstructions(),
                l.sharedRequests(),
                l.sharedWavefronts(),
                l.sharedIdeal(),
                l.globalRequests(),
                l.globalSectors(),
                l.branches(),
                l.divergentBranches());
    }

    private static Counted.Line line(
            String place,
            long instructions,
            long requests,
            long wavefronts,
            long ideal,
            long global,
            long sectors,
            long branches,
            long divergent) {
        return new Counted.Line(
                place,
                instructions,
                new Counted.Shared(requests, wavefronts, ideal),
                new Counted.Global(global, sectors, 0),
                new Counted.Branches(branches, divergent));
    }

    private static Counted.Line sum(Counted.Line a, Counted.Line b) {
        return line(
                a.place(),
                a.instructions() + b.instructions(),
                a.shared().requests() + b.shared().requests(),
                a.shared().wavefronts() + b.shared().wavefronts(),
                a.shared().ideal() + b.shared().ideal(),
                a.global().requests() + b.global().requests(),
                a.global().sectors() + b.global().sectors(),
                a.branches().all() + b.branches().all(),
                a.branches().divergent() + b.branches().divergent());
    }

    /** What all of it came to; {@code sampled} says how far that may be off. */
    Counted counted(Optional<Counted.Sampled> sampled) {
        List<Counted.Line> worst = new ArrayList<>(lines.values());
        worst.sort(Comparator.comparingLong((Counted.Line l) -> l.shared().excess())
                .thenComparingLong(l -> l.shared().wavefronts())
                .thenComparingLong(l -> l.global().sectors())
                .reversed());
        return new Counted(
                total.instructions(),
                flops,
                total.shared(),
                new Counted.Global(total.global().requests(), total.global().sectors(), distinct),
                worst,
                occupancy,
                unbounded || longest < 0
                        ? missingBound
                        : Availability.of(new Counted.Bound(
                                seconds, limiters.size() > 1 ? limiter + " in its longest launch" : limiter)),
                sampled);
    }
}
