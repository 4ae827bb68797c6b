package dev.panamark.device.emulated;

import dev.panamark.device.Counted;
import dev.panamark.device.profile.DeviceProfile;
import dev.panamark.ptx.Counts;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The tally of launches, and where only some of their blocks run, those that each group of these blocks gives. */
final class Tallies {
    private final Tally all;
    private final List<Tally> groups;
    private long ran;
    private long of;

    Tallies(DeviceProfile profile, Limits limits) {
        all = new Tally(profile, limits);
        groups = Stream.generate(() -> new Tally(profile, limits))
                .limit(BlockSample.GROUPS)
                .toList();
    }

    /** A launch that ran whole. */
    void add(Tally.Launch launch, Counts counts) {
        ran += launch.blocks();
        of += launch.blocks();
        all.add(launch, counts);
        groups.forEach(group -> group.add(launch, counts));
    }

    /** A launch of which these groups of blocks ran; {@code parts} are their counts. */
    void add(Tally.Launch launch, List<List<Long>> sample, List<Counts> parts) {
        long some = sample.stream().mapToLong(List::size).sum();
        ran += some;
        of += launch.blocks();
        all.add(launch, Estimate.of(parts, (double) launch.blocks() / some));
        for (int g = 0; g < parts.size(); g++) {
            double factor = (double) launch.blocks() / sample.get(g).size();
            groups.get(g).add(launch, Estimate.of(List.of(parts.get(g)), factor));
        }
    }

    /** Something other than a launch wrote bytes of global memory. */
    void touch(long bytes) {
        all.touch(bytes);
        groups.forEach(group -> group.touch(bytes));
    }

    Counted counted() {
        return all.counted(
                ran == of
                        ? Optional.empty()
                        : Optional.of(new Counted.Sampled(
                                ran,
                                of,
                                groups.stream()
                                        .map(group -> group.counted(Optional.empty()))
                                        .toList())));
    }
}
