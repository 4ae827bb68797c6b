package dev.panamark.ptx;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The memory of an emulated device: a sparse file that is gone when the program ends, so that only what is touched
 * takes room. Addresses are those that kernels see. Between allocations there is a gap as large as the one before it, of 4
 * KiB at least and 1 MiB at most, so that a step over an end is seen. Threads may allocate and free at the same time; what they write is theirs to order.
 */
public final class DeviceMemory implements AutoCloseable {
    /** Addresses below are windows to shared and local memory and parameters, and null. */
    public static final long LOWEST = 1L << 30;

    private static final long LEAST_GAP = 4L << 10;
    private static final long MOST_GAP = 1L << 20;

    /** Every allocation begins at a multiple of it. */
    public static final long ALIGNMENT = 256;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment segment;
    private final @Nullable Allocator allocator;
    private final TreeMap<Long, Allocation> allocations = new TreeMap<>();

    /** What was allocated here under a name, where somebody else hands out addresses. */
    private final Map<Long, Allocation> names = new HashMap<>();

    private volatile Bounds bounds = new Bounds(new long[0], new long[0], List.of());

    private record Allocation(long end, String name) {}

    /** Who hands out addresses where the memory is somebody else's. Threads may call it at the same time. */
    public interface Allocator {
        /** The address of {@code bytes}, a multiple of 256; empty where there is no room. */
        OptionalLong allocate(long bytes);

        /** Gives an allocation back. */
        void free(long address);

        /** The start of each allocation that there is, and the end. */
        Map<Long, Long> ranges();
    }

    /** Allocations in order, for lookups without a lock. */
    private static final class Bounds {
        private final long[] starts;
        private final long[] ends;
        private final List<String> names;

        Bounds(long[] starts, long[] ends, List<String> names) {
            this.starts = starts;
            this.ends = ends;
            this.names = names;
        }

        /** Which allocation, for messages. */
        String name(int at) {
            String size = (ends[at] - starts[at]) + " bytes";
            return names.get(at).isEmpty()
                    ? "the allocation of " + size + " at 0x" + Long.toHexString(starts[at])
                    : "'" + names.get(at) + "' of " + size;
        }

        long[] starts() {
            return starts;
        }

        long[] ends() {
            return ends;
        }
    }

