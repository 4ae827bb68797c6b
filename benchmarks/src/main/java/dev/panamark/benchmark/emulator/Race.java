package dev.panamark.benchmark.emulator;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Times of several sides that took turns. Other load only ever adds time, so the shortest of each counts. */
final class Race {
    private final double[] least;

    private Race(double[] least) {
        this.least = least;
    }

    /**
     * Lets sides take turns, every other round backwards, each warmed up before.
     *
     * @param warm seconds of each side before anything is timed
     * @param seconds of all sides together that are timed, at least
     * @param rounds at least
     */
    static Race of(List<Side> sides, double warm, double seconds, int rounds) {
        for (Side side : sides) {
            double spent = 0;
            while (spent < warm) {
                spent += time(side);
            }
        }
        double[] least = new double[sides.size()];
        Arrays.fill(least, Double.POSITIVE_INFINITY);
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < sides.size(); i++) {
            order.add(i);
        }
        double spent = 0;
        for (int round = 0; round < rounds || spent < seconds; round++) {
            for (int i : order) {
                double time = time(sides.get(i));
                spent += time;
                least[i] = Math.min(least[i], time);
            }
            Collections.reverse(order);
        }
        return new Race(least);
    }

    private static double time(Side side) {
        long begun = System.nanoTime();
        side.run();
        return (System.nanoTime() - begun) * 1e-9;
    }

    /** The shortest time of a side in seconds. */
    double seconds(int side) {
        return least[side];
    }
}
