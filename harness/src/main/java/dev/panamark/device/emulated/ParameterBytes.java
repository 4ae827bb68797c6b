package dev.panamark.device.emulated;

import dev.panamark.device.ArgumentLayout;
import dev.panamark.device.DeviceBuffer;
import dev.panamark.device.DeviceException;
import dev.panamark.kernel.Argument;
import dev.panamark.ptx.KernelInfo;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The parameters of a launch as the kernel lays them out. */
final class ParameterBytes {
    private final EmulatedDevice device;
    private final KernelInfo kernel;
    private final Map<String, DeviceBuffer> buffers;
    private final List<Long> pointedTo;
    private final Set<EmulatedBuffer> used = new LinkedHashSet<>();
    private final ByteBuffer bytes;

    /** {@code pointedTo} takes the allocations that arguments need beside the buffers. */
    ParameterBytes(EmulatedDevice device, KernelInfo kernel, Map<String, DeviceBuffer> buffers, List<Long> pointedTo) {
        this.device = device;
        this.kernel = kernel;
        this.buffers = buffers;
        this.pointedTo = pointedTo;
        this.bytes = ByteBuffer.allocate(kernel.parameterBytes()).order(ByteOrder.LITTLE_ENDIAN);
    }

    byte[] bytes() {
        return bytes.array();
    }

    /** Every buffer whose address is in them must be open. */
    void requireOpen() {
        used.forEach(EmulatedBuffer::requireOpen);
    }

    void put(int index, Argument argument) {
        KernelInfo.Parameter parameter = kernel.parameters().get(index);
        long size = ArgumentLayout.of(argument).size();
        if (size != parameter.bytes()) {
            throw new DeviceException("argument " + index + " of " + kernel.name() + " takes " + size
                    + " bytes, and the kernel's parameter " + parameter.name() + " (" + parameter.type() + ") has "
                    + parameter.bytes());
        }
        write(bytes, parameter.offset(), argument);
    }

    private void write(ByteBuffer to, int at, Argument argument) {
        switch (argument) {
            case Argument.BufferAddress a -> to.putLong(at, address(a.buffer()));
            case Argument.Scalar s -> {
                switch (s.bytes()) {
                    case 1 -> to.put(at, (byte) s.bits());
                    case 2 -> to.putShort(at, (short) s.bits());
                    case 4 -> to.putInt(at, (int) s.bits());
                    default -> to.putLong(at, s.bits());
                }
            }
            case Argument.Struct s -> {
                long next = at;
                for (Argument member : s.members()) {
                    ArgumentLayout layout = ArgumentLayout.of(member);
                    next = at + layout.place(next - at);
                    write(to, (int) next, member);
                    next += layout.size();
                }
            }
            case Argument.PointerTo p -> to.putLong(at, stored(p.target()));
            case Argument.TensorMapValue t ->
                throw new IllegalStateException("tensor map '" + t.name() + "' has no layout");
        }
    }

    private long stored(Argument target) {
        int size = (int) ArgumentLayout.of(target).size();
        ByteBuffer value = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
        write(value, 0, target);
        long address = device.memory().allocate(size);
        pointedTo.add(address);
        device.memory().at(address, size).copyFrom(MemorySegment.ofArray(value.array()));
        return address;
    }

    private long address(String name) {
        DeviceBuffer buffer = buffers.get(name);
        if (buffer == null) {
            throw new IllegalArgumentException(
                    "bind: the arguments name buffer '" + name + "'; given were " + buffers.keySet());
        }
        if (!(buffer instanceof EmulatedBuffer own) || own.device() != device) {
            throw new IllegalArgumentException("bind: buffer '" + name + "' is not memory of this device");
        }
        used.add(own);
        return own.address();
    }
}
