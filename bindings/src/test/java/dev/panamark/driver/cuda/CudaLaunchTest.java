package dev.panamark.driver.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.panamark.driver.launch.KernelArguments;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CudaLaunchTest {
    private static final String H100 = "device h100-sxm\nkernel scale regs 40 local 8\n";

    /** What the fake hands on: sizes and offsets are those of fake_launch in fake.h. */
    @SuppressWarnings("restricted")
    static final class Seen {
        private static final long BYTES = 80;

        private final List<String> launches = new ArrayList<>();
        private int status;

        int launched(MemorySegment address) {
            MemorySegment launch = address.reinterpret(BYTES);
            StringBuilder text = new StringBuilder(
                    launch.get(ValueLayout.ADDRESS, 8).reinterpret(256).getString(0));
            for (int at = 16; at < 52; at += 4) {
                text.append(' ').append(launch.get(ValueLayout.JAVA_INT, at));
            }
            text.append(" shared=").append(launch.get(ValueLayout.JAVA_INT, 52));
            text.append(" cooperative=").append(launch.get(ValueLayout.JAVA_INT, 56));
            int bytes = launch.get(ValueLayout.JAVA_INT, 64);
            MemorySegment parameters = launch.get(ValueLayout.ADDRESS, 72).reinterpret(bytes);
            text.append(" parameters=").append(bytes);
            for (int at = 0; at < bytes; at += 8) {
                text.append(' ').append(Long.toHexString(parameters.get(ValueLayout.JAVA_LONG_UNALIGNED, at)));
            }
            launches.add(text.toString());
            return status;
        }

        MemorySegment stub(Arena arena) {
            try {
                return Linker.nativeLinker()
                        .upcallStub(
                                MethodHandles.lookup()
                                        .bind(this, "launched", MethodType.methodType(int.class, MemorySegment.class)),
                                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS),
                                arena);
            } catch (ReflectiveOperationException e) {
                throw new LinkageError("launched", e);
            }
        }
    }

    private static Seen seen(Bench bench, Arena arena) {
        Seen seen = new Seen();
        bench.fake().engine(MemorySegment.NULL, seen.stub(arena));
        return seen;
    }

    @Test
    void aLaunchCarriesItsSizesAndItsArgumentsOfThatMoment() {
        Bench bench = new Bench(FakeDriver.current(), H100);
        try (Arena arena = Arena.ofConfined()) {
            Seen seen = seen(bench, arena);
            KernelArguments arguments = bench.arguments();
            CudaLaunch launch = CudaLaunch.prepare(bench.kernel(), bench.stream(), Bench.shape(), arguments);
            launch.launch();
            arguments.values().set(ValueLayout.JAVA_INT, 8, 78);
            launch.launch();
            String address = Long.toHexString(bench.memory().address());
            assertEquals(
                    List.of(
                            "scale 3 2 1 64 1 1 0 0 0 shared=128 cooperative=0 parameters=32 " + address
                                    + " 4d 1122334455667788 ffffffffffffffff",
                            "scale 3 2 1 64 1 1 0 0 0 shared=128 cooperative=0 parameters=32 " + address
                                    + " 4e 1122334455667788 ffffffffffffffff"),
                    seen.launches);
        } finally {
            bench.fake().engine(MemorySegment.NULL, MemorySegment.NULL);
        }
    }

    @Test
    void clustersAndCooperationArrive() {
        Bench bench = new Bench(FakeDriver.current(), H100);
        try (Arena arena = Arena.ofConfined()) {
            Seen seen = seen(bench, arena);
            bench.launch(Bench.clusters()).launch();
            bench.launch(Bench.cooperative()).launch();
            bench.launch(new LaunchShape(
                            new LaunchShape.Size(4, 1, 1),
                            new LaunchShape.Size(32, 1, 1),
                            16,
                            new LaunchShape.Size(1, 1, 1),
                            true))
                    .launch();
            assertEquals(
                    List.of(
                            "scale 4 2 1 64 1 1 2 1 1 shared=0 cooperative=0",
                            "scale 4 1 1 64 1 1 0 0 0 shared=0 cooperative=1",
                            "scale 4 1 1 32 1 1 1 1 1 shared=16 cooperative=1"),
                    seen.launches.stream()
                            .map(l -> l.replaceFirst(" parameters=.*", ""))
                            .toList());
        } finally {
            bench.fake().engine(MemorySegment.NULL, MemorySegment.NULL);
        }
    }

    @Test
    void whatRunsLaunchesMayReportAFault() {
        Bench bench = new Bench(FakeDriver.current(), H100);
        try (Arena arena = Arena.ofConfined()) {
            Seen seen = seen(bench, arena);
            seen.status = 716;
            bench.launch(Bench.shape()).launch();
            CudaException e =
                    assertThrows(CudaException.class, () -> bench.stream().synchronize());
            assertEquals("CUDA_ERROR_MISALIGNED_ADDRESS", e.name());
        } finally {
            bench.fake().engine(MemorySegment.NULL, MemorySegment.NULL);
        }
    }

    @Test
    void aLaunchThatTheDeviceCannotDoNamesKernelAndShape() {
        Bench bench = new Bench(FakeDriver.current(), H100);
        LaunchShape wide = LaunchShape.of(new LaunchShape.Size(1, 1, 1), new LaunchShape.Size(1024, 1, 1), 0);
        CudaException e =
                assertThrows(CudaException.class, () -> bench.launch(wide).launch());
        assertEquals("cuLaunchKernel", e.call());
        assertTrue(
                String.valueOf(e.getMessage())
                        .contains("; kernel 'scale' was launched with LaunchShape[grid=Size[x=1,"),
                e.getMessage());
        LaunchShape much = LaunchShape.of(new LaunchShape.Size(1, 1, 1), new LaunchShape.Size(32, 1, 1), 100 << 10);
        assertThrows(CudaException.class, () -> bench.launch(much).launch());
        bench.kernel().setAttribute(FunctionAttribute.MAX_DYNAMIC_SHARED_SIZE_BYTES, 100 << 10);
        bench.launch(much).launch();
        LaunchShape cooperative = new LaunchShape(
                new LaunchShape.Size(100_000, 1, 1), new LaunchShape.Size(32, 1, 1), 0, LaunchShape.NONE, true);
        CudaException large = assertThrows(
                CudaException.class, () -> bench.launch(cooperative).launch());
        assertEquals("CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", large.name());
        assertTrue(large.isOfResources());
        assertThrows(
                IllegalArgumentException.class,
                () -> LaunchShape.of(new LaunchShape.Size(1, 1, 1), new LaunchShape.Size(1, 1, 1), -1));
    }

    @Test
    void aDeviceWithoutClustersRefusesThem() {
        Bench bench = new Bench(FakeDriver.current(), "device a100-sxm-80\n");
        CudaException e = assertThrows(
                CudaException.class, () -> bench.launch(Bench.clusters()).launch());
        assertEquals("cuLaunchKernelEx", e.call());
        assertEquals("CUDA_ERROR_NOT_SUPPORTED", e.name());
        assertTrue(e.isUnsupported());
    }

    @Test
    void aKernelIsDescribed() {
        Bench bench = new Bench(FakeDriver.current(), H100);
        CudaKernel kernel = bench.kernel();
        assertEquals(40, kernel.attribute(FunctionAttribute.NUM_REGS));
        assertEquals(8, kernel.attribute(FunctionAttribute.LOCAL_SIZE_BYTES));
        assertEquals(4096, kernel.attribute(FunctionAttribute.SHARED_SIZE_BYTES));
        assertEquals(512, kernel.attribute(FunctionAttribute.MAX_THREADS_PER_BLOCK));
        assertEquals(80, kernel.attribute(FunctionAttribute.PTX_VERSION));
        assertEquals(90, kernel.attribute(FunctionAttribute.BINARY_VERSION));
        // Offsets by the rule of C structures, which PTX follows: 8 bytes, 4 bytes, 16 bytes aligned to 8.
        assertEquals(Optional.of(new CudaKernel.Parameter(0, 8)), kernel.parameter(0));
        assertEquals(Optional.of(new CudaKernel.Parameter(8, 4)), kernel.parameter(1));
        assertEquals(Optional.of(new CudaKernel.Parameter(16, 16)), kernel.parameter(2));
        assertEquals(Optional.empty(), kernel.parameter(3));
        // By hand: 40 registers x 32 lanes = 1,280 a warp, 8 warps a block of 256: 65,536 / 1,280 / 8 = 6 blocks.
        assertEquals(6, kernel.maxActiveBlocks(256, 0));
        // By hand: (4 + 64 + 1) KiB a block; 228 KiB hold three of them.
        assertEquals(3, kernel.maxActiveBlocks(256, 64 << 10));
        assertEquals(8, kernel.maxClusterSize(Bench.shape()));
        // By hand: 64 threads take 2 x 1,280 registers (25 blocks), 4 KiB and the reserved one 45; 132 x 25 / 2.
        assertEquals(1650, kernel.maxActiveClusters(Bench.clusters()));
        CudaException e = assertThrows(CudaException.class, () -> bench.module().kernel("scales"));
        assertTrue(String.valueOf(e.getMessage()).endsWith("; kernel 'scales' was asked for"), e.getMessage());
        assertTrue(e.isNotFound());
    }

    @Test
    void aTensorMapIsAlignedAndChecked() {
        Bench bench = new Bench(FakeDriver.current(), H100);
        MemorySegment map = CudaFaultTest.map(bench).encode(bench.context(), bench.arena());
        assertEquals(128, map.byteSize());
        assertEquals(0, map.address() % TensorMap.ALIGNMENT);
        assertEquals(bench.memory().address(), map.get(ValueLayout.JAVA_LONG, 0));
        TensorMap odd = new TensorMap(
                TensorMap.Type.FLOAT16,
                bench.memory().address(),
                List.of(64L, 16L),
                List.of(130L),
                List.of(64, 8),
                List.of(1, 1),
                TensorMap.Swizzle.NONE,
                TensorMap.Promotion.B128,
                true);
        CudaException e = assertThrows(CudaException.class, () -> odd.encode(bench.context(), bench.arena()));
        assertEquals("cuTensorMapEncodeTiled", e.call());
        assertTrue(String.valueOf(e.getMessage()).contains("strides=[130]"), e.getMessage());
        assertThrows(
                IllegalArgumentException.class,
                () -> new TensorMap(
                        TensorMap.Type.UINT8,
                        0,
                        List.of(64L),
                        List.of(64L),
                        List.of(64),
                        List.of(1),
                        TensorMap.Swizzle.NONE,
                        TensorMap.Promotion.NONE,
                        false));
    }

    @Test
    void launchesAndEventsAllocateNothingOnceCompiled() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Bench bench = new Bench(FakeDriver.current(), H100);
        CudaEvent event = bench.context().createEvent(true);
        CudaLaunch plain = bench.launch(Bench.shape());
        CudaLaunch clusters = bench.launch(Bench.clusters());
        bench.stream().beginCapture();
        plain.launch();
        CudaGraphExec graph = bench.stream().endCapture().instantiate();
        long allocated = Long.MAX_VALUE;
        for (int round = 0; round < 500 && allocated != 0; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 10_000; i++) {
                plain.launch();
                clusters.launch();
                event.record(bench.stream());
                graph.launch(bench.stream());
            }
            allocated = threads.getCurrentThreadAllocatedBytes() - before;
        }
        assertEquals(0, allocated);
    }
}
