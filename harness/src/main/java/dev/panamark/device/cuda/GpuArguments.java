package dev.panamark.device.cuda;

import dev.panamark.device.ArgumentLayout;
import dev.panamark.device.DeviceBuffer;
import dev.panamark.device.DeviceException;
import dev.panamark.driver.cuda.CudaDriver;
import dev.panamark.driver.cuda.CudaFunction;
import dev.panamark.driver.cuda.CudaKernel;
import dev.panamark.driver.cuda.CudaMemory;
import dev.panamark.driver.launch.KernelArguments;
import dev.panamark.ffi.Availability;
import dev.panamark.kernel.Argument;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The arguments of a kernel, with the addresses of the buffers that they name. */
final class GpuArguments {
    private final CudaGpu gpu;
    private final Map<String, DeviceBuffer> buffers;
    private final List<CudaMemory> pointedTo;
    private final Set<GpuBuffer> used = new LinkedHashSet<>();
    private final List<ArgumentLayout> layouts = new ArrayList<>();
    private final KernelArguments arguments;
    private final GpuBuffer[] open;

    /** {@code pointedTo} takes the memory that arguments need beside the buffers. */
    GpuArguments(CudaGpu gpu, List<Argument> args, Map<String, DeviceBuffer> buffers, List<CudaMemory> pointedTo) {
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

    KernelArguments values() {
        return arguments;
    }

    /** Every buffer whose address is in them must be open. */
    void requireOpen() {
        for (GpuBuffer buffer : open) {
            buffer.requireOpen();
        }
    }

    /** Refuses them where the kernel takes others, as far as the driver tells; it would read past them. */
    void requireFor(CudaKernel kernel, CudaDriver driver) {
        if (!(driver.has(CudaFunction.FUNC_GET_PARAM_INFO) instanceof Availability.Available<CudaFunction>)) {
            return;
        }
        int taken = 0;
        for (Optional<CudaKernel.Parameter> p = kernel.parameter(0); p.isPresent(); p = kernel.parameter(taken)) {
            if (taken < layouts.size() && layouts.get(taken).size() != p.get().bytes()) {
                throw new DeviceException("argument " + taken + " of " + kernel.name() + " takes "
                        + layouts.get(taken).size() + " bytes, and the kernel's parameter has "
                        + p.get().bytes());
            }
            taken++;
        }
        if (taken != layouts.size()) {
            throw new DeviceException(
                    "kernel " + kernel.name() + " takes " + taken + " arguments, not " + layouts.size());
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
        CudaMemory memory = gpu.memory("what an argument points to", size);
        pointedTo.add(memory);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(size, 16);
            write(value, 0, target);
            gpu.waiting(stream -> stream.upload(memory, 0, value));
        }
        return memory.address();
    }

    private long address(String name) {
        DeviceBuffer buffer = buffers.get(name);
        if (buffer == null) {
            throw new IllegalArgumentException(
                    "bind: the arguments name buffer '" + name + "'; given were " + buffers.keySet());
        }
        if (!(buffer instanceof GpuBuffer own) || own.gpu() != gpu) {
            throw new IllegalArgumentException("bind: buffer '" + name + "' is not memory of this device");
        }
        used.add(own);
        return own.address();
    }
}
