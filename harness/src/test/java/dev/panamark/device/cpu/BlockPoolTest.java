package dev.panamark.device.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Test;

class BlockPoolTest {

    @Test
    void oneBlockRunsOnTheCallerAlone() {
        try (BlockPool pool = new BlockPool(4)) {
            for (int i = 0; i < 100; i++) {
                Thread[] ran = new Thread[1];
                pool.run((first, last) -> ran[0] = Thread.currentThread(), 1);
                assertSame(Thread.currentThread(), ran[0]);
            }
        }
    }

    @Test
    void manyThreadsOnManyRunsDoEveryBlockOnce() {
        try (BlockPool pool = new BlockPool(16)) {
            for (int n = 2; n < 700; n++) {
                AtomicLongArray done = new AtomicLongArray(n);
                pool.run(
                        (first, last) -> {
                            for (long b = first; b < last; b++) {
                                done.getAndIncrement((int) b);
                            }
                        },
                        n);
                for (int b = 0; b < n; b++) {
                    assertEquals(1, done.get(b), "block " + b + " of " + n);
                }
            }
        }
    }

    @Test
    void aFailureOfAnyThreadReachesTheCallerAfterAllHaveStopped() {
        try (BlockPool pool = new BlockPool(3)) {
            for (int i = 0; i < 200; i++) {
                AtomicLong running = new AtomicLong();
                IllegalStateException e = assertThrows(
                        IllegalStateException.class,
                        () -> pool.run(
                                (first, last) -> {
                                    running.incrementAndGet();
                                    try {
                                        if (first <= 40 && 40 < last) {
                                            throw new IllegalStateException("block 40");
                                        }
                                    } finally {
                                        running.decrementAndGet();
                                    }
                                },
                                64));
                assertEquals("block 40", e.getMessage());
                assertEquals(0, running.get());
            }
            AtomicLong sum = new AtomicLong();
            pool.run((first, last) -> sum.addAndGet(last - first), 1000);
            assertEquals(1000, sum.get());
        }
    }

    /** Ranges so long that the hand-out counter passes 2^63 after the last of them. */
    @Test
    void theLargestGridIsHandedOutOnce() {
        try (BlockPool pool = new BlockPool(3)) {
            AtomicLong sum = new AtomicLong();
            Set<Long> starts = ConcurrentHashMap.newKeySet();
            pool.run(
                    (first, last) -> {
                        assertTrue(0 <= first && first < last);
                        assertTrue(starts.add(first));
                        sum.addAndGet(last - first);
                    },
                    Long.MAX_VALUE);
            assertEquals(Long.MAX_VALUE, sum.get());
        }
    }

    @Test
    void helpersAreDaemonsAndEndWithThePool() throws InterruptedException {
        BlockPool pool = new BlockPool(3);
        Set<Thread> seen = ConcurrentHashMap.newKeySet();
        AtomicLong begun = new AtomicLong();
        pool.run(
                (first, last) -> {
                    seen.add(Thread.currentThread());
                    begun.incrementAndGet();
                    while (begun.get() < 3) {
                        Thread.onSpinWait();
                    }
                },
                3);
        assertEquals(3, seen.size());
        pool.close();
        for (Thread thread : seen) {
            if (thread != Thread.currentThread()) {
                assertTrue(thread.isDaemon());
                thread.join();
                assertFalse(thread.isAlive());
            }
        }
    }
}
