package dev.panamark.device.emulated;

import dev.panamark.kernel.Dim3;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Some of a grid's blocks, chosen at random and spread over it: the grid is cut into as many equal strata as blocks are
 * asked for, and each gives one. Blocks that differ in x only are farthest apart in that order, as it is x along which the
 * blocks of causal kernels grow. The sample consists of {@link #GROUPS} groups, each of which is spread over the grid in
 * the same way, so that their differences say how far off an estimate may be.
 *
 * @param blocks at most
 * @param seed of the choice
 */
record BlockSample(int blocks, long seed) {
    static final int GROUPS = 8;

    /**
     * The groups, as linear numbers of blocks with x fastest, ascending.
     *
     * @return nothing where the grid has fewer than twice as many blocks, so that all may as well run
     */
    List<List<Long>> of(Dim3 grid) {
        long all = grid.count();
        int strata = blocks / GROUPS * GROUPS;
        if (strata == 0 || all < 2L * strata) {
            return List.of();
        }
        SplittableRandom random = new SplittableRandom(seed); // seeds that follow each other give unlike choices
        List<List<Long>> groups = new ArrayList<>();
        for (int g = 0; g < GROUPS; g++) {
            groups.add(new ArrayList<>());
        }
        List<List<Long>> order = new ArrayList<>(groups);
        Set<Long> taken = new HashSet<>();
        double width = (double) all / strata;
        for (int i = 0; i < strata; i++) {
            if (i % GROUPS == 0) {
                Collections.shuffle(order, random);
            }
            long place = Math.min(all - 1, (long) ((i + random.nextDouble()) * width));
            while (!taken.add(place)) {
                place = (place + 1) % all; // two strata share a block where they are no whole numbers of blocks
            }
            order.get(i % GROUPS).add(linear(grid, place));
        }
        groups.forEach(Collections::sort);
        return groups;
    }

    private static long linear(Dim3 grid, long place) {
        long z = place % grid.z();
        long y = place / grid.z() % grid.y();
        long x = place / grid.z() / grid.y();
        return x + grid.x() * (y + grid.y() * z);
    }
}
