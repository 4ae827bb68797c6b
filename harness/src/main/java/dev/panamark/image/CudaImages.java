package dev.panamark.image;

import dev.panamark.device.DeviceException;
import dev.panamark.device.UnsupportedException;
import dev.panamark.driver.compile.CompileException;
import dev.panamark.driver.compile.Sha256;
import dev.panamark.driver.nvcc.CompiledPtx;
import dev.panamark.driver.nvcc.CudaCompiler;
import dev.panamark.driver.nvcc.Ptxas;
import dev.panamark.driver.nvrtc.NvrtcCompiler;
import dev.panamark.ffi.Availability;
import dev.panamark.kernel.Image;
import dev.panamark.kernel.PrebuiltImage;
import dev.panamark.kernel.PrebuiltImages;
import dev.panamark.kernel.SourceClosure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
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
    /** Bytes of a file that is read. */
    private static final long LARGEST = 256L << 20;

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
     * What a device loads.
     *
     * @param name for messages
     * @param file where it lies
     * @param bytes PTX text without a zero at its end, a cubin or a fatbin
     * @param sha256 of them, hex
     * @param facts where they come from, JSON values
     */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    public record Code(String name, Path file, byte[] bytes, String sha256, SequencedMap<String, Object> facts) {}

    /**
     * The code of an image.
     *
     * @param suffixes of files that the device can take, {@code .cu} among them where it takes PTX
     * @param target what sources are compiled for: {@code sm_90}
     * @throws UnsupportedException when the device cannot take it, or there is no compiler for it
     * @throws DeviceException when it cannot be read or compiled
     */
    public Code code(Image image, List<String> suffixes, String target) {
        String file = image.file().toString();
        if (suffixes.stream().noneMatch(file::endsWith)) {
            throw new UnsupportedException(
                    "only " + String.join(", ", suffixes) + " files are run here, and " + file + " is none");
        }
        if (!file.endsWith(".cu")) {
            return read(image.file(), new LinkedHashMap<>());
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
        return all.find(closure(image).sha256(), image.options(), target);
    }

    private Code read(PrebuiltImage ready) {
        SequencedMap<String, Object> facts = new LinkedHashMap<>();
        facts.put("compiler", ready.compiler());
        facts.put("flags", ready.options());
        facts.put("source_sha256", ready.sourceSha256());
        facts.put("prebuilt", true);
        facts.put("needs_cuda", ready.cuda());
        Path file = cacheDir.resolve("prebuilt-" + ready.sha256() + ".ptx"); // for ptxas
        try {
            if (!Files.isRegularFile(file)) {
                Path part = Files.createTempFile(Files.createDirectories(cacheDir), "prebuilt", ".part");
                Files.write(part, ready.bytes());
                Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            }
        } catch (IOException e) {
            throw new DeviceException(file + " cannot be written: " + e.getMessage(), e);
        }
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
                            .ptx(image.file(), closure(image).sha256(), image.options(), target, cacheDir);
            };
        } catch (CompileException e) {
            throw new DeviceException(String.valueOf(e.getMessage()), e);
        }
        SequencedMap<String, Object> facts = new LinkedHashMap<>();
        facts.put("compiler", made.compiler());
        facts.put("flags", made.flags());
        facts.put("source_sha256", made.sourceSha256());
        return read(made.file(), facts);
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

    private static SourceClosure closure(Image image) {
        try {
            return SourceClosure.of(image.file(), image.options());
        } catch (IOException e) {
            throw unreadable(image.file(), e);
        }
    }

    private static Code read(Path file, SequencedMap<String, Object> facts) {
        try {
            if (Files.size(file) > LARGEST) {
                throw new UnsupportedException(
                        file + " has " + Files.size(file) + " bytes, and an image may have at most " + LARGEST);
            }
            return new Code(file.getFileName().toString(), file, Files.readAllBytes(file), Sha256.of(file), facts);
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    private static DeviceException unreadable(Path file, IOException e) {
        return new DeviceException(file + " cannot be read: " + e.getMessage(), e);
    }
}
