package dev.panamark.prebuilt;

import dev.panamark.driver.compile.CompileException;
import dev.panamark.driver.compile.Sha256;
import dev.panamark.driver.nvcc.CompiledPtx;
import dev.panamark.driver.nvcc.CudaCompiler;
import dev.panamark.driver.nvcc.PtxRelease;
import dev.panamark.ffi.Availability;
import dev.panamark.kernel.DefaultImage;
import dev.panamark.kernel.KernelFileException;
import dev.panamark.kernel.PrebuiltImage;
import dev.panamark.kernel.PrebuiltImages;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Compiles the CUDA sources of the built-in kernels for the axes' own values, and writes the texts and their index. */
public final class BuildKernels {
    private static final int WRONG_USE = 2;
    private static final int NO_TOOLKIT = 3;
    private static final int HASH_DIGITS = 8;

    private final CudaCompiler compiler;
    private final Path cache;

    /**
     * A tool that keeps what it makes on the way below {@code cache}.
     *
     * @param cache made when it is not there
     */
    BuildKernels(CudaCompiler compiler, Path cache) {
        this.compiler = compiler;
        this.cache = cache;
    }

    /**
     * {@code BuildKernels FOLDER}, the folder of the prebuilt images among the sources. Ends with 0, or with 2 for a wrong
     * call, 3 where there is no CUDA toolkit, 1 where a kernel does not compile or the folder cannot be written.
     */
    @SuppressWarnings("SystemExitOutsideMain")
    public static void main(String[] args) {
        System.exit(run(args, System.getenv(), System.out, System.err));
    }

    static int run(String[] args, Map<String, String> env, PrintStream out, PrintStream err) {
        if (args.length != 1) {
            err.println("build-kernels: expected one folder, got " + args.length + " arguments");
            return WRONG_USE;
        }
        Optional<CudaCompiler> compiler = compiler(env, err);
        if (compiler.isEmpty()) {
            return NO_TOOLKIT;
        }
        Path folder = Path.of(args[0]);
        try {
            Path cache = Files.createTempDirectory("panamark-build-kernels");
            try {
                List<PrebuiltImage> made = new BuildKernels(compiler.get(), cache).into(folder);
                made.forEach(image -> out.println(image.file() + "  PTX " + image.ptx() + ", CUDA " + image.cuda()
                        + image.driver().map(d -> ", driver " + d).orElse("")));
                out.println(made.size() + " images by nvcc " + compiler.get().version() + " in " + folder);
                return 0;
            } finally {
                delete(cache);
            }
        } catch (CompileException | KernelFileException e) {
            err.println("build-kernels: " + e.getMessage());
            return 1;
        } catch (IOException e) {
            err.println("build-kernels: " + folder + " cannot be written: " + e);
            return 1;
        }
    }

    /** The toolkit, without options of this machine's own, which the index would not tell. */
    private static Optional<CudaCompiler> compiler(Map<String, String> env, PrintStream err) {
        return switch (CudaCompiler.find(plain(env))) {
            case Availability.Available<CudaCompiler>(CudaCompiler found) -> Optional.of(found);
            case Availability.Unavailable<CudaCompiler> none -> {
                err.println("build-kernels: no CUDA toolkit: " + none.text());
                yield Optional.empty();
            }
        };
    }

    /** Variables without those that add options. */
    static Map<String, String> plain(Map<String, String> env) {
        Map<String, String> plain = new HashMap<>(env);
        plain.remove("NVCC_PREPEND_FLAGS");
        plain.remove("NVCC_APPEND_FLAGS");
        return plain;
    }

    /**
     * Writes all images and the index, and deletes images that are no longer made.
     *
     * @param folder made when it is not there
     * @return what was written, in the order of the index
     */
    List<PrebuiltImage> into(Path folder) throws IOException {
        List<PrebuiltImage> images = new ArrayList<>();
        List<Path> files = new ArrayList<>();
        for (DefaultImage each : DefaultImage.all(cache)) {
            CompiledPtx ptx = compiler.ptx(each.file(), each.options(), each.arch(), cache.resolve("ptx"));
            PrebuiltImage image = image(each, ptx);
            Path file = folder.resolve(image.file());
            Files.createDirectories(file.resolveSibling(""));
            Files.copy(ptx.file(), file, StandardCopyOption.REPLACE_EXISTING);
            images.add(image);
            files.add(file);
        }
        images.sort(Comparator.comparing(PrebuiltImage::file));
        Files.writeString(folder.resolve(PrebuiltImages.INDEX), PrebuiltImages.index(images));
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path old : all.filter(f -> f.toString().endsWith(".ptx") && !files.contains(f))
                    .toList()) {
                Files.delete(old);
            }
        }
        return images;
    }

    private static PrebuiltImage image(DefaultImage source, CompiledPtx ptx) {
        PtxRelease release = PtxRelease.of(ptx.ptxVersion())
                .orElseThrow(() -> new CompileException(source.source() + " needs PTX " + ptx.ptxVersion()
                        + ", of which the release of CUDA is not known; add it to PtxRelease"));
        return new PrebuiltImage(
                source.source(),
                source.sourceSha256(),
                source.options(),
                source.arch(),
                ptx.compiler(),
                file(source),
                ptx.sha256(),
                release.ptx(),
                release.cuda(),
                release.driver());
    }

    /** Named by source and options, so that the history of an image is that of one file. */
    private static String file(DefaultImage source) {
        return source.source().replaceFirst("\\.[^./]*$", "") + "-"
                + Sha256.of(source.options()).substring(0, HASH_DIGITS) + ".ptx";
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path file : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
