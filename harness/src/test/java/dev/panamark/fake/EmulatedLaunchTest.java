package dev.panamark.fake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.driver.cuda.CudaContext;
import dev.panamark.driver.cuda.CudaException;
import dev.panamark.driver.cuda.CudaGraphExec;
import dev.panamark.driver.cuda.CudaLaunch;
import dev.panamark.driver.cuda.CudaMemory;
import dev.panamark.driver.cuda.CudaModule;
import dev.panamark.driver.cuda.CudaStream;
import dev.panamark.driver.cuda.LaunchShape;
import dev.panamark.driver.launch.KernelArguments;
import dev.panamark.ptx.KernelFault;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Results are by hand: out[i] = factor * in[i] with the module's variable factor, which begins as 3. */
class EmulatedLaunchTest {
    private static final String PTX = """
            .version 7.0
            .target sm_80
            .address_size 64
            .visible .global .align 4 .u32 factor = 3;
            .visible .entry scale(.param .u64 p_out, .param .u64 p_in)
            {
                .reg .b32 %r<8>;
                .reg .b64 %rd<8>;
                ld.param.u64 %rd1, [p_out];
                ld.param.u64 %rd2, [p_in];
                mov.u32 %r1, %ctaid.x;
                mov.u32 %r2, %ntid.x;
                mov.u32 %r3, %tid.x;
                mad.lo.u32 %r4, %r1, %r2, %r3;
                mul.wide.u32 %rd3, %r4, 4;
                add.u64 %rd4, %rd1, %rd3;
                add.u64 %rd5, %rd2, %rd3;
                ld.global.u32 %r5, [%rd5];
                ld.global.u32 %r6, [factor];
                mul.lo.u32 %r7, %r5, %r6;
                st.global.u32 [%rd4], %r7;
                ret;
            }
            .visible .entry increment(.param .u64 p_word)
            {
                .reg .b32 %r<3>;
                .reg .b64 %rd<2>;
                ld.param.u64 %rd1, [p_word];
                ld.global.u32 %r1, [%rd1];
                add.u32 %r2, %r1, 1;
                st.global.u32 [%rd1], %r2;
                ret;
            }
            """;

    private static final int COUNT = 256;

    private final FakeCuda fake;

    EmulatedLaunchTest() throws Exception {
        fake = FakeCuda.load();
    }

    private static LaunchShape shape(int blocks, int threads) {
        return LaunchShape.of(new LaunchShape.Size(blocks, 1, 1), new LaunchShape.Size(threads, 1, 1), 0);
    }

    private static KernelArguments arguments(long... values) {
        long[] offsets = new long[values.length];
        for (int i = 0; i < values.length; i++) {
            offsets[i] = 8L * i;
        }
        KernelArguments arguments = new KernelArguments(8L * values.length, offsets);
        for (int i = 0; i < values.length; i++) {
            arguments.values().setAtIndex(ValueLayout.JAVA_LONG, i, values[i]);
        }
        return arguments;
    }

    private static void assertScaled(CudaMemory out, int factor) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment words = arena.allocate(ValueLayout.JAVA_INT, COUNT);
            out.download(0, words);
            for (int i = 0; i < COUNT; i++) {
                assertEquals(factor * (i + 7), words.getAtIndex(ValueLayout.JAVA_INT, i), "element " + i);
            }
        }
    }

    /** Two buffers, the second with i + 7 at i. */
    private static CudaMemory input(CudaContext context) {
        CudaMemory in = context.allocate(4L * COUNT);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment words = arena.allocate(ValueLayout.JAVA_INT, COUNT);
            for (int i = 0; i < COUNT; i++) {
                words.setAtIndex(ValueLayout.JAVA_INT, i, i + 7);
            }
            in.upload(0, words);
        }
        return in;
    }

    @Test
    void aKernelRunsOnTheMemoryThatTheDriverHandsOut() throws Throwable {
        try (EmulatorEngine engine = new EmulatorEngine(fake, 0);
                CudaContext context = fake.start("device h100-sxm\n").device(0).retainPrimaryContext()) {
            context.makeCurrent();
            CudaModule module = context.load(PTX.getBytes(StandardCharsets.US_ASCII));
            CudaStream stream = context.createStream();
            CudaMemory in = input(context);
            CudaMemory out = context.allocate(4L * COUNT);
            out.fill(0, 4L * COUNT, (byte) -1);
            CudaLaunch scale = CudaLaunch.prepare(
                    module.kernel("scale"), stream, shape(4, 64), arguments(out.address(), in.address()));
            scale.launch();
            stream.synchronize();
            assertNull(engine.last());
            assertScaled(out, 3);

            CudaModule.Global factor = module.global("factor");
            assertEquals(4, factor.bytes());
            CudaLaunch increment =
                    CudaLaunch.prepare(module.kernel("increment"), stream, shape(1, 1), arguments(factor.address()));
            stream.beginCapture();
            increment.launch();
            increment.launch();
            CudaGraphExec twoMore = stream.endCapture().instantiate();
            twoMore.launch(stream);
            twoMore.launch(stream);
            scale.launch();
            stream.synchronize();
            assertNull(engine.last());
            assertScaled(out, 7);
        }
    }

    @Test
    void aStepOverAnEndBecomesTheDriversStatus() throws Throwable {
        try (EmulatorEngine engine = new EmulatorEngine(fake, 0)) {
            CudaContext context = fake.start("device h100-sxm\n").device(0).retainPrimaryContext();
            context.makeCurrent();
            CudaModule module = context.load(PTX.getBytes(StandardCharsets.US_ASCII));
            CudaStream stream = context.createStream();
            CudaMemory in = input(context);
            CudaMemory out = context.allocate(4L * COUNT);
            CudaLaunch.prepare(module.kernel("scale"), stream, shape(5, 64), arguments(out.address(), in.address()))
                    .launch();
            CudaException e = assertThrows(CudaException.class, stream::synchronize);
            assertEquals("CUDA_ERROR_ILLEGAL_ADDRESS", e.name());
            assertTrue(e.isFatal());
            KernelFault fault = assertInstanceOf(KernelFault.class, engine.last());
            assertEquals(KernelFault.Kind.OUT_OF_BOUNDS, fault.kind());
        }
    }

    @Test
    void whatTheEmulatorDoesNotReadIsRefusedInItsWords() throws Throwable {
        try (EmulatorEngine engine = new EmulatorEngine(fake, 0);
                CudaContext context = fake.start("device h100-sxm\n").device(0).retainPrimaryContext()) {
            context.makeCurrent();
            byte[] broken = PTX.replace("mul.lo.u32", "mule.lo.u32").getBytes(StandardCharsets.US_ASCII);
            CudaException e = assertThrows(CudaException.class, () -> context.load(broken));
            assertEquals("CUDA_ERROR_INVALID_PTX", e.name());
            assertTrue(String.valueOf(e.getMessage()).contains("mule"), e.getMessage());
            assertNull(engine.last());
        }
    }
}
