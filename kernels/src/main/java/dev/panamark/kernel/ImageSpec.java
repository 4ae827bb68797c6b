package dev.panamark.kernel;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * One choice of image as a kernel file describes it.
 *
 * @param when it may be chosen; always where there is no condition
 * @param file where it lies
 * @param written as in the kernel file
 * @param options of the compiler
 * @param arch that the code needs; only of images for CUDA
 */
record ImageSpec(Optional<Formula> when, Path file, String written, List<Template> options, Optional<CudaArch> arch) {
    private static final long LARGEST = 256L << 20;

    private static final String EXPECTED = "{file: x} or a list of {when: , file: , options: []}";

    /** Images by backend; {@code host.cuda} and {@code host.hip} stand under those keys. */
    static SequencedMap<String, List<ImageSpec>> read(Field field, Path folder, Names known) {
        SequencedMap<String, List<ImageSpec>> images = new LinkedHashMap<>();
        Keys keys = field.keys("cuda", "hip", "cpu", "host");
        keys.fields().forEach((backend, value) -> {
            if (backend.equals("host")) {
                value.keys("cuda", "hip")
                        .fields()
                        .forEach((of, f) -> images.put("host." + of, choices(f, folder, known, false)));
            } else {
                images.put(backend, choices(value, folder, known, backend.equals("cuda")));
            }
        });
        if (images.isEmpty()) {
            throw field.fault("is empty, expected an image for cuda, hip, cpu or host");
        }
        return images;
    }

    private static List<ImageSpec> choices(Field field, Path folder, Names known, boolean cuda) {
        List<Field> items = field.isList() ? field.list(EXPECTED) : List.of(field);
        if (items.isEmpty()) {
            throw field.fault("is empty, expected " + EXPECTED);
        }
        List<ImageSpec> out = new ArrayList<>();
        for (Field item : items) {
            if (item.isScalar()) {
                out.add(image(Optional.empty(), item, folder, List.of(), Optional.empty()));
                continue;
            }
            Keys keys = cuda ? item.keys("when", "file", "options", "arch") : item.keys("when", "file", "options");
            List<Template> options = keys.optional("options")
                    .map(f -> f.list("a list of compiler options").stream()
                            .map(o -> Template.read(o, "a compiler option", known))
                            .toList())
                    .orElse(List.of());
            out.add(image(
                    keys.optional("when").map(f -> Formula.read(f, known)),
                    keys.required("file", "a file beside the kernel file"),
                    folder,
                    options,
                    keys.optional("arch").map(ImageSpec::arch)));
        }
        return out;
    }

    private static CudaArch arch(Field field) {
        String written = field.text("an architecture");
        return CudaArch.of(written)
                .orElseThrow(() -> field.fault(
                        "'" + Field.shown(written) + "' is no architecture, expected one such as sm_89 or sm_90a"));
    }

    private static ImageSpec image(
            Optional<Formula> when, Field field, Path folder, List<Template> options, Optional<CudaArch> arch) {
        String written = field.text("a file beside the kernel file");
        Path file;
        try {
            file = folder.resolve(written).normalize();
        } catch (InvalidPathException e) {
            throw field.fault("'" + Field.shown(written) + "' is no file name");
        }
        if (!Files.exists(file)) {
            throw field.fault("'" + Field.shown(written) + "' does not exist (looked for " + file + ")");
        }
        if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
            throw field.fault("'" + Field.shown(written) + "' is "
                    + (Files.isDirectory(file) ? "a directory" : "no file that can be read")
                    + ", expected a source or a binary");
        }
        if (file.toFile().length() > LARGEST) {
            throw field.fault("'" + Field.shown(written) + "' has "
                    + file.toFile().length() + " bytes, expected at most " + LARGEST);
        }
        return new ImageSpec(when, file, written, options, arch);
    }

    /** Hash of the file and what it includes; folders that depend on an axis are not looked in. */
    String closure() throws IOException {
        return SourceClosure.of(file, includeOptions()).sha256();
    }

    private List<String> includeOptions() {
        return options.stream()
                .filter(o -> o.names().isEmpty())
                .map(Template::toString)
                .toList();
    }
}
