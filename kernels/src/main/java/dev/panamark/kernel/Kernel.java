package dev.panamark.kernel;

import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A kernel as its file describes it, for every problem and device. Immutable; threads may share it. */
public final class Kernel {
    private final KernelSpec spec;

    private Kernel(KernelSpec spec) {
        this.spec = spec;
    }

    /**
     * Reads a kernel file.
     *
     * @param file YAML; the images lie beside it
     * @throws KernelFileException on anything that is wrong whatever the problem
     */
    public static Kernel read(Path file) {
        return new Kernel(KernelReader.read(file));
    }

    /** Full name: {@code attention.prefill.blocked}. */
    public String name() {
        return spec.name();
    }

    /** What it shares with its variants: the name without its last part, {@code attention.prefill}. */
    public String family() {
        return spec.name().substring(0, spec.name().lastIndexOf('.'));
    }

    /** One line on what it is for. */
    public String purpose() {
        return spec.purpose();
    }

    /** The kernel file, as the user named it. */
    public String file() {
        return spec.file();
    }

    /** Backends that it has images for. */
    public Set<String> backends() {
        Set<String> backends = new LinkedHashSet<>();
        spec.images().keySet().forEach(b -> backends.add(b.startsWith("host.") ? b.substring("host.".length()) : b));
        return backends;
    }

    /** In the order of the file. */
    public List<Axis> axes() {
        return List.copyOf(spec.axes().values());
    }

    /** Whether it has an axis of this name. */
    public boolean hasAxis(String name) {
        return spec.axes().containsKey(name);
    }

    /** Whether it has an image, on some condition perhaps, that devices of this backend run. */
    public boolean hasImage(String backend) {
        return InstanceResolver.sections(backend).stream().anyMatch(spec.images()::containsKey);
    }

    /** Whether it measures a ceiling of the device. */
    public boolean ceiling() {
        return spec.ceiling().isPresent();
    }

    /** sha256 of the kernel file and its image files with all that these include from beside them, hex. */
    public String sourceSha256() {
        return spec.hash().sha256();
    }

    /**
     * Every combination of the axes' values, zipped axes going together; the last axis changes fastest. {@code where}
     * is decided by {@link #instance}.
     *
     * @param backend whose own values to take where an axis has some
     * @param overrides values from the command line
     * @param model sets those axes of the kernel that it has, unless an override does
     * @throws KernelFileException where an override names no axis, has values of another kind, or makes zipped axes
     *     differ in length
     */
    public List<Problem> problems(String backend, List<AxisOverride> overrides, Optional<Model> model) {
        return new ProblemSpace(spec, backend, overrides, model).problems();
    }

    /**
     * Puts all values in.
     *
     * @throws KernelFileException where an expression has no proper value for this problem
     */
    public Resolution instance(Problem problem, DeviceValues device) {
        return new InstanceResolver(spec, problem, device).resolve();
    }

    /** The kernel in words, in lines of at most 110 columns. */
    public String describe() {
        return new Description(spec).text();
    }

    @Override
    public String toString() {
        return spec.name();
    }

    /** The field that names another kernel to compare with. */
    Optional<Field> against() {
        return spec.check().against();
    }
}
