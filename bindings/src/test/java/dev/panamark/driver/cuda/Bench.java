package dev.panamark.driver.cuda;

import dev.panamark.driver.launch.KernelArguments;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/** Something of everything, made in one context of a fake device. */
final class Bench implements AutoCloseable {
    /** A kernel with parameters of three sizes, and a variable. */
    static final String PTX = """
            .version 7.0
            .target sm_80
            .address_size 64
            .visible .global .align 4 .b8 table[64]; // a comment with a .entry in it
            .visible .entry scale(
                .param .u64 scale_param_0,
                .param .u32 scale_param_1,
                .param .align 8 .b8 scale_param_2[16]
            )
            .maxntid 512, 1, 1
            {
                .shared .align 16 .b8 tile[4096];
                ret;
            }
            """;

    private final Arena arena = Arena.ofAuto();
    private final FakeDriver fake;
    private final CudaDriver driver;
    private final CudaContext context;
    private final CudaStream stream;
    private final CudaModule module;
    private final CudaKernel kernel;
    private final CudaMemory memory;

    Bench(FakeDriver fake, String script) {
        this.fake = fake;
        driver = fake.start(script);
        context = driver.device(0).retainPrimaryContext();
        context.makeCurrent();
        stream = context.createStream();
        module = context.load(PTX.getBytes(StandardCharsets.US_ASCII));
        kernel = module.kernel("scale");
        memory = context.allocate(4096);
    }

    FakeDriver fake() {
        return fake;
    }

    CudaDriver driver() {
        return driver;
    }

    CudaContext context() {
        return context;
    }

    CudaStream stream() {
        return stream;
    }

    CudaModule module() {
        return module;
    }

    CudaKernel kernel() {
        return kernel;
    }

    CudaMemory memory() {
        return memory;
    }

    Arena arena() {
        return arena;
    }

    /** Native memory of the host with the bytes 0, 1, 2 and so on. */
    MemorySegment host(int bytes) {
        MemorySegment host = arena.allocate(bytes, 8);
        for (int i = 0; i < bytes; i++) {
            host.set(ValueLayout.JAVA_BYTE, i, (byte) i);
        }
        return host;
    }

    /** Arguments of the kernel: an address, a number, sixteen bytes. */
    KernelArguments arguments() {
        KernelArguments arguments = new KernelArguments(32, 0, 8, 16);
        arguments.values().set(ValueLayout.JAVA_LONG, 0, memory.address());
        arguments.values().set(ValueLayout.JAVA_INT, 8, 77);
        arguments.values().set(ValueLayout.JAVA_LONG, 16, 0x1122334455667788L);
        arguments.values().set(ValueLayout.JAVA_LONG, 24, -1);
        return arguments;
    }

    static LaunchShape shape() {
        return LaunchShape.of(new LaunchShape.Size(3, 2, 1), new LaunchShape.Size(64, 1, 1), 128);
    }

    static LaunchShape clusters() {
        return new LaunchShape(
                new LaunchShape.Size(4, 2, 1), new LaunchShape.Size(64, 1, 1), 0, new LaunchShape.Size(2, 1, 1), false);
    }

    static LaunchShape cooperative() {
        return new LaunchShape(
                new LaunchShape.Size(4, 1, 1), new LaunchShape.Size(64, 1, 1), 0, LaunchShape.NONE, true);
    }

    CudaLaunch launch(LaunchShape shape) {
        return CudaLaunch.prepare(kernel, stream, shape, arguments());
    }

    @Override
    public void close() {
        context.close();
    }
}
