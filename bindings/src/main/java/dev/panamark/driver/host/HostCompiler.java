package dev.panamark.driver.host;

import dev.panamark.driver.compile.CompileCache;
import dev.panamark.driver.compile.CompileException;
import dev.panamark.driver.compile.CompilerRun;
import dev.panamark.driver.compile.Programs;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The C compiler of this machine, which makes CPU kernels when they are first used. May be used by several threads and
 * processes at once on one cache folder.
 */
public final class HostCompiler {
    private static final String REMEDY =
            "Install a C compiler (Debian, Ubuntu: apt-get install build-essential; Fedora, RHEL: dnf install gcc; "
                    + "openSUSE: zypper install gcc; Alpine: apk add build-base) or set CC to one";
    private static final String HEADERS =
            "#include <math.h>\n#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\n";
    private static final List<List<String>> NATIVE =
            List.of(List.of("-march=native"), List.of("-mcpu=native"), List.of());
    private static final Duration COMPILE_TIMEOUT = Duration.ofSeconds(60);
    private static final List<String> REFUSED = List.of("-o", "-c", "-E", "-S", "-M", "-MM", "-x", "-fsyntax-only");

    private final List<String> command;
    private final String version;
    private final Subprocess subprocess;
    private final CompilerRun run;
    private volatile @Nullable Target target;

    /**
     * The vector units that code is made for.
     *
     * @param flags that ask for this machine's own; empty where the compiler knows no such flag
     * @param meaning hash of the macros that they define: differs between processors that differ in instructions
     */
    private record Target(List<String> flags, String meaning) {}

    private HostCompiler(List<String> command, String version, Subprocess subprocess) {
        this.command = List.copyOf(command);
        this.version = version;
        this.subprocess = subprocess;
        this.run = new CompilerRun(this.command.getFirst(), version, subprocess);
    }

    /**
     * Looks for a compiler: {@code $CC} where it is set (it must work then), otherwise {@code cc}, {@code gcc} and
     * {@code clang} on {@code $PATH}.
     *
     * @param env environment variables, which are also those of the compiler
     */
    public static Availability<HostCompiler> find(Map<String, String> env) {
        return find(env, COMPILE_TIMEOUT);
    }

    static Availability<HostCompiler> find(Map<String, String> env, Duration compileTimeout) {
        String chosen = env.getOrDefault("CC", "").strip();
        List<String> reasons = new ArrayList<>();
        for (String candidate : chosen.isEmpty() ? List.of("cc", "gcc", "clang") : List.of(chosen)) {
            String label = chosen.isEmpty() ? candidate : "CC=" + candidate;
            List<String> command = words(candidate, env);
            Optional<Path> program = Programs.find(command.getFirst(), env);
            if (program.isEmpty()) {
                reasons.add(label + ": " + Programs.whyNot(command.getFirst(), env));
                continue;
            }
            List<String> resolved = new ArrayList<>(command);
            resolved.set(0, program.get().toString());
            switch (VersionQuestion.ask(resolved, env)) {
                case VersionQuestion.Answer.Lines(List<String> lines) -> {
                    return Availability.of(
                            new HostCompiler(resolved, lines.getFirst(), new Subprocess(env, compileTimeout)));
                }
                case VersionQuestion.Answer.None(String reason) -> reasons.add(label + ": " + reason);
            }
        }
        return new Availability.Unavailable<>(
                reasons, chosen.isEmpty() ? REMEDY : REMEDY + ", or unset CC to search for cc, gcc and clang");
    }

    /** Where it lies. */
    public Path path() {
        return Path.of(command.getFirst());
    }

    /** The first line of {@code --version}. */
    public String version() {
        return version;
    }

