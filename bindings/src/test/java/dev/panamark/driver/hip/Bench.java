package dev.panamark.driver.hip;

import dev.panamark.driver.fake.FakeLibrary;
import dev.panamark.driver.launch.KernelArguments;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Something of everything, made on one fake device. */
final class Bench implements AutoCloseable {
    /** A device and a kernel with parameters of three sizes. */
    static final String MI300X =
            "device mi300x\nkernel scale regs 40 shared 4096 local 8 params 8,4,16\nduration scale 5000\n";

    private final Arena arena = Arena.ofAuto();
    private final FakeHip fake;
    private final HipDriver driver;
    private final HipContext context;
    private final HipStream stream;
    private final HipModule module;
    private final HipKernel kernel;
    private final HipMemory memory;

    Bench(FakeHip fake, String script) {
        this.fake = fake;
        driver = fake.start(script);
        context = driver.device(0).open();
        context.makeCurrent();
        stream = context.createStream();
        module = context.load(BareCode.of(BareCode.GFX942));
        kernel = module.kernel("scale");
        memory = context.allocate(4096);
    }

    FakeHip fake() {
        return fake;
    }

    FakeLibrary library() {
        return fake.library();
    }

    HipDriver driver() {
        return driver;
    }

    HipContext context() {
        return context;
    }

    HipStream stream() {
        return stream;
    }

    HipModule module() {
        return module;
    }

    HipKernel kernel() {
        return kernel;
    }

    HipMemory memory() {
        return memory;
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
        return arguments;
    }

    static LaunchShape shape(int blocks, int threads, int sharedBytes) {
        return LaunchShape.of(new LaunchShape.Size(blocks, 1, 1), new LaunchShape.Size(threads, 1, 1), sharedBytes);
    }

    static LaunchShape cooperative(int blocks) {
        return new LaunchShape(new LaunchShape.Size(blocks, 1, 1), new LaunchShape.Size(64, 1, 1), 0, true);
    }

    HipLaunch launch(LaunchShape shape) {
        return HipLaunch.prepare(kernel, stream, shape, arguments());
    }

    @Override
    public void close() {
        context.close();
    }
}
