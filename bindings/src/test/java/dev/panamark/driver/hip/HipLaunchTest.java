package dev.panamark.driver.hip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.panamark.driver.codeobject.CodeObject;
import dev.panamark.driver.codeobject.KernelArgument;
import dev.panamark.driver.codeobject.KernelMetadata;
import dev.panamark.driver.fake.HipKernels;
import dev.panamark.driver.launch.KernelArguments;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Launches of code objects that clang made, run by a build of the same source for the host. */
class HipLaunchTest {
    @TempDir
    Path folder;

    /** A device with the kernels loaded, and their metadata. */
    private record Loaded(HipContext context, HipStream stream, HipModule module, CodeObject code) {
        void launch(String kernel, LaunchShape shape, Object... values) {
            List<KernelArgument> given = code.kernel(kernel).orElseThrow().givenArguments();
            assertEquals(values.length, given.size());
            long[] offsets = given.stream().mapToLong(KernelArgument::offset).toArray();
            KernelArguments arguments = new KernelArguments(64, offsets);
            for (int i = 0; i < values.length; i++) {
                MemorySegment at = arguments.values().asSlice(offsets[i]);
                switch (values[i]) {
                    case HipMemory memory -> at.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, memory.address());
                    case Float number -> at.set(ValueLayout.JAVA_FLOAT_UNALIGNED, 0, number);
                    default -> at.set(ValueLayout.JAVA_INT_UNALIGNED, 0, (Integer) values[i]);
                }
            }
            HipLaunch.prepare(module.kernel(kernel), stream, shape, arguments).launch();
        }

        HipMemory upload(float[] values) {
            HipMemory memory = context.allocate(4L * values.length);
            memory.upload(0, Arena.ofAuto().allocateFrom(ValueLayout.JAVA_FLOAT, values));
            return memory;
        }

