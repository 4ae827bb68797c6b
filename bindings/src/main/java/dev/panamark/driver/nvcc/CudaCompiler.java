package dev.panamark.driver.nvcc;

import dev.panamark.driver.compile.CompileCache;
import dev.panamark.driver.compile.CompileException;
import dev.panamark.driver.compile.CompilerRun;
import dev.panamark.driver.compile.Programs;
import dev.panamark.driver.compile.ScratchFolder;
import dev.panamark.driver.compile.Sha256;
import dev.panamark.driver.compile.SourceFile;
import dev.panamark.driver.compile.Subprocess;
import dev.panamark.driver.compile.VersionQuestion;
import dev.panamark.ffi.Availability;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * NVIDIA's compiler, which makes PTX of CUDA C++. May be used by several threads and processes at once on one cache
 * folder.
 */
public final class CudaCompiler {
    private static final String REMEDY =
            "Install the CUDA toolkit, 11.0 or newer (https://developer.nvidia.com/cuda-downloads; Debian, Ubuntu: "
                    + "apt-get install nvidia-cuda-toolkit), or set CUDA_HOME to the folder that holds its bin/nvcc";
    private static final Duration COMPILE_TIMEOUT = Duration.ofMinutes(2);

    /** Variables whose options nvcc puts before and after those that it is called with. */
    private static final List<String> HIDDEN_OPTIONS = List.of("NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS");

    private final Path nvcc;
    private final Ptxas ptxas;
    private final String version;
    private final Subprocess subprocess;
    private final CompilerRun run;

    private CudaCompiler(Path folder, String version, Subprocess subprocess) {
        this.nvcc = folder.resolve("nvcc");
        this.ptxas = new Ptxas(folder.resolve("ptxas"), "ptxas of nvcc " + version, subprocess);
        this.version = version;
        this.subprocess = subprocess;
        this.run = new CompilerRun(nvcc.toString(), "nvcc " + version, subprocess);
    }

    /**
     * Looks for a toolkit: {@code $CUDA_HOME}, else {@code $CUDA_PATH}, where one is set (it must work then); otherwise
     * {@code /usr/local/cuda}, {@code /usr/local/cuda-*} (the newest first), {@code /opt/cuda}, and {@code nvcc} on
     * {@code $PATH}.
     *
     * @param env environment variables, which are also those of the compiler
     */
    public static Availability<CudaCompiler> find(Map<String, String> env) {
        return find(env, Path.of("/"), COMPILE_TIMEOUT);
    }

    static Availability<CudaCompiler> find(Map<String, String> env, Path root, Duration timeout) {
        List<ToolkitPlaces.Place> chosen = ToolkitPlaces.chosen(env);
        List<String> reasons = new ArrayList<>();
        for (ToolkitPlaces.Place place : chosen.isEmpty() ? ToolkitPlaces.usual(env, root) : chosen) {
            switch (checked(place.folder(), env)) {
                case Availability.Available<String>(String release) -> {
                    return Availability.of(new CudaCompiler(place.folder(), release, new Subprocess(env, timeout)));
                }
                case Availability.Unavailable<String> none ->
                    reasons.add(place.label() + ": " + none.reasons().getFirst());
            }
        }
        if (chosen.isEmpty() && Programs.find("nvcc", env).isEmpty()) {
            reasons.add("nvcc: " + Programs.whyNot("nvcc", env));
        }
        return new Availability.Unavailable<>(
                reasons, chosen.isEmpty() ? REMEDY : REMEDY + ", or unset it to search the usual places");
    }

    private static Availability<String> checked(Path folder, Map<String, String> env) {
        for (String program : List.of("nvcc", "ptxas")) {
            if (!Programs.isProgram(folder.resolve(program))) {
                return Availability.missing(
                        Files.isDirectory(folder)
                                ? "no executable file " + folder.resolve(program)
                                : "no folder " + folder,
                        REMEDY);
            }
        }
        return release(folder.resolve("nvcc"), env);
    }

    /** What a program of the toolkit calls its release and build. */
    static Availability<String> release(Path program, Map<String, String> env) {
        return switch (VersionQuestion.ask(List.of(program.toString()), env)) {
            case VersionQuestion.Answer.None(String reason) -> Availability.missing(reason, REMEDY);
            case VersionQuestion.Answer.Lines(List<String> lines) ->
                lines.stream()
                        .filter(l -> l.contains("release "))
                        .findFirst()
                        .map(l -> Availability.of(l.substring(l.indexOf("release "))))
                        .orElseGet(() -> Availability.missing(
                                program + " --version says no release, but '" + lines.getLast() + "'", REMEDY));
        };
    }

    /** Where nvcc lies. */
    public Path path() {
        return nvcc;
    }

    /** Release and build, {@code release 13.0, V13.0.88}. */
    public String version() {
        return version;
    }