    private DeviceMemory(FileChannel channel, long end, @Nullable Allocator allocator) throws IOException {
        this.allocator = allocator;
        try {
            segment = channel.map(FileChannel.MapMode.READ_WRITE, 0, end, arena);
        } catch (IOException | RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    /**
     * Memory of {@code bytes}, in a file below {@code folder}.
     *
     * @throws UncheckedIOException where no file can be made or mapped there
     */
    public static DeviceMemory create(long bytes, Path folder) {
        if (bytes < 1) {
            throw new IllegalArgumentException("bytes is " + bytes + "; expected at least 1");
        }
        try {
            Path file = Files.createTempFile(folder, "device", ".memory");
            Files.delete(file);
            try (FileChannel channel = FileChannel.open(
                    file,
                    StandardOpenOption.CREATE_NEW,
                    StandardOpenOption.SPARSE,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.DELETE_ON_CLOSE)) {
                return new DeviceMemory(channel, LOWEST + bytes, null);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot map " + bytes + " bytes of device memory below " + folder, e);
        }
    }

    /**
     * Memory that somebody else hands out, in a file in which an address is an offset. {@link #refresh} tells it what was
     * handed out since.
     *
     * @param end bytes of the file: one more than the highest address, and more than {@link #LOWEST}
     * @throws UncheckedIOException where it cannot be mapped
     */
    public static DeviceMemory over(Path file, long end, Allocator allocator) {
        if (end <= LOWEST) {
            throw new IllegalArgumentException("end is " + end + "; expected more than " + LOWEST);
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            DeviceMemory memory = new DeviceMemory(channel, end, allocator);
            memory.refresh();
            return memory;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot map " + end + " bytes of device memory of " + file, e);
        }
    }

    /** Takes over what its allocator has handed out and taken back; nothing where it hands out memory itself. */
    public synchronized void refresh() {
        if (allocator != null) {
            Map<Long, Long> ranges = allocator.ranges();
            // A name is that of what was allocated here, not of what somebody else put in its place since.
            names.entrySet().removeIf(named -> named.getValue().end() != ranges.getOrDefault(named.getKey(), -1L));
            allocations.clear();
            ranges.forEach((start, end) -> allocations.put(start, names.getOrDefault(start, new Allocation(end, ""))));
            publish();
        }
    }

    /** Capacity in bytes, gaps and all. */
    public long bytes() {
        return segment.byteSize() - LOWEST;
    }

    /**
     * The address of {@code bytes} that hold anything; a multiple of 256.
     *
     * @throws IllegalArgumentException for a negative size
     * @throws OutOfDeviceMemory where no gap is large enough
     */
    public long allocate(long bytes) {
        return allocate(bytes, "");
    }

    /**
     * The same for something that has a name.
     *
     * @param name for messages
     */
    public synchronized long allocate(long bytes, String name) {
        if (bytes < 0) {
            throw new IllegalArgumentException("bytes is " + bytes + "; expected 0 or more");
        }
        if (allocator != null) {
            long found = allocator.allocate(bytes).orElseThrow(() -> new OutOfDeviceMemory(bytes, bytes()));
            if (!name.isEmpty()) {
                names.put(found, new Allocation(found + bytes, name));
            }
            refresh();
            return found;
        }
        long at = LOWEST;
        for (Map.Entry<Long, Allocation> used : allocations.entrySet()) {
            if (used.getKey() - at >= bytes + gap(bytes)) {
                break;
            }
            long end = used.getValue().end();
            at = (end + gap(end - used.getKey()) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        }
        if (segment.byteSize() - at < bytes) {
            throw new OutOfDeviceMemory(bytes, bytes());
        }
        allocations.put(at, new Allocation(at + bytes, name));
        publish();
        return at;
    }

    private static long gap(long bytes) {
        return Math.clamp(bytes, LEAST_GAP, MOST_GAP);
    }

    /**
     * Gives an allocation back.
     *
     * @throws IllegalArgumentException where none begins at {@code address}
     */
    public synchronized void free(long address) {
        if (allocator != null) {
            allocator.free(address);
            names.remove(address);
            refresh();
            return;
        }
        if (allocations.remove(address) == null) {
            throw new IllegalArgumentException(
                    "free of 0x" + Long.toHexString(address) + ", where no allocation begins");
        }
        publish();
    }

    private void publish() {
        bounds = new Bounds(
                allocations.keySet().stream().mapToLong(Long::longValue).toArray(),
                allocations.values().stream().mapToLong(Allocation::end).toArray(),
                allocations.values().stream().map(Allocation::name).toList());
    }

    /** A view of bytes of one allocation, for the host to read and write. */
    public MemorySegment at(long address, long bytes) {
        long[] found = allocation(address);
        if (found.length == 0 || bytes < 0 || bytes > found[1] - address) {
            throw new IllegalArgumentException("0x" + Long.toHexString(address) + " and " + bytes
                    + " bytes from there; expected part of one allocation");
        }
        return segment.asSlice(address, bytes);
    }

    /** Start and end of the allocation that holds an address; empty where none does. */
    public long[] allocation(long address) {
        Bounds now = bounds;
        int at = floor(now.starts(), address);
        return at >= 0 && address < now.ends()[at] ? new long[] {now.starts()[at], now.ends()[at]} : new long[0];
    }

    /** What lies around an address that no allocation holds, for messages. */
    public String neighbours(long address) {
        Bounds now = bounds;
        int at = floor(now.starts(), address);
        if (at >= 0) {
            long over = address - now.ends()[at];
            boolean isNext = at + 1 < now.starts().length && now.starts()[at + 1] - address < over;
            return isNext
                    ? now.starts()[at + 1] - address + " bytes before " + now.name(at + 1)
                    : over + " bytes after the end of " + now.name(at);
        }
        return now.starts().length > 0
                ? now.starts()[0] - address + " bytes before " + now.name(0)
                : "nothing is allocated";
    }

    /** Where in its allocation an address is, for messages; empty where none holds it. */
    public String within(long address) {
        Bounds now = bounds;
        int at = floor(now.starts(), address);
        return at >= 0 && address < now.ends()[at]
                ? "byte " + (address - now.starts()[at]) + " of " + now.name(at)
                : "";
    }

    private static int floor(long[] sorted, long value) {
        int low = 0;
        int high = sorted.length - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (sorted[middle] <= value) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high;
    }

    /** All of the memory; an address is an offset in it. Bounds of allocations are the caller's to keep. */
    public MemorySegment all() {
        return segment;
    }

    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