        float[] floats(HipMemory memory) {
            MemorySegment back = Arena.ofAuto().allocate(memory.size(), 4);
            memory.download(0, back);
            return back.toArray(ValueLayout.JAVA_FLOAT);
        }
    }

    private Loaded load(String device, String target) {
        byte[] image = HipKernels.bytes(target);
        HipDriver driver = FakeHip.current().start("device " + device + "\nhost " + HipKernels.host(folder) + "\n");
        HipContext context = driver.device(0).open();
        context.makeCurrent();
        return new Loaded(context, context.createStream(), context.load(image), CodeObject.read(image));
    }

    private Loaded load() {
        return load("mi300x", "gfx942");
    }

    private static float[] numbers(int count, float step) {
        float[] numbers = new float[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = i * step;
        }
        return numbers;
    }

    @ParameterizedTest
    @CsvSource({"mi210, gfx90a", "mi300x, gfx942", "mi355x, gfx950"})
    void saxpyIsRight(String device, String target) {
        Loaded loaded = load(device, target);
        float[] x = numbers(1000, 0.5f);
        HipMemory y = loaded.upload(numbers(1000, 1));
        // One block more than is needed, whose work-items have nothing to do.
        loaded.launch("saxpy", Bench.shape(5, 256, 0), y, loaded.upload(x), 3f, 1000);
        float[] found = loaded.floats(y);
        for (int i = 0; i < found.length; i++) {
            assertEquals(3f * x[i] + i, found[i], "element " + i); // exact: small numbers with few bits
        }
    }

    /** Whole numbers below 2^24, so that every order of adding gives the same. */
    @Test
    void blocksAddThroughLds() {
        Loaded loaded = load();
        HipMemory sums = loaded.upload(new float[4]);
        loaded.launch("block_sums", Bench.shape(4, 256, 0), sums, loaded.upload(numbers(1024, 1)));
        float[] found = loaded.floats(sums);
        for (int block = 0; block < 4; block++) {
            int first = 256 * block;
            assertEquals(256 * first + 255 * 128, found[block], "block " + block);
        }
    }

    @Test
    void dynamicLdsIsEachBlocksOwn() {
        Loaded loaded = load();
        HipMemory memory = loaded.context().allocate(4L * 96);
        int[] numbers = new int[96];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = i;
        }
        memory.upload(0, Arena.ofAuto().allocateFrom(ValueLayout.JAVA_INT, numbers));
        loaded.launch("reverse", Bench.shape(3, 32, 4 * 32), memory);
        MemorySegment back = Arena.ofAuto().allocate(memory.size(), 4);
        memory.download(0, back);
        for (int i = 0; i < 96; i++) {
            assertEquals(i / 32 * 32 + 31 - i % 32, back.getAtIndex(ValueLayout.JAVA_INT, i), "element " + i);
        }
    }

    @Test
    void aBlockThatDoesNotMeetAtABarrierIsAFault() {
        Loaded loaded = load();
        HipMemory memory = loaded.context().allocate(4L * 64);
        loaded.launch("half_a_barrier", Bench.shape(1, 64, 0), memory);
        HipException e = assertThrows(HipException.class, () -> loaded.stream().synchronize());
        assertEquals("hipErrorLaunchFailure", e.name());
        assertTrue(e.isFatal());
        assertThrows(HipException.class, () -> loaded.context().allocate(16));
    }

    @Test
    void aGraphOfLaunchesIsRight() {
        Loaded loaded = load();
        HipMemory y = loaded.upload(new float[256]);
        HipMemory x = loaded.upload(numbers(256, 1));
        loaded.stream().beginCapture();
        loaded.launch("saxpy", Bench.shape(1, 256, 0), y, x, 2f, 256);
        loaded.launch("saxpy", Bench.shape(1, 256, 0), y, x, 1f, 256);
        HipGraphExec graph = loaded.stream().endCapture().instantiate();
        graph.launch(loaded.stream());
        graph.launch(loaded.stream());
        loaded.stream().synchronize();
        float[] found = loaded.floats(y);
        for (int i = 0; i < 256; i++) {
            assertEquals(6f * i, found[i], "element " + i);
        }
    }

    /** The runtime and the reader of notes tell the same of a kernel, and a variable begins as the source has it. */
    @Test
    void kernelsAndVariablesAreThoseOfTheCode() {
        Loaded loaded = load();
        HipKernel kernel = loaded.module().kernel("block_sums");
        KernelMetadata metadata = loaded.code().kernel("block_sums").orElseThrow();
        assertEquals(metadata.vgprs(), kernel.attribute(FunctionAttribute.NUM_REGS));
        assertEquals(1024, kernel.attribute(FunctionAttribute.SHARED_SIZE_BYTES));
        assertEquals(256, kernel.attribute(FunctionAttribute.MAX_THREADS_PER_BLOCK));
        HipModule.Global scaling = loaded.module().global("scaling");
        assertEquals(4, scaling.bytes());
        HipException e = assertThrows(HipException.class, () -> loaded.module().kernel("saxpi"));
        assertTrue(e.isNotFound());
    }

    @Test
    void occupancyIsTheRuntimesAnswer() {
        Bench bench = new Bench(FakeHip.current(), Bench.MI300X);
        // By hand: 40 registers of 512 allow 12 waves a SIMD, more than the 8 there may be; 4 SIMDs hold 32 waves, a
        // block
        // of 256 has 4, so 8 blocks; 4 KiB of LDS each would allow 16.
        assertEquals(8, bench.kernel().maxActiveBlocks(256, 0));
        // By hand: (4 + 28) KiB a block; 64 KiB hold two of them.
        assertEquals(2, bench.kernel().maxActiveBlocks(256, 28 << 10));
        assertEquals(40, bench.kernel().attribute(FunctionAttribute.NUM_REGS));
        assertEquals(8, bench.kernel().attribute(FunctionAttribute.LOCAL_SIZE_BYTES));
        assertEquals(60 << 10, bench.kernel().attribute(FunctionAttribute.MAX_DYNAMIC_SHARED_SIZE_BYTES));
    }

    @Test
    void aLaunchThatTheDeviceCannotDoNamesKernelAndShape() {
        Bench bench = new Bench(FakeHip.current(), Bench.MI300X);
        HipException e = assertThrows(
                HipException.class, () -> bench.launch(Bench.shape(1, 2048, 0)).launch());
        assertEquals("hipModuleLaunchKernel", e.call());
        assertTrue(
                String.valueOf(e.getMessage())
                        .contains("; kernel 'scale' was launched with LaunchShape[grid=Size[x=1,"),
                e.getMessage());
        assertThrows(
                HipException.class, () -> bench.launch(Bench.shape(0, 64, 0)).launch());
        assertThrows(
                HipException.class,
                () -> bench.launch(Bench.shape(1, 64, 61 << 10)).launch());
        HipException large = assertThrows(
                HipException.class,
                () -> bench.launch(Bench.cooperative(100_000)).launch());
        assertEquals("hipErrorCooperativeLaunchTooLarge", large.name());
        assertTrue(large.isOfResources());
        assertThrows(IllegalArgumentException.class, () -> Bench.shape(1, 1, -1));
    }

    /** 7.0 tells a block that is too large from other arguments. */
    @ParameterizedTest
    @ValueSource(ints = {60300000, 70000000})
    void anOversizedBlockIsToldAsTheReleaseDoes(int release) {
        Bench bench = new Bench(FakeHip.ofRelease(release), Bench.MI300X);
        HipException e = assertThrows(
                HipException.class, () -> bench.launch(Bench.shape(1, 2048, 0)).launch());
        assertEquals(release < 70000000 ? "hipErrorInvalidValue" : "hipErrorInvalidConfiguration", e.name());
    }

    @Test
    void launchesAndEventsAllocateNothingOnceCompiled() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Bench bench = new Bench(FakeHip.current(), Bench.MI300X);
        HipEvent event = bench.context().createEvent(true);
        HipLaunch plain = bench.launch(Bench.shape(1, 64, 0));
        HipLaunch cooperative = bench.launch(Bench.cooperative(4));
        bench.stream().beginCapture();
        plain.launch();
        HipGraphExec graph = bench.stream().endCapture().instantiate();
        long allocated = Long.MAX_VALUE;
        for (int round = 0; round < 500 && allocated != 0; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 10_000; i++) {
                plain.launch();
                cooperative.launch();
                event.record(bench.stream());
                graph.launch(bench.stream());
            }
            allocated = threads.getCurrentThreadAllocatedBytes() - before;
        }
        assertEquals(0, allocated);
    }
}
