package dev.panamark.kernel;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** The kernels that can be measured: those that come with the program and those that a user brings. Immutable. */
public final class Catalogue {
    private static final Map<String, String> EMPTY = Map.of("cpu", "empty.c", "cuda", "empty.ptx", "hip", "empty.hip");

    /** The function of {@link #empty}: no parameters, does nothing. */
    public static final String EMPTY_ENTRY = "panamark_empty";

    private final List<Kernel> kernels;
    private final int builtin;
    private final Path folder;

    private Catalogue(List<Kernel> kernels, int builtin, Path folder) {
        this.kernels = List.copyOf(kernels);
        this.builtin = builtin;
        this.folder = folder;
    }

    /**
     * The kernels that come with the program. Their files are copied below {@code cacheDir}, since compilers read
     * files; the folder is named after their contents, and processes may do this at the same time.
     *
     * @param cacheDir made where it is missing
     * @throws KernelFileException where the folder cannot be written, or a built-in is faulty
     */
    public static Catalogue builtin(Path cacheDir) {
        return builtin(cacheDir, "panamark-kernels");
    }

    /** The kernels whose files are class-path resources below {@code root}, listed in its {@code index.txt}. */
    static Catalogue builtin(Path cacheDir, String root) {
        BuiltinFiles files = BuiltinFiles.load(root);
        Path folder = files.extract(cacheDir);
        List<Kernel> kernels = files.names().stream()
                .filter(name -> name.endsWith(".yaml"))
                .map(name -> Kernel.read(folder.resolve(name)))
                .sorted(Comparator.comparing(Kernel::name))
                .toList();
        Catalogue catalogue = new Catalogue(List.of(), 0, folder);
        for (Kernel kernel : kernels) {
            catalogue = catalogue.with(kernel);
        }
        kernels.forEach(catalogue::checkAgainst);
        return new Catalogue(catalogue.kernels, kernels.size(), folder);
    }

    /**
     * These kernels and that of a user's file.
     *
     * @throws KernelFileException on any fault of the file, and where its kernel has the name of another
     */
    public Catalogue withFile(Path userYaml) {
        return withFiles(List.of(userYaml));
    }

    /**
     * These kernels and those of a user's files, which may be checked against each other in any order.
     *
     * @throws KernelFileException on any fault of a file, and where a kernel has the name of another
     */
    public Catalogue withFiles(List<Path> userYamls) {
        Catalogue all = this;
        for (Path file : userYamls) {
            all = all.with(Kernel.read(file));
        }
        all.added().forEach(all::checkAgainst);
        return all;
    }

    /** The kernels of users' files, in the order of adding. */
    public List<Kernel> added() {
        return kernels.subList(builtin, kernels.size());
    }

    /** In order: the program's by name, then the user's. */
    public List<Kernel> all() {
        return kernels;
    }

    /** The image of a kernel that does nothing, for measuring what launches cost; empty where a backend has none. */
    public Optional<Image> empty(String backend) {
        return Optional.ofNullable(EMPTY.get(backend)).map(file -> new Image(backend, folder.resolve(file), List.of()));
    }

    /**
     * Those whose full names match one of the globs ({@code *} any characters, {@code ?} one), in the order of
     * {@link #all}; all of them for no globs.
     *
     * @throws KernelFileException for a glob that matches nothing
     */
    public List<Kernel> select(List<String> globs) {
        if (globs.isEmpty()) {
            return kernels;
        }
        List<Pattern> patterns = new ArrayList<>();
        for (String glob : globs) {
            Pattern pattern = pattern(glob);
            if (kernels.stream().noneMatch(k -> pattern.matcher(k.name()).matches())) {
                throw new KernelFileException(
                        "-b " + glob,
                        0,
                        "",
                        "matches no kernel"
                                + Near.hint(
                                        glob.replaceAll("[*?]", ""),
                                        kernels.stream().map(Kernel::name).toList()));
            }
            patterns.add(pattern);
        }
        return kernels.stream()
                .filter(k -> patterns.stream().anyMatch(p -> p.matcher(k.name()).matches()))
                .toList();
    }

    /** The path of a built-in file below the root of all, with slashes. */
    String below(Path file) {
        return folder.relativize(file).toString().replace('\\', '/');
    }

    private Catalogue with(Kernel kernel) {
        for (Kernel other : kernels) {
            if (other.name().equals(kernel.name())) {
                throw new KernelFileException(
                        kernel.file(),
                        0,
                        "kernel",
                        "'" + kernel.name() + "' is the name of the kernel in " + other.file()
                                + "; expected another name");
            }
        }
        List<Kernel> more = new ArrayList<>(kernels);
        more.add(kernel);
        return new Catalogue(more, builtin, folder);
    }

    private void checkAgainst(Kernel kernel) {
        kernel.against().ifPresent(field -> {
            String name = field.text("the name of another kernel");
            List<String> others = kernels.stream()
                    .map(Kernel::name)
                    .filter(n -> !n.equals(kernel.name()))
                    .toList();
            if (!others.contains(name)) {
                throw field.fault("unknown kernel '" + Field.shown(name) + "'" + Near.hint(name, others));
            }
        });
    }

    private static Pattern pattern(String glob) {
        StringBuilder regex = new StringBuilder();
        for (int i = 0; i < glob.length(); i++) {
            char c = glob.charAt(i);
            regex.append(c == '*' ? ".*" : c == '?' ? "." : Pattern.quote(String.valueOf(c)));
        }
        // "**" would make matching slow and means the same.
        return Pattern.compile(regex.toString().replaceAll("(\\.\\*)+", ".*"));
    }
}
