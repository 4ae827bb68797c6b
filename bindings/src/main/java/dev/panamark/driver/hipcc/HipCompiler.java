package dev.panamark.driver.hipcc;

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
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A compiler that makes code objects of HIP: ROCm's, which brings HIP's headers, or clang alone, with which a source brings
 * what it needs. May be used by several threads and processes at once on one cache folder.
 */
public final class HipCompiler {
    /** The environment variable that names another compiler. */
    public static final String VARIABLE = "PANAMARK_HIPCC";

    private static final String REMEDY =
            "Install ROCm (https://rocm.docs.amd.com), or clang 19 or newer with the lld of the same version (Debian, "
                    + "Ubuntu: apt-get install clang-19 lld-19; https://apt.llvm.org), or set " + VARIABLE
                    + " to a compiler";

    /** The first that works is taken: ROCm's own know its runtime best. */
    private static final List<String> USUAL = List.of(
            "hipcc",
            "/opt/rocm/bin/hipcc",
            "amdclang++",
            "/opt/rocm/bin/amdclang++",
            "clang-22",
            "clang-21",
            "clang-20",
            "clang-19",
            "clang");

    private static final Duration COMPILE_TIMEOUT = Duration.ofMinutes(2);

    /** What every compiler is asked for: code of one device and nothing around it, which ROCm takes from 5.x on. */
    private static final List<String> FIXED =
            List.of("-x", "hip", "--cuda-device-only", "--no-gpu-bundle-output", "-O3", "-mcode-object-version=5");

    /** Without ROCm there are neither its headers nor its device libraries. */
    private static final List<String> WITHOUT_ROCM = List.of("-nogpuinc", "-nogpulib");

    private final Path program;
    private final String version;
    private final boolean ofRocm;
    private final CompilerRun run;

    private HipCompiler(Path program, String version, boolean ofRocm, Subprocess subprocess) {
        this.program = program;
        this.version = version;
        this.ofRocm = ofRocm;
        this.run = new CompilerRun(program.toString(), version, subprocess);
    }

    /**
     * Looks for a compiler: {@code $PANAMARK_HIPCC} where it is set (it must work then), otherwise {@code hipcc} and
     * {@code amdclang++} on {@code $PATH} and of {@code /opt/rocm}, and {@code clang-22} to {@code clang-19} and
     * {@code clang} on {@code $PATH}. One is taken that compiles and links an empty kernel for an MI200.
     *
     * @param env environment variables, which are also those of the compiler
     */
    public static Availability<HipCompiler> find(Map<String, String> env) {
        return find(env, USUAL, COMPILE_TIMEOUT);
    }

    static Availability<HipCompiler> find(Map<String, String> env, List<String> usual, Duration timeout) {
        String chosen = env.getOrDefault(VARIABLE, "").strip();
        List<String> reasons = new ArrayList<>();
        for (String candidate : chosen.isEmpty() ? usual : List.of(chosen)) {
            Optional<Path> program = Programs.find(candidate, env);
            String label = chosen.isEmpty() ? candidate : VARIABLE + "=" + candidate;
            if (program.isEmpty()) {
                reasons.add(label + ": " + Programs.whyNot(candidate, env));
                continue;
            }
            switch (tried(program.get(), env, timeout)) {
                case Availability.Available<HipCompiler> found -> {
                    return found;
                }
                case Availability.Unavailable<HipCompiler> none ->
                    reasons.add(label + ": " + none.reasons().getFirst());
            }
        }
        return new Availability.Unavailable<>(
                reasons, chosen.isEmpty() ? REMEDY : REMEDY + ", or unset " + VARIABLE + " to search the usual ones");
    }

    private static Availability<HipCompiler> tried(Path program, Map<String, String> env, Duration timeout) {
        String name = String.valueOf(program.getFileName());
        boolean ofRocm = name.startsWith("hipcc") || name.startsWith("amdclang");
        return switch (VersionQuestion.ask(List.of(program.toString()), env)) {
            case VersionQuestion.Answer.None(String reason) -> Availability.missing(reason, REMEDY);
            case VersionQuestion.Answer.Lines(List<String> lines) -> {
                String version = lines.stream()
                        .filter(l -> l.contains("clang version"))
                        .findFirst()
                        .orElse(lines.getFirst());
                yield new HipCompiler(program, version, ofRocm, new Subprocess(env, timeout)).proven();
            }
        };
    }