    /**
     * Makes a shared object of one source file, or finds it in the cache.
     *
     * <p>The key of the cache is the source after preprocessing (so headers count and comments do not), the compiler's
     * version, the flags, and what this processor's vector units are, so machines may share the folder.
     *
     * @param source C; the compiler runs in its folder, so relative {@code -I} options start there
     * @param options added to {@code -std=gnu11 -O3 -march=native -fPIC -shared}
     * @param cacheDir made when it is not there
     * @throws CompileException when the source is no C source, when the compiler refuses it (the message holds its
     *     first error lines), takes more than 60 s, or when the cache cannot be written
     */
    public CompiledObject compile(Path source, List<String> options, Path cacheDir) {
        SourceFile file = SourceFile.read(source, "C");
        List<String> flags = new ArrayList<>(List.of("-std=gnu11", "-O3"));
        Target here = target();
        flags.addAll(here.flags());
        // -z defs: a call of a function that is nowhere is refused now; at run time it would end the process.
        flags.addAll(List.of("-fPIC", "-shared", "-Wl,-z,defs"));
        List<String> libraries = new ArrayList<>();
        for (String option : options) {
            if (REFUSED.contains(option) || option.startsWith("-o")) {
                throw new CompileException("option " + option + " for " + source
                        + " changes what the compiler makes or where; expected none of " + REFUSED);
            }
            (option.startsWith("-l") ? libraries : flags).add(option);
        }
        libraries.add("-lm");
        // What CC holds beside the program changes the code as much as any option does.
        List<String> all = new ArrayList<>(command.subList(1, command.size()));
        all.addAll(flags);
        all.addAll(libraries);

        try {
            String preprocessed = preprocess(file, flags);
            List<String> ingredients = new ArrayList<>(List.of(preprocessed, version, here.meaning()));
            ingredients.addAll(all);
            for (String option : options) {
                ingredients.add(linked(file, option));
            }
            String key = Sha256.of(ingredients);
            CompileCache cache = new CompileCache(cacheDir.toAbsolutePath(), ".so");
            CompileCache.Maker maker = scratch -> build(file, flags, libraries, scratch);
            // What the assembler includes is not in the preprocessed text, so such a source is built every time.
            CompileCache.Stored stored =
                    preprocessed.contains(".incbin") ? cache.make(key, file, maker) : cache.get(key, file, maker);
            return new CompiledObject(stored.file(), stored.sha256(), version, all, file.sha256());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CompileException("interrupted while compiling " + file.path(), e);
        }
    }

    /** An option that names a file beside the source (an object, a library) stands for that file's contents. */
    private static String linked(SourceFile file, String option) {
        Path other = file.path().resolveSibling(option);
        if (option.startsWith("-") || !Files.isRegularFile(other)) {
            return "";
        }
        try {
            return Sha256.of(other);
        } catch (IOException e) {
            throw new CompileException(
                    "option " + option + " of " + file.path() + " names a file that cannot be read", e);
        }
    }

    private String preprocess(SourceFile file, List<String> flags) throws InterruptedException {
        List<String> call = new ArrayList<>(command);
        call.addAll(List.of("-E", "-P"));
        flags.stream()
                .filter(f -> !f.startsWith("-Wl,") && !f.equals("-shared"))
                .forEach(call::add);
        call.add(file.path().toString());
        return run.checked(call, file).out();
    }

    private void build(SourceFile file, List<String> flags, List<String> libraries, Path scratch)
            throws InterruptedException {
        List<String> call = new ArrayList<>(command);
        call.addAll(flags);
        call.addAll(List.of("-o", scratch.toString(), file.path().toString()));
        call.addAll(libraries);
        run.checked(call, file);
        if (!Files.isRegularFile(scratch)) {
            throw new CompileException(String.join(" ", call) + " ended with 0 but wrote no file; is it a C compiler?");
        }
    }

    /** Asks the compiler once what "this machine's own vector units" means to it. */
    private Target target() {
        Target known = target;
        if (known != null) {
            return known;
        }
        Map<String, String> refusals = new LinkedHashMap<>();
        for (List<String> flags : NATIVE) {
            List<String> call = new ArrayList<>(command);
            call.addAll(flags);
            call.addAll(List.of("-dM", "-E", "-x", "c", "-"));
            try {
                Subprocess.Ended answer = subprocess.run(call, Path.of("/"), HEADERS);
                if (answer.ok()) {
                    Target found = new Target(flags, Sha256.of(List.of(answer.out())));
                    target = found;
                    return found;
                }
                refusals.put(
                        String.join(" ", call),
                        answer.killed() ? "gave no answer" : CompilerRun.firstErrors(answer.err(), answer.exit()));
            } catch (IOException e) {
                throw new CompileException(command.getFirst() + " cannot be run: " + e.getMessage(), e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new CompileException("interrupted while asking " + command.getFirst() + " for its target", e);
            }
        }
        Map.Entry<String, String> last = new ArrayList<>(refusals.entrySet()).getLast();
        throw new CompileException(last.getKey() + " failed:\n" + last.getValue()
                + "\nIf C headers are missing, install them (Debian, Ubuntu: apt-get install libc6-dev; "
                + "Fedora, RHEL: dnf install glibc-devel; Alpine: apk add musl-dev)");
    }

    /** {@code CC} may be a path with spaces or a program with arguments ({@code ccache gcc}). */
    private static List<String> words(String candidate, Map<String, String> env) {
        return Programs.find(candidate, env).isPresent() ? List.of(candidate) : List.of(candidate.split("\\s+"));
    }
}
