package dev.panamark.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.DoubleStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The oracle is sorting. */
class OrderStatisticsTest {
    /** Different values, many ties, one value, rising and falling ones. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 10, 41, 2000})
    void findsWhatSortingFinds(int n) {
        Random random = new Random(n);
        for (double[] x : new double[][] {
            random.doubles(n).toArray(),
            random.doubles(n).map(v -> Math.floor(4 * v)).toArray(),
            new double[n],
            DoubleStream.iterate(0, v -> v + 1).limit(n).toArray(),
            DoubleStream.iterate(0, v -> v - 1).limit(n).toArray(),
        }) {
            double[] sorted = x.clone();
            Arrays.sort(sorted);
            double[] some = x.clone();
            for (double q : new double[] {0.025, 0.975, 0, 1, 0.5}) {
                double position = 1 + q * (n - 1);
                assertEquals(Descriptive.between(sorted, position), OrderStatistics.between(some, position));
            }
            Arrays.sort(some);
            assertEquals(Arrays.toString(sorted), Arrays.toString(some), "nothing is lost");
        }
    }
}
