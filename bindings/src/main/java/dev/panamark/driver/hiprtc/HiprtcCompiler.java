package dev.panamark.driver.hiprtc;

import dev.panamark.driver.compile.CompileCache;
import dev.panamark.driver.compile.CompileException;
import dev.panamark.driver.compile.CompilerRun;
import dev.panamark.driver.compile.CompilerThread;
import dev.panamark.driver.compile.Sha256;
import dev.panamark.driver.compile.SourceFile;
import dev.panamark.driver.hipcc.CompiledCode;
import dev.panamark.driver.hipcc.HipOptions;
import dev.panamark.ffi.Availability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/**
 * hiprtc as a compiler of files: what {@link dev.panamark.driver.hipcc.HipCompiler} makes, where there is no compiler to
 * start. May be used by several threads and processes at once on one cache folder.
 */
public final class HiprtcCompiler {
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final String INCLUDE = "-I";

    private final Hiprtc hiprtc;
    private final String version;

    private HiprtcCompiler(Hiprtc hiprtc) {
        this.hiprtc = hiprtc;
        this.version = hiprtc.version();
    }

    /**
     * The compiler of the library that {@link Hiprtc#find} finds.
     *
     * @param env environment variables
     */
    public static Availability<HiprtcCompiler> find(Map<String, String> env) {
        return switch (Hiprtc.find(env)) {
            case Availability.Available<Hiprtc>(Hiprtc hiprtc) -> of(hiprtc);
            case Availability.Unavailable<Hiprtc> none -> none.as();
        };
    }

    private static Availability<HiprtcCompiler> of(Hiprtc hiprtc) {
        try {
            return Availability.of(new HiprtcCompiler(hiprtc));
        } catch (HiprtcException e) {
            return Availability.missing(
                    hiprtc.file() + ": " + e.getMessage(), "Install ROCm anew, or set " + Hiprtc.VARIABLE);
        }
    }

    /** {@code hiprtc 9.0}. */
    public String version() {
        return version;
    }

    /**
     * Makes a code object of one source file, or finds it in the cache.
     *
     * <p>The key of the cache is the source with its own headers, the library's version and size, and the flags.
     *
     * @param source HIP; relative {@code -I} options start in its folder
     * @param closureSha256 hash of the source and of all that it includes from beside it and from folders of {@code -I}
     * @param options added to {@code -O3 --offload-arch=TARGET}; each begins with '-' and holds its value
     * @param target what it is for, {@code gfx942}
     * @param cacheDir made when it is not there
     * @throws CompileException when an option or the target is none that can be taken, when hiprtc refuses the source (the
     *     message holds its first error lines) or takes more than 120 s, or when the cache cannot be written
     */
    public CompiledCode compile(Path source, String closureSha256, List<String> options, String target, Path cacheDir) {
        SourceFile file = SourceFile.read(source, "HIP");
        HipOptions.checkTarget(target, source);
        HipOptions.check(options, source);
        List<String> flags = new ArrayList<>(List.of("-O3", "--offload-arch=" + target));
        flags.addAll(options);
        try {
            List<String> ingredients = new ArrayList<>(
                    List.of(closureSha256, name(file), version, Long.toString(Files.size(Path.of(hiprtc.file())))));
            ingredients.addAll(flags);
            CompileCache.Stored stored = new CompileCache(cacheDir.toAbsolutePath(), ".co")
                    .get(Sha256.of(ingredients), file, scratch -> Files.write(scratch, compiled(file, flags)));
            return new CompiledCode(stored.file(), stored.sha256(), version, flags, file.sha256());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CompileException("interrupted while compiling " + file.path(), e);
        } catch (IOException e) {
            throw new CompileException("the code of " + file.path() + " cannot be made: " + e, e);
        }
    }

    private static String name(SourceFile file) {
        return String.valueOf(file.path().getFileName());
    }

    private byte[] compiled(SourceFile file, List<String> flags) throws IOException, InterruptedException {
        String text = Files.readString(file.path());
        try {
            return CompilerThread.call(
                    "hiprtc",
                    TIMEOUT,
                    () -> hiprtc.compile(text, name(file), Map.of(), call(file, flags))
                            .code());
        } catch (TimeoutException e) {
            throw new CompileException(
                    file.path() + ": " + version + " (" + hiprtc.file() + ") had not ended after " + TIMEOUT.toSeconds()
                            + " s",
                    e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof HiprtcException refused
                    ? explained(file, refused)
                    : new CompileException(file.path() + " cannot be compiled by " + version + ": " + e.getCause(), e);
        }
    }

    /** The library knows no folder of the source. */
    private static List<String> call(SourceFile file, List<String> flags) {
        List<String> call = new ArrayList<>();
        for (String flag : flags) {
            call.add(
                    flag.startsWith(INCLUDE)
                            ? INCLUDE + file.folder().resolve(flag.substring(INCLUDE.length()))
                            : flag);
        }
        call.add(INCLUDE + file.folder());
        return call;
    }

    private CompileException explained(SourceFile file, HiprtcException e) {
        if (e.isOfSource()) {
            return new CompileException(
                    file.path() + " does not compile (" + version + "):\n" + CompilerRun.firstErrors(e.log(), e.code()),
                    e);
        }
        return new CompileException(
                file.path()
                        + (e.isOfOption() ? ": " + version + " does not take an option: " : " cannot be compiled: ")
                        + e.getMessage(),
                e);
    }
}
