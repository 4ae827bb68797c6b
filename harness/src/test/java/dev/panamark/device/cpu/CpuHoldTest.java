package dev.panamark.device.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.device.CacheSweep;
import dev.panamark.device.Device;
import dev.panamark.device.Hold;
import dev.panamark.driver.host.HostMemory;
import dev.panamark.driver.host.HostThread;
import dev.panamark.ffi.Availability;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CpuHoldTest {
    @TempDir
    Path folder;

    /** In a thread of its own, whose binding ends with it. */
    private static <T> T apart(java.util.concurrent.Callable<T> work) throws Exception {
        FutureTask<T> task = new FutureTask<>(work);
        Thread.ofPlatform().start(task);
        return task.get();
    }

    @Test
    void theLaunchingThreadIsBoundWhileItIsHeldAndFreeAfterwards() throws Exception {
        List<Integer> allowed = HostThread.allowed();
        try (Device device = CpuTestDevice.open(folder, allowed.size())) {
            List<List<Integer>> seen = apart(() -> {
                List<Integer> during;
                try (Hold hold = device.hold()) {
                    during = HostThread.allowed();
                    assertEquals(allowed, hold.facts().get("pinned_to"));
                }
                return List.of(during, HostThread.allowed());
            });
            assertEquals(List.of(allowed.subList(0, 1), allowed), seen);
        }
    }

    @Test
    void withFewerThreadsThanProcessorsTheSchedulerChooses() throws Exception {
        int more = HostThread.allowed().size() + 1;
        try (Device device = CpuTestDevice.open(folder, more)) {
            apart(() -> {
                try (Hold hold = device.hold()) {
                    assertTrue(
                            String.valueOf(hold.facts().get("not_pinned"))
                                    .startsWith(more + " threads may run on " + (more - 1) + " processors"),
                            () -> hold.facts().toString());
                    assertEquals(more - 1, HostThread.allowed().size());
                }
                return true;
            });
        }
    }

    /** The slowest of the processors, in the kHz of cpufreq. */
    @Test
    void theClockIsTheSlowestProcessors() throws IOException {
        SyntheticMachine machine = new SyntheticMachine(folder)
                .cpu("cpu0/cpufreq/scaling_cur_freq", "2100000\n")
                .cpu("cpu3/cpufreq/scaling_cur_freq", "1900000\n");
        Frequency frequency = new Frequency(machine.roots());
        assertEquals(OptionalDouble.of(1.9e9), frequency.slowest(List.of(0, 3)));
        assertEquals(OptionalDouble.empty(), frequency.slowest(List.of(0, 1)), "one that is not there");
        machine.cpu("cpu3/cpufreq/scaling_cur_freq", "<unknown>\n");
        assertEquals(OptionalDouble.empty(), frequency.slowest(List.of(0, 3)));
    }

    @Test
    void anUnreadableClockIsSaid() throws Exception {
        Files.createDirectories(folder.resolve("sys"));
        try (Device device = CpuTestDevice.open(folder, 1, new SyntheticMachine(folder).roots())) {
            apart(() -> {
                try (Hold hold = device.hold()) {
                    assertEquals(OptionalDouble.empty(), hold.clock());
                    assertTrue(
                            String.valueOf(hold.facts().get("clock_unreadable")).contains("scaling_cur_freq"));
                }
                return true;
            });
        }
    }

    @Test
    void sweepingWritesAndReadsTwiceTheLastLevelCache() throws IOException {
        int cpu = HostThread.allowed().getFirst();
        SyntheticMachine machine = new SyntheticMachine(folder)
                .proc("self/status", "Cpus_allowed_list:\t" + cpu + "\n")
                .proc("meminfo", "MemTotal: 8000000 kB\nMemAvailable: 4000000 kB\n")
                .cache(cpu, 2, 2, "Unified", "512K", Integer.toString(cpu))
                .cache(cpu, 3, 3, "Unified", "3072K", Integer.toString(cpu));
        try (Device device = CpuTestDevice.open(folder, 2, machine.roots())) {
            switch (device.cacheSweep()) {
                case Availability.Available<CacheSweep>(CacheSweep sweep) -> {
                    assertEquals(Map.of("bytes_written", 6L << 20, "bytes_read", 6L << 20), sweep.facts());
                    sweep.sweep();
                    sweep.sweep();
                }
                case Availability.Unavailable<CacheSweep> no -> throw new AssertionError(no.text());
            }
        }
    }

    /** What a sweep leaves behind, and that it notices a byte that only somebody who reads all of it can. */
    @Test
    void everyByteIsWrittenAndEveryByteIsRead() {
        long bytes = (3L << 20) + 6;
        try (BlockPool pool = new BlockPool(2);
                HostMemory written = HostMemory.map(bytes);
                HostMemory read = HostMemory.map(bytes)) {
            CpuCacheSweep sweep = new CpuCacheSweep(new Bulk(pool), written, read);
            for (byte round = 1; round <= 2; round++) {
                sweep.sweep();
                for (long at = 0; at < bytes; at++) {
                    assertEquals(round, written.segment().get(ValueLayout.JAVA_BYTE, at));
                }
            }
            for (long at : new long[] {0, 1L << 20, bytes - 1}) {
                read.segment().set(ValueLayout.JAVA_BYTE, at, (byte) 1);
                assertThrows(IllegalStateException.class, sweep::sweep, "byte " + at);
                read.segment().set(ValueLayout.JAVA_BYTE, at, (byte) 0);
            }
        }
    }

    @Test
    void withoutAKnownCacheOrMemoryForItThereIsNoSweep() throws IOException {
        int cpu = HostThread.allowed().getFirst();
        SyntheticMachine machine =
                new SyntheticMachine(folder).proc("self/status", "Cpus_allowed_list:\t" + cpu + "\n");
        assertTrue(sweepOf(machine).contains("last-level cache is not readable"));
        machine.cache(cpu, 3, 3, "Unified", "3072K", Integer.toString(cpu))
                .proc("meminfo", "MemTotal: 8000 kB\nMemAvailable: 4000 kB\n");
        assertTrue(sweepOf(machine).contains("sweeping the caches takes 12582912 bytes"));
    }

    private String sweepOf(SyntheticMachine machine) {
        try (Device device = CpuTestDevice.open(folder, 1, machine.roots())) {
            return device.cacheSweep() instanceof Availability.Unavailable<CacheSweep> no ? no.text() : "there is one";
        }
    }

    @Test
    void bytesThatDifferAreSeen() {
        try (BlockPool pool = new BlockPool(2)) {
            Bulk bulk = new Bulk(pool);
            var memory = java.lang.foreign.Arena.ofAuto().allocate((3L << 20) + 6);
            assertTrue(bulk.repeats(memory));
            memory.set(java.lang.foreign.ValueLayout.JAVA_BYTE, (3L << 20) + 1, (byte) 1);
            assertEquals(false, bulk.repeats(memory));
        }
    }
}
