package dev.panamark.ptx;

import dev.panamark.ptx.ir.HostVariable;
import dev.panamark.ptx.ir.KernelCode;
import dev.panamark.ptx.runtime.Executor;
import dev.panamark.ptx.runtime.Grid;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A module with its variables in a memory. Threads may launch at the same time. */
public final class LinkedModule implements AutoCloseable {
    private static final int MOST_THREADS = 1024;
    /** Bytes that a cooperative grid keeps for its barrier. */
    private static final int WORKSPACE = 256;

    private static final int MOST_SHARED = 1 << 24;

    private final PtxModule module;
    private final DeviceMemory memory;
    private final long[] addresses;
    private boolean open = true;

    private LinkedModule(PtxModule module, DeviceMemory memory, long[] addresses) {
        this.module = module;
        this.memory = memory;
        this.addresses = addresses;
    }

    static LinkedModule link(PtxModule module, DeviceMemory memory) {
        List<HostVariable> variables = module.variables();
        long[] addresses = new long[variables.size()];
        int placed = 0;
        try {
            for (; placed < addresses.length; placed++) {
                addresses[placed] = memory.allocate(variables.get(placed).bytes());
            }
        } catch (OutOfDeviceMemory e) {
            for (int i = 0; i < placed; i++) {
                memory.free(addresses[i]);
            }
            throw e;
        }
        for (int i = 0; i < addresses.length; i++) {
            fill(
                    variables.get(i),
                    addresses,
                    memory.all().asSlice(addresses[i], variables.get(i).bytes()));
        }
        return new LinkedModule(module, memory, addresses);
    }

    private static void fill(HostVariable variable, long[] addresses, MemorySegment at) {
        at.fill((byte) 0);
        MemorySegment.copy(variable.image(), 0, at, ValueLayout.JAVA_BYTE, 0, variable.image().length);
        for (HostVariable.Reference reference : variable.references()) {
            long address = addresses[reference.variable()] + reference.offset();
            if (reference.width() == 8) {
                at.set(ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN), reference.at(), address);
            } else {
                at.set(ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN), reference.at(), (int)
                        address);
            }
        }
    }

    /**
     * The bytes of a variable of the module.
     *
     * @throws IllegalArgumentException where it has none of that name
     */
    public MemorySegment variable(String name) {
        for (int i = 0; i < addresses.length; i++) {
            HostVariable variable = module.variables().get(i);
            if (variable.name().equals(name)) {
                return memory.at(addresses[i], variable.bytes());
            }
        }
        throw new IllegalArgumentException(module.source() + " has no variable " + name);
    }

    /** Where each variable of the module begins, by name. */
    public Map<String, Long> variableAddresses() {
        Map<String, Long> found = new LinkedHashMap<>();
        for (int i = 0; i < addresses.length; i++) {
            found.put(module.variables().get(i).name(), addresses[i]);
        }
        return found;
    }

    /**
     * Runs a kernel to its end on the calling thread and, if asked for, others.
     *
     * @param dynamicSharedBytes beside what the kernel declares
     * @param parameters laid out as {@link KernelInfo#parameters} says; {@link Parameters} builds them
     * @throws IllegalArgumentException for a shape or size that the kernel cannot have
     * @throws KernelFault where the kernel did something wrong or a limit was reached
     */
    public Counts launch(
            String kernel,
            Extent grid,
            Extent block,
            int dynamicSharedBytes,
            byte[] parameters,
            LaunchOptions options) {
        KernelInfo info = module.kernel(kernel);
        check(info, grid, block, dynamicSharedBytes, parameters);
        Engines engines = module.engines(kernel);
        KernelCode code = engines.code();
        boolean counting = options.counting() || options.checker() != null;
        Executor executor = engines.of(options.engine(), counting, options.checker() != null);
        long count = grid.count();
        List<Long> blocks = options.blocks();
        for (long index : blocks) {
            if (index < 0 || index >= count) {
                throw new IllegalArgumentException(
                        "block " + index + " of a grid of " + count + " blocks; expected 0 to " + (count - 1));
            }
        }
        long workspace = memory.allocate(WORKSPACE);
        try {
            memory.at(workspace, WORKSPACE).fill((byte) 0);
            Grid launch = new Grid(
                    code,
                    executor,
                    engines.interpreter(),
                    memory,
                    addresses,
                    parameters,
                    grid,
                    block,
                    dynamicSharedBytes,
                    options.multiprocessors(),
                    workspace,
                    options.printing(),
                    options.checker(),
                    new Grid.Limits(options.instructions(), System.nanoTime() + nanos(options)));
            return launch.run(
                    blocks.isEmpty() ? count : blocks.size(),
                    i -> blocks.isEmpty() ? i : blocks.get((int) i),
                    options.threads(),
                    counting,
                    options.pairing());
        } finally {
            memory.free(workspace);
        }
    }

    private static long nanos(LaunchOptions options) {
        try {
            return Math.min(options.time().toNanos(), Long.MAX_VALUE / 4);
        } catch (ArithmeticException e) {
            return Long.MAX_VALUE / 4;
        }
    }

    private static void check(KernelInfo info, Extent grid, Extent block, int dynamicShared, byte[] parameters) {
        String launch = "launch of " + info.name() + ": ";
        if (grid.x() < 1 || grid.y() < 1 || grid.z() < 1 || grid.y() > 65535 || grid.z() > 65535) {
            throw new IllegalArgumentException(
                    launch + "grid " + grid + "; expected 1 or more, at most 65535 in y and z");
        }
        if (block.x() < 1 || block.y() < 1 || block.z() < 1 || block.z() > 64 || block.count() > MOST_THREADS) {
            throw new IllegalArgumentException(
                    launch + "block " + block + "; expected 1 to " + MOST_THREADS + " threads, at most 64 in z");
        }
        if (block.count() > info.maxThreads()) {
            throw new IllegalArgumentException(
                    launch + "block " + block + "; the kernel was compiled for at most " + info.maxThreads());
        }
        if (info.requiredThreads() != null && !info.requiredThreads().equals(block)) {
            throw new IllegalArgumentException(
                    launch + "block " + block + "; the kernel was compiled for " + info.requiredThreads());
        }
        if (dynamicShared < 0 || dynamicShared + (long) info.sharedBytes() > MOST_SHARED) {
            throw new IllegalArgumentException(launch + dynamicShared + " bytes of dynamic shared memory beside "
                    + info.sharedBytes() + "; expected 0 to " + MOST_SHARED + " together");
        }
        if (parameters.length != info.parameterBytes()) {
            throw new IllegalArgumentException(
                    launch + parameters.length + " bytes of parameters; expected " + info.parameterBytes());
        }
    }

    /** Gives the room of the module's variables back. */
    @Override
    public synchronized void close() {
        if (open) {
            open = false;
            for (long address : addresses) {
                memory.free(address);
            }
        }
    }
}