    /** Many a clang has no AMDGPU target, or no lld of its version: an empty kernel shows it. */
    private Availability<HipCompiler> proven() {
        try (ScratchFolder folder = ScratchFolder.make("panamark-hip")) {
            Path source = folder.path().resolve("empty.hip");
            Files.writeString(source, "extern \"C\" __attribute__((global)) void empty() {}\n");
            List<String> call = call(flags("gfx90a", List.of()));
            call.addAll(List.of("-o", folder.path().resolve("empty.co").toString(), source.toString()));
            run.checked(call, SourceFile.read(source, "HIP"));
            return Availability.of(this);
        } catch (CompileException e) {
            return Availability.missing(String.valueOf(e.getMessage()), REMEDY);
        } catch (IOException e) {
            return Availability.missing("it cannot be tried: " + e, REMEDY);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Availability.missing("interrupted while it was tried", REMEDY);
        }
    }

    /** Where it lies. */
    public Path path() {
        return program;
    }

    /** The line of {@code --version} that names clang's. */
    public String version() {
        return version;
    }

    /** Whether it brings HIP's headers and device libraries, so that sources may include {@code hip/hip_runtime.h}. */
    public boolean isOfRocm() {
        return ofRocm;
    }

    /**
     * Makes a code object of one source file, or finds it in the cache.
     *
     * <p>The key of the cache is the source after preprocessing (so headers count), its name, the compiler's version and the
     * flags.
     *
     * @param source HIP; the compiler runs in its folder, so relative {@code -I} options start there
     * @param options added to {@code -x hip --cuda-device-only --no-gpu-bundle-output -O3 -mcode-object-version=5
     *     --offload-arch=TARGET} and without ROCm {@code -nogpuinc -nogpulib}; each begins with '-' and holds its value
     * @param target what it is for, {@code gfx942}
     * @param cacheDir made when it is not there
     * @throws CompileException when an option or the target is none that can be taken, when the compiler refuses the source
     *     (the message holds its first error lines) or takes more than 120 s, or when the cache cannot be written
     */
    public CompiledCode compile(Path source, List<String> options, String target, Path cacheDir) {
        SourceFile file = SourceFile.read(source, "HIP");
        HipOptions.checkTarget(target, source);
        HipOptions.check(options, source);
        List<String> flags = flags(target, options);
        try {
            List<String> ingredients = new ArrayList<>(List.of(preprocess(file, flags), name(file), version));
            ingredients.addAll(flags);
            CompileCache.Stored stored = new CompileCache(cacheDir.toAbsolutePath(), ".co")
                    .get(Sha256.of(ingredients), file, scratch -> build(file, flags, scratch));
            return new CompiledCode(stored.file(), stored.sha256(), version, flags, file.sha256());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CompileException("interrupted while compiling " + file.path(), e);
        }
    }

    private List<String> flags(String target, List<String> options) {
        List<String> flags = new ArrayList<>(FIXED);
        flags.add("--offload-arch=" + target);
        if (!ofRocm) {
            flags.addAll(WITHOUT_ROCM);
        }
        flags.addAll(options);
        return flags;
    }

    private List<String> call(List<String> flags) {
        List<String> call = new ArrayList<>(List.of(program.toString()));
        call.addAll(flags);
        return call;
    }

    private String preprocess(SourceFile file, List<String> flags) throws InterruptedException {
        List<String> call = call(flags);
        call.addAll(List.of("-E", "-o", "-", input(file)));
        return run.checked(call, file).out();
    }

    private void build(SourceFile file, List<String> flags, Path scratch) throws InterruptedException {
        List<String> call = call(flags);
        call.addAll(List.of("-o", scratch.toString(), input(file)));
        run.checked(call, file);
        if (!Files.isRegularFile(scratch)) {
            throw new CompileException(String.join(" ", call) + " ended with 0 but wrote no file; is it clang?");
        }
    }

    private static String name(SourceFile file) {
        return String.valueOf(file.path().getFileName());
    }

    /** Its name alone: what the compiler is given stands in messages and in {@code __FILE__}. */
    private static String input(SourceFile file) {
        return name(file).startsWith("-") ? "./" + name(file) : name(file);
    }
}
