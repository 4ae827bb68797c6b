package dev.panamark.device.cuda;

import dev.panamark.driver.cuda.CudaContext;
import dev.panamark.driver.cuda.CudaLaunch;
import dev.panamark.driver.cuda.CudaModule;
import dev.panamark.driver.cuda.CudaStream;
import dev.panamark.driver.cuda.LaunchShape;
import dev.panamark.driver.launch.KernelArguments;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The kernels that measuring needs itself; compiled by the driver when the first is used. */
final class OwnKernels {
    private static final String RESOURCE = "own.ptx";

    private final CudaContext context;
    private final CudaStream stream;
    private @Nullable CudaModule module;

    OwnKernels(CudaContext context, CudaStream stream) {
        this.context = context;
        this.stream = stream;
    }

    /** A launch of one of them whose arguments are all of 64 bits. */
    CudaLaunch launch(String name, int blocks, int threads, long... arguments) {
        LaunchShape shape = LaunchShape.of(new LaunchShape.Size(blocks, 1, 1), new LaunchShape.Size(threads, 1, 1), 0);
        return CudaLaunch.prepare(module().kernel(name), stream, shape, KernelArguments.ofWords(arguments));
    }

    private CudaModule module() {
        CudaModule there = module;
        if (there == null) {
            there = context.load(text());
            module = there;
        }
        return there;
    }

    private static byte[] text() {
        try (InputStream in = Objects.requireNonNull(OwnKernels.class.getResourceAsStream(RESOURCE))) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(RESOURCE + " of this package cannot be read", e);
        }
    }
}
