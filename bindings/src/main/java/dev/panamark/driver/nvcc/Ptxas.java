package dev.panamark.driver.nvcc;

import dev.panamark.driver.compile.CompileException;
import dev.panamark.driver.compile.CompilerRun;
import dev.panamark.driver.compile.Programs;
import dev.panamark.driver.compile.ScratchFolder;
import dev.panamark.driver.compile.SourceFile;
import dev.panamark.driver.compile.Subprocess;
import dev.panamark.ffi.Availability;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * NVIDIA's assembler of PTX, which knows what a text needs: registers and a version. May be used by several threads and
 * processes at once.
 */
public final class Ptxas {
    private static final String REMEDY =
            "Install the CUDA toolkit, or Python's package triton, which brings ptxas, and put it on PATH";
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final Pattern ENTRY = Pattern.compile("Compiling entry function '([^']+)'");
    private static final Pattern USED = Pattern.compile("Used ([0-9]+) registers");

    private final Path ptxas;
    private final String version;
    private final CompilerRun run;

    /**
     * One that is there.
     *
     * @param version as messages name it
     */
    Ptxas(Path ptxas, String version, Subprocess subprocess) {
        this.ptxas = ptxas;
        this.version = version;
        this.run = new CompilerRun(ptxas.toString(), version, subprocess);
    }

    /**
     * Looks where {@link CudaCompiler#find} looks for a toolkit, then for {@code ptxas} on {@code $PATH}.
     *
     * @param env environment variables, which are also those of the program
     */
    public static Availability<Ptxas> find(Map<String, String> env) {
        return find(env, Path.of("/"));
    }

    static Availability<Ptxas> find(Map<String, String> env, Path root) {
        List<Path> places = new ArrayList<>();
        List<ToolkitPlaces.Place> chosen = ToolkitPlaces.chosen(env);
        (chosen.isEmpty() ? ToolkitPlaces.usual(env, root) : chosen)
                .forEach(place -> places.add(place.folder().resolve("ptxas")));
        Programs.find("ptxas", env).ifPresent(places::add);
        List<String> reasons = new ArrayList<>();
        for (Path place : places) {
            if (Programs.isProgram(place)) {
                switch (CudaCompiler.release(place, env)) {
                    case Availability.Available<String>(String release) -> {
                        return Availability.of(new Ptxas(place, "ptxas " + release, new Subprocess(env, TIMEOUT)));
                    }
                    case Availability.Unavailable<String> none -> reasons.addAll(none.reasons());
                }
            }
        }
        if (reasons.isEmpty()) {
            reasons.add("there is no ptxas in a toolkit, nor on PATH");
        }
        return new Availability.Unavailable<>(reasons, REMEDY);
    }

    /** Release and build, {@code ptxas release 13.0, V13.0.88}. */
    public String version() {
        return version;
    }

    /**
     * Registers of a thread of each kernel of a PTX text, as they are given out for an architecture.
     *
     * @return by the kernel's name
     * @throws CompileException when the text is refused, or takes more than 120 s
     */
    public Map<String, Integer> registers(Path ptx, String arch) {
        SourceFile file = SourceFile.read(ptx, "PTX");
        List<String> call = List.of(
                ptxas.toString(),
                "-v",
                "-arch=" + arch,
                "-o",
                "/dev/null",
                String.valueOf(file.path().getFileName()));
        Map<String, Integer> found = new LinkedHashMap<>();
        try {
            Subprocess.Ended ended = run.checked(call, file);
            String entry = "";
            for (String line : (ended.out() + "\n" + ended.err()).lines().toList()) {
                Matcher begins = ENTRY.matcher(line);
                Matcher used = USED.matcher(line);
                if (begins.find()) {
                    entry = begins.group(1);
                } else if (used.find() && !entry.isEmpty()) {
                    found.put(entry, Integer.parseInt(used.group(1)));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CompileException("interrupted while assembling " + ptx, e);
        }
        return found;
    }

    /**
     * The same text, asking for the least version, from 7.0 on, with which it is taken.
     *
     * @param file the source, for messages
     * @param arch that it is for
     * @return empty where it is taken with none that is less than its own
     */
    public Optional<PtxText> lowered(PtxText text, SourceFile file, String arch)
            throws IOException, InterruptedException {
        List<String> versions = PtxRelease.KNOWN.stream()
                .map(PtxRelease::ptx)
                .takeWhile(v -> !v.equals(text.version()))
                .toList();
        try (ScratchFolder folder = ScratchFolder.make("panamark-ptxas")) {
            for (String least : versions) {
                PtxText lower = text.asking(least);
                if (run.ended(call(lower, arch, folder), file).ok()) {
                    return Optional.of(lower);
                }
            }
            return Optional.empty();
        }
    }

    /**
     * Refuses a text that it does not take.
     *
     * @param file the source, for messages
     * @throws CompileException with its words
     */
    void check(PtxText text, SourceFile file, String arch) throws IOException, InterruptedException {
        try (ScratchFolder folder = ScratchFolder.make("panamark-ptxas")) {
            run.checked(call(text, arch, folder), file);
        }
    }

    private List<String> call(PtxText text, String arch, ScratchFolder folder) throws IOException {
        Path candidate = folder.path().resolve("candidate.ptx");
        try {
            Files.writeString(candidate, text.text(), StandardCharsets.ISO_8859_1);
        } catch (FileSystemException e) {
            throw folder.explained(e);
        }
        return List.of(
                ptxas.toString(),
                "-arch=" + arch,
                "-o",
                folder.path().resolve("image.cubin").toString(),
                candidate.toString());
    }
}
