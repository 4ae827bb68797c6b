package dev.panamark.driver.nvrtc;

import dev.panamark.driver.compile.CompileCache;
import dev.panamark.driver.compile.CompileException;
import dev.panamark.driver.compile.CompilerRun;
import dev.panamark.driver.compile.CompilerThread;
import dev.panamark.driver.compile.Sha256;
import dev.panamark.driver.compile.SourceFile;
import dev.panamark.driver.nvcc.CompiledPtx;
import dev.panamark.driver.nvcc.CudaOptions;
import dev.panamark.driver.nvcc.PtxText;
import dev.panamark.driver.nvcc.Ptxas;
import dev.panamark.ffi.Availability;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/**
 * NVRTC as a compiler of files: what {@link dev.panamark.driver.nvcc.CudaCompiler} makes, where there is no nvcc. May be used
 * by several threads and processes at once on one cache folder.
 */
public final class NvrtcCompiler {
    /** How texts are made; part of a cache's key, so that another way gives other files. */
    private static final String RULES = "panamark.nvrtc/1";

    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    private final Nvrtc nvrtc;
    private final Optional<ToolkitHeaders> headers;
    private final Optional<Ptxas> ptxas;
    private final Duration timeout;

    private NvrtcCompiler(Nvrtc nvrtc, Optional<ToolkitHeaders> headers, Optional<Ptxas> ptxas, Duration timeout) {
        this.nvrtc = nvrtc;
        this.headers = headers;
        this.ptxas = ptxas;
        this.timeout = timeout;
    }

    /**
     * The compiler of the library that {@link Nvrtc#find} finds, with the toolkit's headers and ptxas where they are there.
     *
     * @param env environment variables
     */
    public static Availability<NvrtcCompiler> find(Map<String, String> env) {
        return switch (Nvrtc.find(env)) {
            case Availability.Available<Nvrtc>(Nvrtc nvrtc) ->
                Availability.of(new NvrtcCompiler(
                        nvrtc,
                        ToolkitHeaders.find(env, nvrtc.file()),
                        Ptxas.find(env) instanceof Availability.Available<Ptxas>(Ptxas found)
                                ? Optional.of(found)
                                : Optional.empty(),
                        TIMEOUT));
            case Availability.Unavailable<Nvrtc> none -> none.as();
        };
    }

    /** One over a library, with what else it has. */
    static NvrtcCompiler of(Nvrtc nvrtc, Optional<ToolkitHeaders> headers, Optional<Ptxas> ptxas, Duration timeout) {
        return new NvrtcCompiler(nvrtc, headers, ptxas, timeout);
    }

    /** Where the library lies. */
    public Path path() {
        return nvrtc.file();
    }

    /** Whether there are headers of the toolkit, such as {@code cuda_fp16.h}, which NVRTC does not bring. */
    public boolean hasHeaders() {
        return headers.isPresent();
    }

    /** {@code NVRTC 13.0}. */
    public String version() {
        return "NVRTC " + nvrtc.version();
    }

    /**
     * Makes PTX of one source file, or finds it in the cache.
     *
     * <p>The key of the cache is the source with its own headers, the toolkit's headers, the library's version and the flags.
     * Where there is a {@code ptxas} that takes the text, it asks for the least version of PTX, from 7.0 on, as nvcc's does;
     * otherwise for NVRTC's own. Files are named relative to the source's folder, those of the toolkit from
     * {@code $CUDA_HOME/include}.
     *
     * @param source CUDA C++; relative {@code -I} options start in its folder
     * @param closureSha256 hash of the source and of all that it includes from beside it and from folders of {@code -I}
     * @param options added to {@code --gpu-architecture=compute_… -lineinfo}; each begins with '-' and holds its value
     * @param arch the least architecture that is to run it, {@code sm_80}
     * @param cacheDir made when it is not there
     * @throws CompileException when an option or the architecture is none that can be taken, when NVRTC refuses the source
     *     (the message holds its first error lines) or takes more than 120 s, or when the cache cannot be written
     */
    public CompiledPtx ptx(Path source, String closureSha256, List<String> options, String arch, Path cacheDir) {
        SourceFile file = SourceFile.read(source, "CUDA C++");
        CudaOptions.checkArchitecture(arch, source);
        List<String> flags = new ArrayList<>(fixed(arch));
        flags.addAll(options);
        try {
            NvrtcSource unit = NvrtcSource.of(file, options, headers.map(ToolkitHeaders::folder));
            List<String> ingredients = new ArrayList<>(List.of(
                    RULES,
                    PtxText.RULES,
                    StandardHeaders.FIRST,
                    closureSha256,
                    unit.name(),
                    file.sha256(),
                    version(),
                    Long.toString(Files.size(nvrtc.file())),
                    headers.map(ToolkitHeaders::sha256).orElse(""),
                    ptxas.map(Ptxas::version).orElse("")));
            unit.headers().forEach((name, text) -> ingredients.addAll(List.of(name, text)));
            ingredients.addAll(flags);
            CompileCache cache = new CompileCache(cacheDir.toAbsolutePath(), ".ptx");
            CompileCache.Maker maker = scratch ->
                    Files.writeString(scratch, build(file, unit, arch).text(), StandardCharsets.ISO_8859_1);
            String key = Sha256.of(ingredients);
            // Of a file that an option puts first it is not known what that includes.
            CompileCache.Stored stored =
                    unit.options().includesFirst() ? cache.make(key, file, maker) : cache.get(key, file, maker);
            String text = Files.readString(stored.file(), StandardCharsets.ISO_8859_1);
            return new CompiledPtx(
                    stored.file(), stored.sha256(), version(), flags, file.sha256(), new PtxText(text).version());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CompileException("interrupted while compiling " + file.path(), e);
        } catch (IOException e) {
            throw new CompileException("the PTX of " + file.path() + " cannot be made: " + e, e);
        }
    }

