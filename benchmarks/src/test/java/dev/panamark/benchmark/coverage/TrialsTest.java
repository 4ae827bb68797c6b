package dev.panamark.benchmark.coverage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ForkJoinPool;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class TrialsTest {
    private static <T> T on(int threads, Callable<T> work) throws Exception {
        try (ForkJoinPool pool = new ForkJoinPool(threads)) {
            return pool.submit(work).get();
        }
    }

    @Test
    void resultsDoNotDependOnThreads() throws Exception {
        Callable<String> line = () -> {
            Table table = OneInvocation.table();
            OneInvocation.line(
                    table, new Trials(40, 7), SyntheticTimer.autoregressive(0.6), new Sampling(20e-3), Claim.holds());
            return table.text();
        };
        String once = on(1, line);
        assertEquals(once, on(4, line));
        assertEquals(2, once.lines().count(), once);
    }

    @Test
    void seedExperimentAndRunEachGiveOtherNumbers() {
        List<Long> some = new Trials(3, 1).of("a", RandomGenerator::nextLong);
        assertEquals(3, some.stream().distinct().count());
        assertEquals(some, new Trials(3, 1).of("a", RandomGenerator::nextLong));
        assertEquals(some, new Trials(5, 1).of("a", RandomGenerator::nextLong).subList(0, 3));
        assertNotEquals(some, new Trials(3, 2).of("a", RandomGenerator::nextLong));
        assertNotEquals(some, new Trials(3, 1).of("b", RandomGenerator::nextLong));
    }
}
