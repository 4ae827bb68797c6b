package dev.panamark.device.emulated;

import dev.panamark.device.Counted;
import dev.panamark.device.profile.DeviceProfile;
import dev.panamark.ptx.Counts;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** The tally of launches, and where only some of their blocks run, those that each group of these blocks gives. */
final class Tallies {
    private final Supplier<Tally> tallies;
    private final Tally all;
    private final List<Tally> groups = new ArrayList<>();
    private long ran;
    private long of;

    Tallies(DeviceProfile profile, Limits limits) {
        tallies = () -> new Tally(profile, limits);
        all = tallies.get();
    }

    /**
     * Adds a launch.
     *
     * @param sample the groups of blocks that ran; empty where all did
     * @param parts what each group did; what all did where there are none
     * @throws IllegalStateException for a sample where a launch came before it, which has no part in what the groups say
     */
    void add(Tally.Launch launch, List<List<Long>> sample, List<Counts> parts) {
        if (sample.isEmpty()) {
            ran += launch.blocks();
            of += launch.blocks();
            all.add(launch, parts.getFirst());
            groups.forEach(group -> group.add(launch, parts.getFirst()));
            return;
        }
        if (of > 0) {
            throw new IllegalStateException("a sampled launch comes before others that are counted with it");
        }
        long some = sample.stream().mapToLong(List::size).sum();
        ran += some;
        of += launch.blocks();
        all.add(launch, Estimate.of(parts, (double) launch.blocks() / some));
        for (int g = 0; g < parts.size(); g++) {
            Tally group = tallies.get();
            double factor = (double) launch.blocks() / sample.get(g).size();
            group.add(launch, Estimate.of(List.of(parts.get(g)), factor));
            groups.add(group);
        }
    }

    /** Something other than a launch wrote bytes of global memory. */
    void touch(long bytes) {
        all.touch(bytes);
    }

    /** What all of it came to. */
    Counted counted() {
        return all.counted(
                groups.isEmpty()
                        ? Optional.empty()
                        : Optional.of(new Counted.Sampled(
                                ran,
                                of,
                                groups.stream()
                                        .map(group -> group.counted(Optional.empty()))
                                        .toList())));
    }
}
