package dev.panamark.device.cpu;

import dev.panamark.device.ArgumentLayout;
import dev.panamark.device.DeviceBuffer;
import dev.panamark.kernel.Argument;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * {@code void **args}: first the addresses of the values, then the values, then what pointers among them point to, in
 * one piece of native memory that lives as long as something refers to it.
 */
final class ArgumentBlock {
    private static final long VALUE_ALIGNMENT = 16;

    private final Map<String, DeviceBuffer> buffers;
    private final CpuDevice device;
    private final Set<CpuBuffer> used = new LinkedHashSet<>();
    private final MemorySegment block;
    private long free;

    ArgumentBlock(CpuDevice device, List<Argument> args, Map<String, DeviceBuffer> buffers) {
        this.device = device;
        this.buffers = buffers;
        long addresses = Math.max(1, args.size()) * ValueLayout.ADDRESS.byteSize();
        long size = addresses;
        for (Argument arg : args) {
            size += room(arg);
        }
        // An automatic arena: passing it to C costs nothing, and a kernel that never ends cannot lose it.
        block = Arena.ofAuto().allocate(size, 64);
        free = addresses;
        for (int i = 0; i < args.size(); i++) {
            MemorySegment value = reserve(args.get(i));
            block.setAtIndex(ValueLayout.ADDRESS, i, value);
            write(value, args.get(i));
        }
    }

    MemorySegment segment() {
        return block;
    }

    /** The buffers whose addresses are in it. */
    List<CpuBuffer> buffers() {
        return new ArrayList<>(used);
    }

    /** Bytes that a value takes here at most, with what it points to. */
    private static long room(Argument argument) {
        long own = ArgumentLayout.of(argument).size() + VALUE_ALIGNMENT;
        return own + pointedTo(argument);
    }

    private static long pointedTo(Argument argument) {
        return switch (argument) {
            case Argument.PointerTo p -> room(p.target());
            case Argument.Struct s ->
                s.members().stream().mapToLong(ArgumentBlock::pointedTo).sum();
            case Argument.BufferAddress a -> 0;
            case Argument.Scalar s -> 0;
            case Argument.TensorMapValue t -> 0;
        };
    }

    private MemorySegment reserve(Argument argument) {
        long at = ArgumentLayout.align(free, VALUE_ALIGNMENT);
        long size = ArgumentLayout.of(argument).size();
        free = at + size;
        return block.asSlice(at, size);
    }

    private void write(MemorySegment to, Argument argument) {
        switch (argument) {
            case Argument.BufferAddress a ->
                to.set(ValueLayout.ADDRESS, 0, buffer(a.buffer()).data());
            case Argument.Scalar s -> {
                switch (s.bytes()) {
                    case 1 -> to.set(ValueLayout.JAVA_BYTE, 0, (byte) s.bits());
                    case 2 -> to.set(ValueLayout.JAVA_SHORT, 0, (short) s.bits());
                    case 4 -> to.set(ValueLayout.JAVA_INT, 0, (int) s.bits());
                    default -> to.set(ValueLayout.JAVA_LONG, 0, s.bits());
                }
            }
            case Argument.Struct s -> {
                long at = 0;
                for (Argument member : s.members()) {
                    ArgumentLayout layout = ArgumentLayout.of(member);
                    at = layout.place(at);
                    write(to.asSlice(at, layout.size()), member);
                    at += layout.size();
                }
            }
            case Argument.PointerTo p -> {
                MemorySegment target = reserve(p.target());
                to.set(ValueLayout.ADDRESS, 0, target);
                write(target, p.target());
            }
            case Argument.TensorMapValue t ->
                throw new IllegalStateException("tensor map '" + t.name() + "' has no layout");
        }
    }

    private CpuBuffer buffer(String name) {
        DeviceBuffer buffer = buffers.get(name);
        if (buffer == null) {
            throw new IllegalArgumentException(
                    "bind: the arguments name buffer '" + name + "'; given were " + buffers.keySet());
        }
        if (!(buffer instanceof CpuBuffer cpu) || cpu.device() != device) {
            throw new IllegalArgumentException("bind: buffer '" + name + "' is not memory of this device");
        }
        used.add(cpu);
        return cpu;
    }
}
