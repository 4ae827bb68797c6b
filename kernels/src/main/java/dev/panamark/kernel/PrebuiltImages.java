package dev.panamark.kernel;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The PTX that comes with the program, by what it was made of. Immutable. */
public final class PrebuiltImages {
    /** Where they lie among the program's resources; {@link #INDEX} lists them. */
    public static final String ROOT = "panamark-kernels/prebuilt";

    /** Name of the list, YAML. */
    public static final String INDEX = "index.yaml";

    /** What the index's {@code format:} says. */
    public static final String FORMAT = "panamark.prebuilt/1";

    /** The architecture that they are made for where their sources need no later one: every GPU from Ampere on runs it. */
    public static final String ARCH = "sm_80";

    static final String REMEDY = "run scripts/build-kernels and commit what it writes";

    private final List<PrebuiltImage> images;

    private PrebuiltImages(List<PrebuiltImage> images) {
        this.images = List.copyOf(images);
    }

    /**
     * Those of the program.
     *
     * @throws KernelFileException where the index is missing or faulty
     */
    public static PrebuiltImages load() {
        String name = ROOT + "/" + INDEX;
        try (InputStream in = PrebuiltImages.class.getClassLoader().getResourceAsStream(name)) {
            if (in == null) {
                throw new KernelFileException(name, 0, "", "is missing from the program; build it again");
            }
            return parse(name, in.readAllBytes());
        } catch (IOException e) {
            throw new KernelFileException(name, 0, "", "cannot be read from the program: " + YamlFile.reason(e));
        }
    }

    /** Those of an index. */
    static PrebuiltImages parse(String name, byte[] yaml) {
        Keys top = YamlFile.parse(name, yaml).keys("format", "images");
        top.required("format", FORMAT).oneOf(FORMAT);
        List<PrebuiltImage> images = new ArrayList<>();
        for (Field item : top.required("images", "a list of images").list("a list of images")) {
            Keys keys = item.keys(
                    "source",
                    "source_sha256",
                    "options",
                    "arch",
                    "compiler",
                    "file",
                    "sha256",
                    "ptx",
                    "cuda",
                    "driver");
            images.add(new PrebuiltImage(
                    text(keys, "source"),
                    text(keys, "source_sha256"),
                    keys.required("options", "a list of options").list("a list of options").stream()
                            .map(o -> o.text("an option"))
                            .toList(),
                    text(keys, "arch"),
                    text(keys, "compiler"),
                    text(keys, "file"),
                    text(keys, "sha256"),
                    text(keys, "ptx"),
                    text(keys, "cuda"),
                    keys.optional("driver").map(d -> d.text("a driver"))));
        }
        return new PrebuiltImages(images);
    }

    private static String text(Keys keys, String key) {
        return keys.required(key, "a text").text("a text");
    }

    /** An index of images, as {@link #load} reads it. */
    public static String index(List<PrebuiltImage> images) {
        StringBuilder out = new StringBuilder(
                "# Written by scripts/build-kernels; sha256 of source and headers: see SourceClosure.\nformat: "
                        + FORMAT + "\nimages:\n");
        for (PrebuiltImage image : images) {
            out.append("  - source: ").append(quoted(image.source())).append('\n');
            line(out, "source_sha256", image.sourceSha256());
            out.append("    options: [")
                    .append(image.options().stream().map(PrebuiltImages::quoted).collect(Collectors.joining(", ")))
                    .append("]\n");
            line(out, "arch", image.arch());
            line(out, "compiler", image.compiler());
            line(out, "file", image.file());
            line(out, "sha256", image.sha256());
            line(out, "ptx", image.ptx());
            line(out, "cuda", image.cuda());
            image.driver().ifPresent(d -> line(out, "driver", d));
        }
        return out.toString();
    }

    private static void line(StringBuilder out, String key, String value) {
        out.append("    ").append(key).append(": ").append(quoted(value)).append('\n');
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    /** In the order of the index. */
    public List<PrebuiltImage> all() {
        return images;
    }

    /**
     * The image made of a source with these options, whoever's file it is.
     *
     * @param sourceSha256 {@link SourceClosure#sha256} of the source
     * @param options in the same order
     * @param arch that is to run it; an image for an older one does too, and the newest of these is taken
     */
    public Optional<PrebuiltImage> find(String sourceSha256, List<String> options, String arch) {
        int wanted = capability(arch);
        return images.stream()
                .filter(i ->
                        i.sourceSha256().equals(sourceSha256) && i.options().equals(options))
                // Only plain architectures go on working on newer ones (not sm_90a).
                .filter(i -> i.arch().equals(arch)
                        || CudaArch.of(i.arch())
                                .filter(a -> a.suffix().isEmpty() && a.runsOn(wanted))
                                .isPresent())
                .max(Comparator.comparingInt(i -> i.arch().equals(arch) ? Integer.MAX_VALUE : capability(i.arch())));
    }

    private static int capability(String arch) {
        return CudaArch.of(arch).map(CudaArch::capability).orElse(-1);
    }
}
