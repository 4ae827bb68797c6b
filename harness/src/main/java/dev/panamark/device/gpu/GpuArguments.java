package dev.panamark.device.gpu;

import dev.panamark.device.ArgumentLayout;
import dev.panamark.device.DeviceBuffer;
import dev.panamark.device.DeviceException;
import dev.panamark.driver.launch.KernelArguments;
import dev.panamark.kernel.Argument;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The arguments of a kernel, with the addresses of the buffers that they name. */
public final class GpuArguments {
    private final Gpu gpu;
    private final Map<String, DeviceBuffer> buffers;
    private final List<GpuMemory> pointedTo;
    private final Set<GpuBuffer> used = new LinkedHashSet<>();
    private final List<ArgumentLayout> layouts = new ArrayList<>();
    private final KernelArguments arguments;
    private final GpuBuffer[] open;

    /**
     * Arguments of launches on a GPU.
     *
     * @param pointedTo takes the memory that arguments need beside the buffers
     */
    public GpuArguments(Gpu gpu, List<Argument> args, Map<String, DeviceBuffer> buffers, List<GpuMemory> pointedTo) {
        this.gpu = gpu;
        this.buffers = buffers;
        this.pointedTo = pointedTo;
        long[] offsets = new long[args.size()];
        long bytes = 0;
        for (int i = 0; i < offsets.length; i++) {
            ArgumentLayout layout = ArgumentLayout.of(args.get(i));
            layouts.add(layout);
            offsets[i] = layout.place(bytes);
            bytes = offsets[i] + layout.size();
        }
        this.arguments = new KernelArguments(bytes, offsets);
        for (int i = 0; i < offsets.length; i++) {
            write(arguments.values(), offsets[i], args.get(i));
        }
        this.open = used.toArray(GpuBuffer[]::new);
    }

    /** For the wrappers of drivers. */
    public KernelArguments values() {
        return arguments;
    }

    /** Every buffer whose address is in them must be open. */
    public void requireOpen() {
        for (GpuBuffer buffer : open) {
            buffer.requireOpen();
        }
    }

    /**
     * Refuses them where the kernel takes others; it would read past them.
     *
     * @param kernel its name
     * @param sizes of its parameters in bytes
     */
    public void requireSizes(String kernel, List<Long> sizes) {
        for (int i = 0; i < Math.min(sizes.size(), layouts.size()); i++) {
            if (layouts.get(i).size() != sizes.get(i)) {
                throw new DeviceException("argument " + i + " of " + kernel + " takes "
                        + layouts.get(i).size() + " bytes, and the kernel's parameter has " + sizes.get(i));
            }
        }
        if (sizes.size() != layouts.size()) {
            throw new DeviceException(
                    "kernel " + kernel + " takes " + sizes.size() + " arguments, not " + layouts.size());
        }
    }

    private void write(MemorySegment to, long at, Argument argument) {
        switch (argument) {
            case Argument.BufferAddress a -> to.set(ValueLayout.JAVA_LONG, at, address(a.buffer()));
            case Argument.Scalar s -> {
                switch (s.bytes()) {
                    case 1 -> to.set(ValueLayout.JAVA_BYTE, at, (byte) s.bits());
                    case 2 -> to.set(ValueLayout.JAVA_SHORT, at, (short) s.bits());
                    case 4 -> to.set(ValueLayout.JAVA_INT, at, (int) s.bits());
                    default -> to.set(ValueLayout.JAVA_LONG, at, s.bits());
                }
            }
            case Argument.Struct s -> {
                long next = at;
                for (Argument member : s.members()) {
                    ArgumentLayout layout = ArgumentLayout.of(member);
                    next = at + layout.place(next - at);
                    write(to, next, member);
                    next += layout.size();
                }
            }
            case Argument.PointerTo p -> to.set(ValueLayout.JAVA_LONG, at, stored(p.target()));
            case Argument.TensorMapValue t ->
                throw new IllegalStateException("tensor map '" + t.name() + "' has no layout");
        }
    }

    private long stored(Argument target) {
        long size = ArgumentLayout.of(target).size();
        GpuMemory memory = gpu.memory("what an argument points to", size);
        pointedTo.add(memory);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(size, 16);
            write(value, 0, target);
            gpu.waiting(() -> memory.upload(0, value));
        }
        return memory.address();
    }

    private long address(String name) {
        DeviceBuffer buffer = buffers.get(name);
        if (buffer == null) {
            throw new IllegalArgumentException(
                    "bind: the arguments name buffer '" + name + "'; given were " + buffers.keySet());
        }
        if (!(buffer instanceof GpuBuffer own) || !own.gpu().equals(gpu)) {
            throw new IllegalArgumentException("bind: buffer '" + name + "' is not memory of this device");
        }
        used.add(own);
        return own.address();
    }
}
