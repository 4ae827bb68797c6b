package dev.panamark.device.hip;

import dev.panamark.driver.compile.Sha256;
import dev.panamark.driver.hip.HipContext;
import dev.panamark.driver.hip.HipLaunch;
import dev.panamark.driver.hip.HipModule;
import dev.panamark.driver.hip.HipStream;
import dev.panamark.driver.hip.LaunchShape;
import dev.panamark.driver.launch.KernelArguments;
import dev.panamark.image.CachedFiles;
import dev.panamark.image.HipImages;
import dev.panamark.kernel.Image;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The kernels that measuring needs itself; compiled when the first is used. */
final class OwnKernels {
    private static final String RESOURCE = "own.hip";

    private final HipContext context;
    private final HipStream stream;
    private final HipImages images;
    private final String target;
    private final Path cacheDir;
    private @Nullable HipModule module;

    /** {@code target} is the device's. */
    OwnKernels(HipContext context, HipStream stream, HipImages images, String target, Path cacheDir) {
        this.context = context;
        this.stream = stream;
        this.images = images;
        this.target = target;
        this.cacheDir = cacheDir;
    }

    /** A launch of one of them whose arguments are all of 64 bits. */
    HipLaunch launch(String name, int blocks, int threads, long... arguments) {
        LaunchShape shape = LaunchShape.of(new LaunchShape.Size(blocks, 1, 1), new LaunchShape.Size(threads, 1, 1), 0);
        return HipLaunch.prepare(module().kernel(name), stream, shape, KernelArguments.ofWords(arguments));
    }

    private HipModule module() {
        HipModule there = module;
        if (there == null) {
            byte[] text = text();
            Path file = CachedFiles.write(cacheDir, "own-" + Sha256.of(text) + ".hip", text);
            there = context.load(
                    images.code(new Image("hip", file, List.of()), target).bytes());
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
