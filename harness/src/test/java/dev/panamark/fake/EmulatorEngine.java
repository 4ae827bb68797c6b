package dev.panamark.fake;

import dev.panamark.ptx.DeviceMemory;
import dev.panamark.ptx.Extent;
import dev.panamark.ptx.KernelFault;
import dev.panamark.ptx.LaunchOptions;
import dev.panamark.ptx.LinkedModule;
import dev.panamark.ptx.PtxException;
import dev.panamark.ptx.PtxModule;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Runs what the fake driver launches. Its memory is the fake's file; the fake hands out all of its addresses. Nothing is
 * thrown into C: what fails becomes a status, and is kept for the test to see.
 */
@SuppressWarnings("restricted")
final class EmulatorEngine implements AutoCloseable {
    private static final int INVALID_PTX = 218; // values of cuda.h
    private static final int NO_BINARY_FOR_GPU = 209;
    private static final int ILLEGAL_ADDRESS = 700;
    private static final int LAUNCH_TIMEOUT = 702;
    private static final int MISALIGNED_ADDRESS = 716;
    private static final int LAUNCH_FAILED = 719;
    private static final int MOST_ALLOCATIONS = 1 << 16;
    private static final long LAUNCH_BYTES = 80; // fake_launch of fake.h, as are the offsets below

    private final Arena arena = Arena.ofShared();
    private final FakeCuda fake;
    private final DeviceMemory memory;
    private final MethodHandle place;
    private final Map<Long, LinkedModule> modules = new ConcurrentHashMap<>();
    private volatile @Nullable Throwable last;