    private static List<String> fixed(String arch) {
        return List.of("--gpu-architecture=" + arch.replace("sm_", "compute_"), "-lineinfo");
    }

    private String ofToolkit(String name) {
        return headers.map(h -> h.folder() + "/")
                .filter(name::startsWith)
                .map(below -> "$CUDA_HOME/include/" + name.substring(below.length()))
                .orElse(name);
    }

    private PtxText build(SourceFile file, NvrtcSource unit, String arch) throws IOException, InterruptedException {
        List<String> call = new ArrayList<>(fixed(arch));
        call.addAll(unit.options().all());
        headers.ifPresent(h -> h.searched().forEach(searched -> call.add("-I" + searched)));
        String started = Path.of("").toRealPath().resolve(unit.name()).toString();
        PtxText text = new PtxText(new String(compiled(file, unit, call), StandardCharsets.ISO_8859_1))
                .withFiles(name -> name.equals(started) ? unit.name() : ofToolkit(name))
                .withRelativeFiles(unit.folder())
                .withModule(unit.name(), file.sha256().substring(0, 8));
        text.version(); // what is no PTX is not kept
        return ptxas.isEmpty() ? text : ptxas.get().lowered(text, file, arch).orElse(text);
    }

    private byte[] compiled(SourceFile file, NvrtcSource unit, List<String> call) throws InterruptedException {
        try {
            return CompilerThread.call("nvrtc", timeout, () -> {
                try (NvrtcProgram program =
                        nvrtc.program(unit.text(), unit.path().toString(), unit.headers())) {
                    program.compile(call);
                    return program.ptx();
                }
            });
        } catch (TimeoutException e) {
            throw new CompileException(
                    file.path() + ": " + version() + " (" + path() + ") had not ended after " + timeout.toSeconds()
                            + " s",
                    e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof NvrtcException refused) {
                throw explained(file, refused);
            }
            throw new CompileException(file.path() + " cannot be compiled by " + version() + ": " + e.getCause(), e);
        }
    }

    private CompileException explained(SourceFile file, NvrtcException e) {
        if (e.isOfSource()) {
            String errors = CompilerRun.firstErrors(e.log(), e.code());
            return new CompileException(
                    file.path() + " does not compile (" + version() + "):\n" + errors + lacking(errors), e);
        }
        if (e.isOfOption()) {
            return new CompileException(
                    file.path() + ": " + version() + " does not take an option: " + e.log()
                            + "; expected those of NVRTC's manual; those that only nvcc knows need the CUDA toolkit",
                    e);
        }
        if (e.isOfBuiltins()) {
            return new CompileException(
                    file.path() + " cannot be compiled: " + e.getMessage() + "\nlibnvrtc-builtins.so." + nvrtc.version()
                            + " belongs beside " + path() + "; install NVRTC whole",
                    e);
        }
        return new CompileException(file.path() + " cannot be compiled by " + version() + ": " + e.getMessage(), e);
    }

    /** What to do where a header is not found. */
    private String lacking(String errors) {
        if (!errors.contains("open source file")) {
            return "";
        }
        return headers.isEmpty()
                ? "\n" + ToolkitHeaders.REMEDY
                : "\nNVRTC has headers of the source and of the toolkit ("
                        + headers.get().folder()
                        + "), but none of the host's C and C++ library; leave them out where __CUDACC_RTC__ is defined, take"
                        + " those of <cuda/std/...>, or install nvcc";
    }
}
