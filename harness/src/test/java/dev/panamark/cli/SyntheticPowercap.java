package dev.panamark.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * A folder that stands for /sys with a processor package of 40 W, of which its cores take 30 W, and memory of 10 W. A
 * thread advances the counters about each millisecond by the time that has really passed.
 */
final class SyntheticPowercap implements AutoCloseable {
    static final double PACKAGE_WATTS = 40;
    static final double MEMORY_WATTS = 10;
    static final double CORE_WATTS = 30;

    private final Path sys;
    private final Map<FileChannel, Double> counters = new LinkedHashMap<>();
    private final Thread thread;
    private volatile boolean closed;

    private SyntheticPowercap(Path sys) throws IOException {
        this.sys = sys;
        zone("intel-rapl:0", "package-0", PACKAGE_WATTS);
        zone("intel-rapl:0:0", "core", CORE_WATTS);
        zone("intel-rapl:0:1", "dram", MEMORY_WATTS);
        thread = Thread.ofPlatform().daemon().name("powercap").unstarted(this::advance);
    }

    /** Counters that run. */
    static SyntheticPowercap running(Path sys) throws IOException {
        SyntheticPowercap powercap = new SyntheticPowercap(sys);
        powercap.thread.start();
        return powercap;
    }

    /** Counters that stand still. */
    static SyntheticPowercap stuck(Path sys) throws IOException {
        return new SyntheticPowercap(sys);
    }

    Path sys() {
        return sys;
    }

    private void zone(String folder, String name, double watts) throws IOException {
        Path zone = Files.createDirectories(sys.resolve("class/powercap").resolve(folder));
        Files.writeString(zone.resolve("name"), name + "\n");
        Files.writeString(zone.resolve("max_energy_range_uj"), "262143328850\n");
        FileChannel counter =
                FileChannel.open(zone.resolve("energy_uj"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        show(counter, 0);
        counters.put(counter, watts);
    }

    /** As many digits each time, so that a reader never sees half of an old number behind a new one. */
    private static void show(FileChannel counter, double joules) {
        String text = String.format(Locale.ROOT, "%012d%n", Math.round(joules * 1e6));
        try {
            counter.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void advance() {
        long start = System.nanoTime();
        while (!closed) {
            double seconds = (System.nanoTime() - start) * 1e-9;
            counters.forEach((counter, watts) -> show(counter, watts * seconds));
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Override
    public void close() throws IOException {
        closed = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (FileChannel counter : counters.keySet()) {
            counter.close();
        }
    }
}
