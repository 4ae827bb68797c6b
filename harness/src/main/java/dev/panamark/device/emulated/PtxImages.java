package dev.panamark.device.emulated;

import dev.panamark.device.DeviceException;
import dev.panamark.device.UnsupportedException;
import dev.panamark.driver.compile.CompileException;
import dev.panamark.driver.compile.Sha256;
import dev.panamark.driver.nvcc.CompiledPtx;
import dev.panamark.driver.nvcc.CudaCompiler;
import dev.panamark.ffi.Availability;
import dev.panamark.kernel.Image;
import dev.panamark.kernel.PrebuiltImage;
import dev.panamark.kernel.PrebuiltImages;
import dev.panamark.kernel.SourceClosure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/** Makes PTX of images. Used by one thread. */
final class PtxImages {
    /** Bytes of a text that is read. */
    private static final long LARGEST = 256L << 20;

    private final Map<String, String> env;
    private final Path cacheDir;
    private final String target;
    private @Nullable Availability<CudaCompiler> compiler;
    private @Nullable PrebuiltImages prebuilt;

    /** {@code target} is what sources are compiled for, and registers counted: {@code sm_90}. */
    PtxImages(Map<String, String> env, Path cacheDir, String target) {
        this.target = target;
        this.env = env;
        this.cacheDir = cacheDir;
    }

    /**
     * A PTX text.
     *
     * @param name for messages
     * @param ptx the text
     * @param sha256 of it, hex
     * @param facts where it comes from
     * @param registers of a thread, by kernel; or why they are not known
     */
    record Text(
            String name,
            String ptx,
            String sha256,
            SequencedMap<String, Object> facts,
            Availability<Map<String, Integer>> registers) {

        /** Of a thread of this kernel. */
        Availability<Registers> registers(String kernel) {
            return switch (registers) {
                case Availability.Available<Map<String, Integer>>(Map<String, Integer> known)
                when known.containsKey(kernel) ->
                    Availability.of(new Registers(known.getOrDefault(kernel, 0), "registers by ptxas", true));
                case Availability.Available<Map<String, Integer>> others ->
                    Availability.missing("ptxas does not say how many registers " + kernel + " takes", "Report it.");
                case Availability.Unavailable<Map<String, Integer>> none -> none.as();
            };
        }
    }

    Text text(Image image) {
        String file = image.file().toString();
        if (file.endsWith(".ptx")) {
            return read(image.file(), new LinkedHashMap<>(), target(image));
        }
        if (file.endsWith(".cu")) {
            Optional<PrebuiltImage> ready = prebuilt(image);
            return ready.isPresent() ? read(ready.get(), target(image)) : compiled(image, target(image));
        }
        throw new UnsupportedException("an emulated device runs .cu sources and .ptx texts, not " + file);
    }

    private String target(Image image) {
        return image.arch().map(a -> a.target(target)).orElse(target);
    }

    /** Looked for once: asking it for its version takes longer than reading a text. */
    private Availability<CudaCompiler> compiler() {
        Availability<CudaCompiler> found = compiler;
        if (found == null) {
            found = CudaCompiler.find(env);
            compiler = found;
        }
        return found;
    }

    private Optional<PrebuiltImage> prebuilt(Image image) {
        PrebuiltImages all = prebuilt;
        if (all == null) {
            all = PrebuiltImages.load();
            prebuilt = all;
        }
        try {
            return all.find(SourceClosure.of(image.file(), image.options()).sha256(), image.options(), target(image));
        } catch (IOException e) {
            throw new DeviceException(image.file() + " cannot be read: " + e.getMessage(), e);
        }
    }

    private Text read(PrebuiltImage ready, String arch) {
        SequencedMap<String, Object> facts = new LinkedHashMap<>();
        facts.put("compiler", ready.compiler());
        facts.put("flags", ready.options());
        facts.put("source_sha256", ready.sourceSha256());
        facts.put("prebuilt", true);
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
        return new Text(
                ready.file(),
                new String(ready.bytes(), StandardCharsets.ISO_8859_1),
                ready.sha256(),
                facts,
                registers(file, arch));
    }

    private Text compiled(Image image, String arch) {
        CudaCompiler nvcc = switch (compiler()) {
            case Availability.Available<CudaCompiler>(CudaCompiler found) -> found;
            case Availability.Unavailable<CudaCompiler> none ->
                throw new UnsupportedException(image.file() + " has to be compiled: " + none.text());
        };
        CompiledPtx made;
        try {
            made = nvcc.ptx(image.file(), image.options(), arch, cacheDir);
        } catch (CompileException e) {
            throw new DeviceException(String.valueOf(e.getMessage()), e);
        }
        SequencedMap<String, Object> facts = new LinkedHashMap<>();
        facts.put("compiler", made.compiler());
        facts.put("flags", made.flags());
        facts.put("source_sha256", made.sourceSha256());
        return read(made.file(), facts, arch);
    }

    private Text read(Path file, SequencedMap<String, Object> facts, String arch) {
        try {
            if (Files.size(file) > LARGEST) {
                throw new UnsupportedException(
                        file + " has " + Files.size(file) + " bytes, and a PTX text may have at most " + LARGEST);
            }
            return new Text(
                    file.getFileName().toString(),
                    Files.readString(file, StandardCharsets.ISO_8859_1), // what is no PTX is the parser's to name
                    Sha256.of(file),
                    facts,
                    registers(file, arch));
        } catch (IOException e) {
            throw new DeviceException(file + " cannot be read: " + e.getMessage(), e);
        }
    }

    /** PTX has as many registers as it likes; how many of the device's they become is for ptxas to say. */
    private Availability<Map<String, Integer>> registers(Path file, String arch) {
        return switch (compiler()) {
            case Availability.Available<CudaCompiler>(CudaCompiler nvcc) -> {
                try {
                    yield Availability.of(nvcc.registers(file, arch));
                } catch (CompileException e) {
                    yield Availability.missing(
                            "ptxas refuses the text: " + e.getMessage(), "Occupancy needs its count of registers.");
                }
            }
            case Availability.Unavailable<CudaCompiler> none ->
                Availability.missing("there is no ptxas to count them", none.remedy());
        };
    }
}