    EmulatorEngine(FakeCuda fake, int device) throws Throwable {
        this.fake = fake;
        place = fake.handle(
                "fake_engine_place",
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG));
        int file = (int) fake.handle("fake_memory_file", FunctionDescriptor.of(ValueLayout.JAVA_INT))
                .invokeExact();
        long end = (long) fake.handle("fake_memory_end", FunctionDescriptor.of(ValueLayout.JAVA_LONG))
                .invokeExact();
        memory = DeviceMemory.over(Path.of("/proc/self/fd/" + file), end, new OfTheFake(fake, device));
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        register(
                stub(
                        lookup.bind(
                                this,
                                "load",
                                MethodType.methodType(
                                        int.class,
                                        long.class,
                                        int.class,
                                        MemorySegment.class,
                                        MemorySegment.class,
                                        long.class)),
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_LONG,
                                ValueLayout.JAVA_INT,
                                ValueLayout.ADDRESS,
                                ValueLayout.ADDRESS,
                                ValueLayout.JAVA_LONG)),
                stub(
                        lookup.bind(this, "launch", MethodType.methodType(int.class, MemorySegment.class)),
                        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS)));
    }

    private MemorySegment stub(MethodHandle target, FunctionDescriptor type) {
        return Linker.nativeLinker().upcallStub(target, type, arena);
    }

    private void register(MemorySegment loader, MemorySegment launcher) throws Throwable {
        fake.handle("fake_engine", FunctionDescriptor.ofVoid(ValueLayout.ADDRESS, ValueLayout.ADDRESS))
                .invokeExact(loader, launcher);
    }

    /** What failed last; null where nothing did. */
    @Nullable
    Throwable last() {
        return last;
    }

    /** A {@code fake_loader}. */
    int load(long module, int device, MemorySegment image, MemorySegment log, long logBytes) {
        try {
            LinkedModule old = modules.remove(module);
            if (image.address() == 0) {
                if (old != null) {
                    old.close();
                }
                return 0;
            }
            String text = image.reinterpret(Integer.MAX_VALUE).getString(0, StandardCharsets.ISO_8859_1);
            if (!text.contains(".version")) {
                return NO_BINARY_FOR_GPU;
            }
            LinkedModule linked = PtxModule.load("module", text).link(memory);
            try {
                place(module, linked);
            } catch (Throwable t) {
                linked.close();
                throw t;
            }
            modules.put(module, linked);
            return 0;
        } catch (PtxException e) {
            byte[] words = String.valueOf(e.getMessage()).getBytes(StandardCharsets.UTF_8);
            long length = Math.min(words.length, logBytes - 1);
            MemorySegment room = log.reinterpret(logBytes);
            MemorySegment.copy(words, 0, room, ValueLayout.JAVA_BYTE, 0, (int) length);
            room.set(ValueLayout.JAVA_BYTE, length, (byte) 0);
            return INVALID_PTX;
        } catch (Throwable t) {
            last = t;
            return LAUNCH_FAILED;
        }
    }

    private void place(long module, LinkedModule linked) throws Throwable {
        try (Arena call = Arena.ofConfined()) {
            for (Map.Entry<String, Long> variable : linked.variableAddresses().entrySet()) {
                int placed = (int)
                        place.invokeExact(module, call.allocateFrom(variable.getKey()), (long) variable.getValue());
                if (placed == 0) {
                    throw new IllegalStateException("the fake knows no variable " + variable.getKey());
                }
            }
        }
    }

    /** A {@code fake_launcher}. */
    int launch(MemorySegment address) {
        try {
            MemorySegment launch = address.reinterpret(LAUNCH_BYTES);
            LinkedModule module = modules.get(launch.get(ValueLayout.JAVA_LONG, 0));
            if (module == null) {
                throw new IllegalStateException("a launch of a module that was not loaded");
            }
            String kernel = launch.get(ValueLayout.ADDRESS, 8)
                    .reinterpret(Integer.MAX_VALUE)
                    .getString(0);
            int bytes = launch.get(ValueLayout.JAVA_INT, 64);
            byte[] parameters =
                    launch.get(ValueLayout.ADDRESS, 72).reinterpret(bytes).toArray(ValueLayout.JAVA_BYTE);
            memory.refresh();
            module.launch(
                    kernel,
                    extent(launch, 16),
                    extent(launch, 28),
                    launch.get(ValueLayout.JAVA_INT, 52),
                    parameters,
                    LaunchOptions.plain());
            return 0;
        } catch (KernelFault fault) {
            last = fault;
            return switch (fault.kind()) {
                case OUT_OF_BOUNDS -> ILLEGAL_ADDRESS;
                case MISALIGNED -> MISALIGNED_ADDRESS;
                case BUDGET, DEADLINE -> LAUNCH_TIMEOUT;
                default -> LAUNCH_FAILED;
            };
        } catch (Throwable t) {
            last = t;
            return LAUNCH_FAILED;
        }
    }

    private static Extent extent(MemorySegment launch, long at) {
        return new Extent(
                launch.get(ValueLayout.JAVA_INT, at),
                launch.get(ValueLayout.JAVA_INT, at + 4),
                launch.get(ValueLayout.JAVA_INT, at + 8));
    }

    @Override
    public void close() {
        try {
            register(MemorySegment.NULL, MemorySegment.NULL);
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
        memory.close();
        arena.close();
    }

    /** Addresses of a fake device. */
    private static final class OfTheFake implements DeviceMemory.Allocator {
        private final int device;
        private final MethodHandle allocate;
        private final MethodHandle free;
        private final MethodHandle ranges;
        private final MemorySegment room = Arena.ofAuto().allocate(16L * MOST_ALLOCATIONS, 8);

        OfTheFake(FakeCuda fake, int device) {
            this.device = device;
            allocate = fake.handle(
                    "fake_engine_allocate",
                    FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG));
            free = fake.handle("fake_engine_free", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG));
            ranges = fake.handle(
                    "fake_allocations",
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG));
        }

        @Override
        public OptionalLong allocate(long bytes) {
            try {
                long address = (long) allocate.invokeExact(device, bytes);
                return address == 0 ? OptionalLong.empty() : OptionalLong.of(address);
            } catch (Throwable t) {
                throw new IllegalStateException(t);
            }
        }

        @Override
        public void free(long address) {
            try {
                int was = (int) free.invokeExact(address);
                if (was == 0) {
                    throw new IllegalArgumentException("no allocation begins at 0x" + Long.toHexString(address));
                }
            } catch (RuntimeException e) {
                throw e;
            } catch (Throwable t) {
                throw new IllegalStateException(t);
            }
        }

        @Override
        public synchronized Map<Long, Long> ranges() {
            try {
                long count = (long) ranges.invokeExact(device, room, (long) MOST_ALLOCATIONS);
                if (count > MOST_ALLOCATIONS) {
                    throw new IllegalStateException("the fake device has " + count
                            + " allocations, and there is room for " + MOST_ALLOCATIONS + "; raise MOST_ALLOCATIONS");
                }
                Map<Long, Long> found = new TreeMap<>();
                for (long i = 0; i < count; i++) {
                    found.put(
                            room.getAtIndex(ValueLayout.JAVA_LONG, 2 * i),
                            room.getAtIndex(ValueLayout.JAVA_LONG, 2 * i + 1));
                }
                return found;
            } catch (RuntimeException e) {
                throw e;
            } catch (Throwable t) {
                throw new IllegalStateException(t);
            }
        }
    }
}
