package dev.panamark.ptx;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A module on a memory of its own, and buffers on it. */
final class Run implements AutoCloseable {
    private static final Path FOLDER = Path.of(System.getProperty("java.io.tmpdir"));

    final PtxModule module;
    final DeviceMemory memory;
    final LinkedModule linked;
    private final List<long[]> buffers = new ArrayList<>();

    Run(String source, String text) {
        module = PtxModule.load(source, text);
        memory = DeviceMemory.create(1 << 28, FOLDER);
        linked = module.link(memory);
    }

    long buffer(long bytes) {
        long at = memory.allocate(bytes);
        memory.at(at, bytes).fill((byte) 0);
        buffers.add(new long[] {at, bytes});
        return at;
    }

    long buffer(float[] values) {
        long at = buffer(4L * values.length);
        MemorySegment.copy(
                values, 0, memory.at(at, 4L * values.length), ValueLayout.JAVA_FLOAT_UNALIGNED, 0, values.length);
        return at;
    }

    long buffer(int[] values) {
        long at = buffer(4L * values.length);
        MemorySegment.copy(
                values, 0, memory.at(at, 4L * values.length), ValueLayout.JAVA_INT_UNALIGNED, 0, values.length);
        return at;
    }

    long buffer(byte[] values) {
        long at = buffer((long) values.length);
        MemorySegment.copy(values, 0, memory.at(at, values.length), ValueLayout.JAVA_BYTE, 0, values.length);
        return at;
    }

    float[] floats(long at, int count) {
        return memory.at(at, 4L * count).toArray(ValueLayout.JAVA_FLOAT_UNALIGNED);
    }

    int[] ints(long at, int count) {
        return memory.at(at, 4L * count).toArray(ValueLayout.JAVA_INT_UNALIGNED);
    }

    /** All buffers, one after the other. */
    List<byte[]> contents() {
        return buffers.stream()
                .map(b -> memory.at(b[0], b[1]).toArray(ValueLayout.JAVA_BYTE))
                .toList();
    }

    /** A launch with pointers only. */
    Counts launch(String kernel, Extent grid, Extent block, LaunchOptions options, long... pointers) {
        Parameters parameters = Parameters.of(module.kernel(kernel));
        for (long pointer : pointers) {
            parameters.add(pointer);
        }
        return linked.launch(kernel, grid, block, 0, parameters.bytes(), options);
    }

    @Override
    public void close() {
        linked.close();
        memory.close();
    }
}
