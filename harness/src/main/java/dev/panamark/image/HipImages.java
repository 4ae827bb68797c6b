package dev.panamark.image;

import dev.panamark.device.DeviceException;
import dev.panamark.device.UnsupportedException;
import dev.panamark.driver.codeobject.CodeObject;
import dev.panamark.driver.codeobject.CodeObjectException;
import dev.panamark.driver.codeobject.OffloadBundle;
import dev.panamark.driver.compile.CompileException;
import dev.panamark.driver.compile.Sha256;
import dev.panamark.driver.hipcc.CompiledCode;
import dev.panamark.driver.hipcc.HipCompiler;
import dev.panamark.driver.hiprtc.HiprtcCompiler;
import dev.panamark.ffi.Availability;
import dev.panamark.kernel.Image;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds the code of HIP images: sources are compiled, by ROCm's compiler or clang, or by hiprtc where there is neither; of a
 * bundle the device's part is taken. Used by one thread.
 */
public final class HipImages {
    private static final String SOURCE = ".hip";
    private static final List<String> SUFFIXES = List.of(SOURCE, ".hsaco", ".co");

    private final Map<String, String> env;
    private final Path cacheDir;
    private @Nullable Availability<HipCompiler> compiler;
    private @Nullable Availability<HiprtcCompiler> library;

    /**
     * Reads nothing yet.
     *
     * @param env environment variables, for the compilers
     * @param cacheDir where what is compiled is kept
     */
    public HipImages(Map<String, String> env, Path cacheDir) {
        this.env = env;
        this.cacheDir = cacheDir;
    }

    /**
     * The code of an image.
     *
     * @param target of the device, {@code gfx942:sramecc+:xnack-}; sources are compiled for its processor, whatever the
     *     features
     * @throws UnsupportedException when the device cannot take it, or there is no compiler for it
     * @throws DeviceException when it cannot be read or compiled
     */
    public Code code(Image image, String target) {
        ImageFiles.requireSuffix(image.file(), SUFFIXES);
        Code code = image.file().toString().endsWith(SOURCE)
                ? compiled(image, target.split(":", 2)[0])
                : ImageFiles.read(image.file(), new LinkedHashMap<>());
        if (OffloadBundle.isBundle(code.bytes())) {
            return unbundled(code, target);
        }
        if (!CodeObject.isCodeObject(code.bytes())) {
            throw new DeviceException(code.name()
                    + " is neither a code object (an ELF file for machine 224, EM_AMDGPU) nor a bundle of them");
        }
        return code;
    }

    private static Code unbundled(Code code, String target) {
        try {
            OffloadBundle bundle = OffloadBundle.read(code.bytes());
            byte[] own = bundle.code(code.bytes(), target)
                    .orElseThrow(() -> new UnsupportedException(code.name() + " has no code for " + target
                            + "; it has some for "
                            + bundle.entries().stream()
                                    .map(OffloadBundle.Entry::target)
                                    .filter(t -> !t.isEmpty())
                                    .collect(Collectors.joining(", "))));
            return new Code(code.name(), code.file(), own, Sha256.of(own), code.facts());
        } catch (CodeObjectException e) {
            throw new DeviceException(code.name() + ": " + e.getMessage(), e);
        }
    }

    private Code compiled(Image image, String processor) {
        CompiledCode made;
        try {
            made = switch (compiler()) {
                case Availability.Available<HipCompiler>(HipCompiler found) ->
                    found.compile(image.file(), image.options(), processor, cacheDir);
                case Availability.Unavailable<HipCompiler> none ->
                    library(image, none)
                            .compile(
                                    image.file(),
                                    ImageFiles.closure(image).sha256(),
                                    image.options(),
                                    processor,
                                    cacheDir);
            };
        } catch (CompileException e) {
            throw new DeviceException(String.valueOf(e.getMessage()), e);
        }
        return ImageFiles.read(made.file(), ImageFiles.made(made.compiler(), made.flags(), made.sourceSha256()));
    }

    /** Looked for once: each that is tried compiles a kernel. */
    private Availability<HipCompiler> compiler() {
        Availability<HipCompiler> found = compiler;
        if (found == null) {
            found = HipCompiler.find(env);
            compiler = found;
        }
        return found;
    }

    private HiprtcCompiler library(Image image, Availability.Unavailable<HipCompiler> none) {
        Availability<HiprtcCompiler> found = library;
        if (found == null) {
            found = HiprtcCompiler.find(env);
            library = found;
        }
        return switch (found) {
            case Availability.Available<HiprtcCompiler>(HiprtcCompiler hiprtc) -> hiprtc;
            case Availability.Unavailable<HiprtcCompiler> neither ->
                throw new UnsupportedException(image.file() + " has to be compiled, and there is neither a compiler ("
                        + none.text() + ") nor hiprtc (" + neither.text() + ")");
        };
    }
}
