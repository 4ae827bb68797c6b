package dev.panamark.device.emulated;

import dev.panamark.driver.compile.CompileException;
import dev.panamark.driver.nvcc.Ptxas;
import dev.panamark.ffi.Availability;
import dev.panamark.image.Code;
import dev.panamark.image.CudaImages;
import dev.panamark.kernel.Image;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/** Makes PTX of images. Used by one thread. */
final class PtxImages {
    private static final List<String> SUFFIXES = List.of(".cu", ".ptx");

    private final CudaImages images;
    private final String target;

    /** {@code target} is what sources are compiled for, and registers counted: {@code sm_90}. */
    PtxImages(Map<String, String> env, Path cacheDir, String target) {
        this.images = new CudaImages(env, cacheDir);
        this.target = target;
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
        String arch = image.arch().map(a -> a.target(target)).orElse(target);
        Code code = images.code(image, SUFFIXES, arch);
        return new Text(
                code.name(),
                new String(code.bytes(), StandardCharsets.ISO_8859_1), // what is no PTX is the parser's to name
                code.sha256(),
                code.facts(),
                registers(code.file(), arch));
    }

    /** PTX has as many registers as it likes; how many of the device's they become is for ptxas to say. */
    private Availability<Map<String, Integer>> registers(Path file, String arch) {
        return switch (images.assembler()) {
            case Availability.Available<Ptxas>(Ptxas ptxas) -> {
                try {
                    yield Availability.of(ptxas.registers(file, arch));
                } catch (CompileException e) {
                    yield Availability.missing(
                            "ptxas refuses the text: " + e.getMessage(), "Occupancy needs its count of registers.");
                }
            }
            case Availability.Unavailable<Ptxas> none ->
                Availability.missing("there is no ptxas to count them", none.remedy());
        };
    }
}
