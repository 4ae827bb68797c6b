package dev.panamark.image;

import dev.panamark.device.DeviceException;
import dev.panamark.device.UnsupportedException;
import dev.panamark.driver.compile.CompileException;
import dev.panamark.driver.nvcc.CompiledPtx;
import dev.panamark.driver.nvcc.CudaCompiler;
import dev.panamark.driver.nvcc.Ptxas;
import dev.panamark.driver.nvrtc.NvrtcCompiler;
import dev.panamark.ffi.Availability;
import dev.panamark.kernel.Image;
import dev.panamark.kernel.PrebuiltImage;
import dev.panamark.kernel.PrebuiltImages;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds the code of CUDA images. PTX that comes with the program serves where it was made of the same source with the same
 * options; other sources need a compiler: nvcc, or NVRTC where there is no nvcc. Used by one thread.
 */
public final class CudaImages {
    private final Map<String, String> env;
    private final Path cacheDir;
    private @Nullable Availability<CudaCompiler> compiler;
    private @Nullable Availability<NvrtcCompiler> library;
    private @Nullable Availability<Ptxas> assembler;
    private @Nullable PrebuiltImages prebuilt;

    /**
     * Reads nothing yet.
     *
     * @param env environment variables, for the compilers
     * @param cacheDir where what is compiled is kept
     */
    public CudaImages(Map<String, String> env, Path cacheDir) {
        this.env = env;
        this.cacheDir = cacheDir;
    }

    /**
     * The code of an image.
     *
     * @param suffixes of files that the device can take, {@code .cu} among them where it takes PTX
     * @param target what sources are compiled for: {@code sm_90}
     * @throws UnsupportedException when the device cannot take it, or there is no compiler for it
     * @throws DeviceException when it cannot be read or compiled
     */
    public Code code(Image image, List<String> suffixes, String target) {
        ImageFiles.requireSuffix(image.file(), suffixes);
        if (!image.file().toString().endsWith(".cu")) {
            return ImageFiles.read(image.file(), new LinkedHashMap<>());
        }
        Optional<PrebuiltImage> ready = prebuilt(image, target);
        return ready.isPresent() ? read(ready.get()) : compiled(image, target);
    }

    /** ptxas; looked for once. */
    public Availability<Ptxas> assembler() {
        Availability<Ptxas> found = assembler;
        if (found == null) {
            found = compiler() instanceof Availability.Available<CudaCompiler>(CudaCompiler nvcc)
                    ? Availability.of(nvcc.ptxas())
                    : Ptxas.find(env);
            assembler = found;
        }
        return found;
    }

    /** The compiler; looked for once, as asking it for its version takes longer than reading a text. */
    private Availability<CudaCompiler> compiler() {
        Availability<CudaCompiler> found = compiler;
        if (found == null) {
            found = CudaCompiler.find(env);
            compiler = found;
        }
        return found;
    }

    private Optional<PrebuiltImage> prebuilt(Image image, String target) {
        PrebuiltImages all = prebuilt;
        if (all == null) {
            all = PrebuiltImages.load();
            prebuilt = all;
        }
        return all.find(ImageFiles.closure(image).sha256(), image.options(), target);
    }

    private Code read(PrebuiltImage ready) {
        SequencedMap<String, Object> facts = ImageFiles.made(ready.compiler(), ready.options(), ready.sourceSha256());
        facts.put("prebuilt", true);
        facts.put("needs_cuda", ready.cuda());
        Path file = CachedFiles.write(cacheDir, "prebuilt-" + ready.sha256() + ".ptx", ready.bytes()); // for ptxas
        return new Code(ready.file(), file, ready.bytes(), ready.sha256(), facts);
    }

    private Code compiled(Image image, String target) {
        CompiledPtx made;
        try {
            made = switch (compiler()) {
                case Availability.Available<CudaCompiler>(CudaCompiler nvcc) ->
                    nvcc.ptx(image.file(), image.options(), target, cacheDir);
                case Availability.Unavailable<CudaCompiler> noNvcc ->
                    library(image, noNvcc)
                            .ptx(image.file(), ImageFiles.closure(image).sha256(), image.options(), target, cacheDir);
            };
        } catch (CompileException e) {
            throw new DeviceException(String.valueOf(e.getMessage()), e);
        }
        return ImageFiles.read(made.file(), ImageFiles.made(made.compiler(), made.flags(), made.sourceSha256()));
    }

    private NvrtcCompiler library(Image image, Availability.Unavailable<CudaCompiler> noNvcc) {
        Availability<NvrtcCompiler> found = library;
        if (found == null) {
            found = NvrtcCompiler.find(env);
            library = found;
        }
        return switch (found) {
            case Availability.Available<NvrtcCompiler>(NvrtcCompiler nvrtc) -> nvrtc;
            case Availability.Unavailable<NvrtcCompiler> noNvrtc ->
                throw new UnsupportedException(image.file() + " has to be compiled, and there is neither nvcc ("
                        + noNvcc.text() + ") nor NVRTC (" + noNvrtc.text() + ")");
        };
    }
}
