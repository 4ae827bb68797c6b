package dev.panamark.kernel;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * A CUDA source of a built-in kernel with the options that the axes' own values give it.
 *
 * @param source path below the built-in kernels' root
 * @param file where it lies on this machine
 * @param options of the compiler, in order
 * @param arch that it is made for: that which it needs, or else {@link PrebuiltImages#ARCH}
 * @param sourceSha256 of the source and what it includes
 */
public record DefaultImage(String source, Path file, List<String> options, String arch, String sourceSha256) {
    /** The backends that run images of CUDA; each may have axis values of its own. */
    private static final List<String> BACKENDS = List.of("cuda", "emu");

    /** Those of an H100: a problem must not be unsupported for want of them. No option depends on them. */
    private static final Map<String, Number> DEVICE =
            Map.of("units", 132, "warp", 32, "cc", 90, "shared_block", 232_448, "memory", 80L << 30);

    /** Copies. */
    public DefaultImage {
        options = List.copyOf(options);
    }

    /**
     * All of them, each once, by source and options.
     *
     * @param cacheDir the sources are copied below it, as {@link Catalogue#builtin(Path)} does
     * @throws KernelFileException where a built-in kernel is faulty or its problem cannot be made
     */
    public static List<DefaultImage> all(Path cacheDir) {
        SequencedMap<String, DefaultImage> found = new LinkedHashMap<>();
        Catalogue catalogue = Catalogue.builtin(cacheDir);
        for (Kernel kernel : catalogue.all()) {
            for (String backend : BACKENDS) {
                if (kernel.hasImage(backend)) {
                    add(found, catalogue, kernel, backend);
                }
            }
        }
        return List.copyOf(found.values());
    }

    private static void add(
            SequencedMap<String, DefaultImage> found, Catalogue catalogue, Kernel kernel, String backend) {
        for (Problem problem : kernel.problems(backend, List.of(), Optional.empty())) {
            switch (kernel.instance(problem, new DeviceValues(backend, DEVICE))) {
                case Resolution.Ready(Instance instance) -> {
                    DefaultImage image = of(catalogue, instance.image());
                    found.putIfAbsent(image.source() + " " + image.arch() + " " + image.options(), image);
                }
                case Resolution.Excluded excluded -> {
                    // no problem of this kernel
                }
                case Resolution.Unsupported(String reason) ->
                    throw new KernelFileException(kernel.file(), 0, "", reason);
            }
        }
    }

    private static DefaultImage of(Catalogue catalogue, Image image) {
        try {
            return new DefaultImage(
                    catalogue.below(image.file()),
                    image.file(),
                    image.options(),
                    image.arch().map(CudaArch::toString).orElse(PrebuiltImages.ARCH),
                    SourceClosure.of(image.file(), image.options()).sha256());
        } catch (IOException e) {
            throw new KernelFileException(image.file().toString(), 0, "", "cannot be read: " + YamlFile.reason(e));
        }
    }
}
