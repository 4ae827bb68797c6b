package dev.panamark.driver.host;

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
import java.util.regex.Pattern;
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
    private static final Duration VERSION_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration COMPILE_TIMEOUT = Duration.ofSeconds(60);
    private static final int ERROR_LINES = 20;
    private static final List<String> REFUSED = List.of("-o", "-c", "-E", "-S", "-M", "-MM", "-x", "-fsyntax-only");
    private static final Pattern EXCERPT = Pattern.compile("\\s*[0-9]*\\s*\\|");

    private final List<String> command;
    private final String version;
    private final Subprocess subprocess;
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
            Optional<Path> program = resolve(command.getFirst(), env);
            if (program.isEmpty()) {
                reasons.add(label + ": "
                        + (command.getFirst().contains("/")
                                ? "no such executable file"
                                : env.containsKey("PATH") ? "not on PATH" : "PATH is not set"));
                continue;
            }
            List<String> resolved = new ArrayList<>(command);
            resolved.set(0, program.get().toString());
            try {
                List<String> question = new ArrayList<>(resolved);
                question.add("--version");
                Subprocess.Ended answer = new Subprocess(env, VERSION_TIMEOUT).run(question, Path.of("/"), "");
                Optional<String> line = answer.out()
                        .lines()
                        .filter(l -> !l.isBlank())
                        .findFirst()
                        .map(String::strip);
                if (answer.ok() && line.isPresent()) {
                    return Availability.of(new HostCompiler(resolved, line.get(), new Subprocess(env, compileTimeout)));
                }
                reasons.add(label + ": " + String.join(" ", question) + " "
                        + (answer.killed()
                                ? "gave no answer within " + VERSION_TIMEOUT.toSeconds() + " s"
                                : "ended with " + answer.exit() + described(answer.err())));
            } catch (IOException e) {
                reasons.add(label + ": " + e.getMessage());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                reasons.add(label + ": interrupted while asking for its version");
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
     * @throws HostCompileException when the source is no C source, when the compiler refuses it (the message holds its
     *     first error lines), takes more than 60 s, or when the cache cannot be written
     */
    public CompiledObject compile(Path source, List<String> options, Path cacheDir) {
        SourceFile file = SourceFile.read(source);
        List<String> flags = new ArrayList<>(List.of("-std=gnu11", "-O3"));
        Target here = target();
        flags.addAll(here.flags());
        // -z defs: a call of a function that is nowhere is refused now; at run time it would end the process.
        flags.addAll(List.of("-fPIC", "-shared", "-Wl,-z,defs"));
        List<String> libraries = new ArrayList<>();
        for (String option : options) {
            if (REFUSED.contains(option) || option.startsWith("-o")) {
                throw new HostCompileException("option " + option + " for " + source
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
            CompileCache cache = new CompileCache(cacheDir.toAbsolutePath());
            // What the assembler includes is not in the preprocessed text, so such a source is built every time.
            CompileCache.Stored stored = preprocessed.contains(".incbin") ? null : find(cache, key);
            if (stored == null) {
                stored = build(file, flags, libraries, cache, key);
            }
            return new CompiledObject(stored.file(), stored.sha256(), version, all, file.sha256());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new HostCompileException("interrupted while compiling " + file.path(), e);
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
            throw new HostCompileException(
                    "option " + option + " of " + file.path() + " names a file that cannot be read", e);
        }
    }

    private static CompileCache.@Nullable Stored find(CompileCache cache, String key) {
        try {
            return cache.find(key).orElse(null);
        } catch (IOException e) {
            return null; // an unreadable object is replaced; if that fails too, storing says why
        }
    }

    private String preprocess(SourceFile file, List<String> flags) throws InterruptedException {
        List<String> call = new ArrayList<>(command);
        call.addAll(List.of("-E", "-P"));
        flags.stream()
                .filter(f -> !f.startsWith("-Wl,") && !f.equals("-shared"))
                .forEach(call::add);
        call.add(file.path().toString());
        return checked(call, file).out();
    }

    private CompileCache.Stored build(
            SourceFile file, List<String> flags, List<String> libraries, CompileCache cache, String key)
            throws InterruptedException {
        try {
            Path scratch = cache.scratch();
            try {
                List<String> call = new ArrayList<>(command);
                call.addAll(flags);
                call.addAll(List.of("-o", scratch.toString(), file.path().toString()));
                call.addAll(libraries);
                checked(call, file);
                if (!Files.isRegularFile(scratch)) {
                    throw new HostCompileException(
                            String.join(" ", call) + " ended with 0 but wrote no file; is it a C compiler?");
                }
                if (!SourceFile.read(file.path()).sha256().equals(file.sha256())) {
                    throw new HostCompileException(file.path() + " changed while it was compiled; run again");
                }
                return cache.store(key, scratch);
            } finally {
                Files.deleteIfExists(scratch);
            }
        } catch (IOException e) {
            throw new HostCompileException(
                    "the cache folder " + cache.folder() + " cannot be written (" + e
                            + "); choose one that can be, or make room",
                    e);
        }
    }

    private Subprocess.Ended checked(List<String> call, SourceFile file) throws InterruptedException {
        Subprocess.Ended ended;
        try {
            ended = subprocess.run(call, file.folder(), "");
        } catch (IOException e) {
            throw new HostCompileException(command.getFirst() + " cannot be run: " + e.getMessage(), e);
        }
        if (ended.killed()) {
            throw new HostCompileException(file.path() + ": " + command.getFirst()
                    + " was killed because it had not ended after "
                    + subprocess.timeout().toSeconds() + " s");
        }
        if (ended.exit() != 0) {
            throw new HostCompileException(
                    file.path() + " does not compile (" + version + "):\n" + firstErrors(ended.err(), ended.exit()));
        }
        return ended;
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
                        answer.killed() ? "gave no answer" : firstErrors(answer.err(), answer.exit()));
            } catch (IOException e) {
                throw new HostCompileException(command.getFirst() + " cannot be run: " + e.getMessage(), e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new HostCompileException("interrupted while asking " + command.getFirst() + " for its target", e);
            }
        }
        Map.Entry<String, String> last = new ArrayList<>(refusals.entrySet()).getLast();
        throw new HostCompileException(last.getKey() + " failed:\n" + last.getValue()
                + "\nIf C headers are missing, install them (Debian, Ubuntu: apt-get install libc6-dev; "
                + "Fedora, RHEL: dnf install glibc-devel; Alpine: apk add musl-dev)");
    }

    /** The compiler's words from the first error on: warnings before it would hide it. */
    static String firstErrors(String err, int exit) {
        // The excerpts of the source below each message lose their sense where lines are joined.
        List<String> lines =
                err.lines().filter(l -> !EXCERPT.matcher(l).lookingAt()).toList();
        int from = 0;
        while (from < lines.size()
                && !lines.get(from).contains("error:")
                && !lines.get(from).contains("undefined reference")
                && !lines.get(from).contains("ld: ")) {
            from++;
        }
        if (from == lines.size()) {
            from = 0;
        }
        List<String> shown = lines.subList(from, Math.min(lines.size(), from + ERROR_LINES));
        if (shown.isEmpty()) {
            return "it ended with " + exit + " and said nothing";
        }
        int more = lines.size() - from - shown.size();
        return String.join("\n", shown) + (more > 0 ? "\n(and " + more + " more lines)" : "");
    }

    private static String described(String err) {
        return err.lines()
                .filter(l -> !l.isBlank())
                .findFirst()
                .map(l -> ": " + l.strip())
                .orElse("");
    }

    /** {@code CC} may be a path with spaces or a program with arguments ({@code ccache gcc}). */
    private static List<String> words(String candidate, Map<String, String> env) {
        return resolve(candidate, env).isPresent() ? List.of(candidate) : List.of(candidate.split("\\s+"));
    }

    private static Optional<Path> resolve(String program, Map<String, String> env) {
        if (program.contains("/")) {
            Path path = Path.of(program).toAbsolutePath();
            return isProgram(path) ? Optional.of(path) : Optional.empty();
        }
        for (String folder : env.getOrDefault("PATH", "").split(":", -1)) {
            if (!folder.isEmpty()) {
                Path path = Path.of(folder, program);
                if (isProgram(path)) {
                    return Optional.of(path);
                }
            }
        }
        return Optional.empty();
    }

    private static boolean isProgram(Path path) {
        return Files.isRegularFile(path) && Files.isExecutable(path);
    }
}