    /**
     * Makes PTX of one source file, or finds it in the cache.
     *
     * <p>The key of the cache is the source after preprocessing (so headers count; so do lines, which stand in the
     * text), the compiler's version and the flags. The text asks for the least version of PTX, from 7.0 on, with which
     * {@code ptxas} takes it, so that old drivers take it too, and names files relative to the source's folder.
     *
     * @param source CUDA C++; nvcc runs in its folder, so relative {@code -I} options start there
     * @param options added to {@code -ptx -arch=ARCH -lineinfo}; each begins with '-' and holds its value
     * @param arch the least architecture that is to run it, {@code sm_80}
     * @param cacheDir made when it is not there
     * @throws CompileException when an option or the architecture is none that can be taken, when nvcc or ptxas refuses
     *     the source (the message holds its first error lines) or takes more than 120 s, or when the cache cannot be
     *     written
     */
    public CompiledPtx ptx(Path source, List<String> options, String arch, Path cacheDir) {
        SourceFile file = SourceFile.read(source, "CUDA C++");
        CudaOptions.checkArchitecture(arch, source);
        CudaOptions.check(options, source, "nvcc");
        NvccOptions.check(options, source);
        NvccOptions.checkName(name(file), source);
        List<String> flags = new ArrayList<>(List.of("-ptx", "-arch=" + arch, "-lineinfo"));
        flags.addAll(options);
        List<String> all = new ArrayList<>(flags);
        HIDDEN_OPTIONS.stream()
                .filter(subprocess.env()::containsKey)
                .forEach(name -> all.add(name + "=" + subprocess.env().get(name)));
        try {
            List<String> ingredients = new ArrayList<>(
                    List.of(PtxText.RULES, preprocess(file, arch, options), name(file), file.sha256(), version));
            ingredients.addAll(all);
            CompileCache.Stored stored = new CompileCache(cacheDir.toAbsolutePath(), ".ptx")
                    .get(Sha256.of(ingredients), file, scratch -> build(file, flags, arch, scratch));
            return new CompiledPtx(
                    stored.file(),
                    stored.sha256(),
                    version,
                    all,
                    file.sha256(),
                    read(stored.file()).version());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CompileException("interrupted while compiling " + file.path(), e);
        } catch (IOException e) {
            throw new CompileException("the PTX of " + file.path() + " cannot be read: " + e, e);
        }
    }

    /** The assembler of the same toolkit. */
    public Ptxas ptxas() {
        return ptxas;
    }

    private String preprocess(SourceFile file, String arch, List<String> options) throws InterruptedException {
        List<String> call = new ArrayList<>(List.of(nvcc.toString(), "-E", "-x", "cu", "-arch=" + arch));
        call.addAll(options);
        call.add(input(file));
        try {
            return run.checked(call, file).out();
        } catch (CompileException e) {
            if (String.valueOf(e.getMessage()).contains("host compiler properties")) {
                throw new CompileException(
                        e.getMessage()
                                + "\nnvcc needs a C++ compiler of the host (Debian, Ubuntu: apt-get install g++) "
                                + "on PATH, or NVCC_CCBIN to name one",
                        e);
            }
            throw e;
        }
    }

    private void build(SourceFile file, List<String> flags, String arch, Path scratch)
            throws IOException, InterruptedException {
        try (ScratchFolder folder = ScratchFolder.make("panamark-nvcc")) {
            Path raw = folder.path().resolve("raw.ptx");
            List<String> call = new ArrayList<>(List.of(nvcc.toString(), "-o", raw.toString(), "-x", "cu"));
            call.addAll(flags);
            call.add(input(file));
            run.checked(call, file);
            if (!Files.isRegularFile(raw)) {
                throw new CompileException(String.join(" ", call) + " ended with 0 but wrote no file; is it nvcc?");
            }
            PtxText text = read(folder, raw)
                    .withRelativeFiles(file.folder().toRealPath())
                    .withModule(name(file), file.sha256().substring(0, 8));
            Files.writeString(scratch, lowered(text, file, arch).text(), StandardCharsets.ISO_8859_1);
        }
    }

    /** The same text, asking for the least version that ptxas takes it with. */
    private PtxText lowered(PtxText text, SourceFile file, String arch) throws IOException, InterruptedException {
        Optional<PtxText> lower = ptxas.lowered(text, file, arch);
        if (lower.isEmpty()) {
            ptxas.check(text, file, arch);
        }
        return lower.orElse(text);
    }

    private static PtxText read(ScratchFolder folder, Path file) throws IOException {
        try {
            return read(file);
        } catch (FileSystemException e) {
            throw folder.explained(e);
        }
    }

    private static PtxText read(Path file) throws IOException {
        return new PtxText(Files.readString(file, StandardCharsets.ISO_8859_1));
    }

    private static String name(SourceFile file) {
        return String.valueOf(file.path().getFileName());
    }

    /** Its name alone: what nvcc is given stands in messages and in {@code __FILE__}. */
    private static String input(SourceFile file) {
        return name(file).startsWith("-") ? "./" + name(file) : name(file);
    }
}
