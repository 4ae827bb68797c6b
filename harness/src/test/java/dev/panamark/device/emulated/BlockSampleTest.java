package dev.panamark.device.emulated;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.kernel.Dim3;
import dev.panamark.stats.MeanInterval;
import java.util.List;
import java.util.TreeSet;
import java.util.function.LongToDoubleFunction;
import org.junit.jupiter.api.Test;

class BlockSampleTest {
    private static final Dim3 GRID = new Dim3(64, 4, 3);

    @Test
    void groupsAreOfOneSizeAndShareNoBlock() {
        List<List<Long>> groups = new BlockSample(50, 1).of(GRID);
        assertEquals(8, groups.size());
        TreeSet<Long> all = new TreeSet<>();
        groups.forEach(group -> {
            assertEquals(6, group.size(), "48 of the 50 make 8 equal groups");
            all.addAll(group);
        });
        assertEquals(48, all.size());
        assertTrue(all.first() >= 0 && all.last() < 768, all::toString);
        assertEquals(groups, new BlockSample(50, 1).of(GRID), "the same for the same seed");
    }

    /** With 32 blocks of 64 columns, each pair of columns gives one. */
    @Test
    void blocksAreSpreadAlongX() {
        for (long seed = 0; seed < 20; seed++) {
            TreeSet<Long> pairs = new TreeSet<>();
            new BlockSample(32, seed)
                    .of(GRID)
                    .forEach(group -> group.forEach(block -> pairs.add(block % GRID.x() / 2)));
            assertEquals(32, pairs.size());
        }
    }

    @Test
    void aGridOfFewBlocksRunsWhole() {
        assertEquals(List.of(), new BlockSample(48, 1).of(new Dim3(95, 1, 1)));
        assertEquals(8, new BlockSample(48, 1).of(new Dim3(96, 1, 1)).size());
    }

    /** Each of 768 blocks is in 48 of 768 samples on average; 4.5 standard deviations leave one in 10^5 outside. */
    @Test
    void everyBlockIsChosenAsOftenAsEveryOther() {
        int[] chosen = new int[768];
        int samples = 7680;
        for (int seed = 0; seed < samples; seed++) {
            new BlockSample(48, seed).of(GRID).forEach(group -> group.forEach(block -> chosen[block.intValue()]++));
        }
        double mean = samples / 16.0;
        double allowed = 4.5 * Math.sqrt(mean);
        for (int times : chosen) {
            assertEquals(mean, times, allowed);
        }
    }

    /** A causal kernel's blocks work in proportion to x; lengths that differ by z; and noise without any order. */
    @Test
    void intervalsHoldTheTruthInNinetyThreePercentOrMore() {
        List<LongToDoubleFunction> works = List.of(
                block -> 1 + block % 64,
                block -> 10 * (1 + block / 256),
                block -> ((block * 2654435761L) >>> 7) % 1000);
        for (LongToDoubleFunction work : works) {
            double truth = 0;
            for (long block = 0; block < 768; block++) {
                truth += work.applyAsDouble(block);
            }
            int held = 0;
            for (int seed = 0; seed < 2000; seed++) {
                List<List<Long>> groups = new BlockSample(64, seed).of(GRID);
                double[] estimates = groups.stream()
                        .mapToDouble(group ->
                                group.stream().mapToDouble(work::applyAsDouble).sum() * 768 / group.size())
                        .toArray();
                MeanInterval mean = MeanInterval.independent(estimates);
                double half = mean.half() * Math.sqrt(1 - 64.0 / 768);
                held += Math.abs(mean.mean() - truth) <= half ? 1 : 0;
            }
            assertTrue(held >= 1860, "held the truth in " + held + " of 2000");
        }
    }
}
