package dev.panamark.driver.host;

import static dev.panamark.driver.host.TestCompiler.message;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.driver.compile.CompileException;
import dev.panamark.driver.compile.Sha256;
import dev.panamark.ffi.Availability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostCompilerTest {
    private static final String KERNEL = """
            #include <stdint.h>
            void twice(void **args, const int64_t grid[3], int64_t first, int64_t last) {
                int32_t *x = *(int32_t **) args[0];
                for (int64_t i = first; i < last; i++) x[i] *= 2;
            }
            """;

    @TempDir
    Path folder;

    @Test
    void anEmptyPathGivesEveryCandidatesReasonAndThePackage() {
        Availability.Unavailable<HostCompiler> none = unavailable(Map.of("PATH", folder.toString()));
        assertEquals(List.of("cc: not on PATH", "gcc: not on PATH", "clang: not on PATH"), none.reasons());
        assertTrue(none.remedy().contains("build-essential"), none.remedy());
        assertTrue(none.remedy().contains("dnf install gcc"), none.remedy());
    }

    @Test
    void anUnsetPathIsNamed() {
        assertEquals("cc: PATH is not set", unavailable(Map.of()).reasons().getFirst());
    }

    @Test
    void aChosenCompilerMustWorkEvenWhereAnotherWould() throws IOException {
        Path broken = TestCompiler.writeScript(folder, "echo 'no licence' >&2; exit 3");
        Availability.Unavailable<HostCompiler> none =
                unavailable(Map.of("PATH", "/usr/bin:/bin", "CC", broken.toString()));
        assertEquals(1, none.reasons().size());
        assertEquals(
                "CC=" + broken + ": " + broken + " --version ended with 3: no licence",
                none.reasons().getFirst());
        assertTrue(none.remedy().contains("unset CC"), none.remedy());

        assertEquals(
                List.of("CC=/nowhere/cc: no such executable file"),
                unavailable(Map.of("PATH", "/usr/bin:/bin", "CC", "/nowhere/cc"))
                        .reasons());
    }

    @Test
    void aChosenCompilerMayHaveArguments() throws IOException {
        Path echo = TestCompiler.writeScript(folder, "echo \"$@\"");
        Availability<HostCompiler> found = HostCompiler.find(Map.of("PATH", "/usr/bin:/bin", "CC", echo + " -m64"));
        HostCompiler compiler = ((Availability.Available<HostCompiler>) found).value();
        assertEquals(echo, compiler.path());
        assertEquals("-m64 --version", compiler.version());
    }

    @Test
    void whatIsMadeIsNamedByItsHash() throws IOException {
        HostCompiler compiler = TestCompiler.real();
        Path source = TestCompiler.source(folder, "twice.c", KERNEL);
        CompiledObject made = compiler.compile(source, List.of("-DN=3"), folder.resolve("cache"));
        assertEquals(made.sha256() + ".so", made.sharedObject().getFileName().toString());
        assertEquals(Sha256.of(made.sharedObject()), made.sha256());
        assertEquals(Sha256.of(source), made.sourceSha256());
        assertEquals(compiler.version(), made.compiler());
        assertTrue(made.flags().containsAll(List.of("-std=gnu11", "-O3", "-fPIC", "-shared", "-DN=3")), made::toString);
        assertEquals(List.of("twice"), ElfSymbols.functions(made.sharedObject()));
    }

    @Test
    void theSecondTimeNothingIsCompiled() throws IOException {
        Path log = folder.resolve("log");
        Path source = TestCompiler.source(folder, "twice.c", KERNEL);
        CompiledObject first = logged(log, source);
        CompiledObject second = logged(log, source);
        assertEquals(1, TestCompiler.compilations(log));
        assertEquals(first, second);
    }

    @Test
    void commentsDoNotCountAndHeadersAndOptionsDo() throws IOException {
        Path log = folder.resolve("log");
        TestCompiler.source(folder, "factor.h", "#define FACTOR 2\n");
        Path source = TestCompiler.source(folder, "a.c", "#include \"factor.h\"\nint f(void) { return FACTOR; }\n");
        CompiledObject two = logged(log, source);
        TestCompiler.source(folder, "factor.h", "/* two */\n#define FACTOR 2\n");
        assertEquals(two.sha256(), logged(log, source).sha256());
        assertEquals(1, TestCompiler.compilations(log));

        TestCompiler.source(folder, "factor.h", "#define FACTOR 3\n");
        assertNotEquals(two.sha256(), logged(log, source).sha256());
        assertEquals(2, TestCompiler.compilations(log));

        logged(log, source, "-fno-inline");
        assertEquals(3, TestCompiler.compilations(log));
    }

    @Test
    void anotherProcessorsObjectIsNotTaken() throws IOException {
        Path source = TestCompiler.source(folder, "twice.c", KERNEL);
        Path log = folder.resolve("log");
        logged(log, source);
        // The same compiler on a machine whose vector units it describes by one more macro.
        HostCompiler elsewhere = TestCompiler.script(
                folder,
                "echo \"$*\" >> " + log
                        + "\ncase \"$*\" in *-dM*) echo '#define __AVX1024__ 1';; esac\nexec $REAL \"$@\"",
                Duration.ofSeconds(60));
        elsewhere.compile(source, List.of(), folder.resolve("cache"));
        assertEquals(2, TestCompiler.compilations(log));
    }

    @Test
    void aDamagedObjectIsMadeAgain() throws IOException {
        Path log = folder.resolve("log");
        Path source = TestCompiler.source(folder, "twice.c", KERNEL);
        CompiledObject first = logged(log, source);
        Files.writeString(first.sharedObject(), "garbage");
        CompiledObject second = logged(log, source);
        assertEquals(2, TestCompiler.compilations(log));
        assertEquals(second.sha256(), Sha256.of(second.sharedObject()));
        assertEquals(List.of("twice"), ElfSymbols.functions(second.sharedObject()));
    }

    @Test
    void aDamagedKeyIsMadeAgain() throws IOException {
        Path log = folder.resolve("log");
        Path source = TestCompiler.source(folder, "twice.c", KERNEL);
        CompiledObject first = logged(log, source);
        Path key = cached(".key").getFirst();
        Files.writeString(key, "../../../etc/passwd");
        assertEquals(first, logged(log, source));
        assertEquals(2, TestCompiler.compilations(log));
        assertEquals(first.sha256(), Files.readString(key));
    }

    @Test
    void severalMayCompileAtOnce() throws IOException, InterruptedException, ExecutionException {
        Path source = TestCompiler.source(folder, "twice.c", KERNEL);
        Path log = folder.resolve("log");
        CyclicBarrier start = new CyclicBarrier(3);
        List<Future<CompiledObject>> results = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(3)) {
            for (int i = 0; i < 3; i++) {
                HostCompiler own = TestCompiler.logging(folder, log); // as another process would have
                results.add(threads.submit(() -> {
                    start.await();
                    return own.compile(source, List.of(), folder.resolve("cache"));
                }));
            }
        }
        for (Future<CompiledObject> result : results) {
            assertEquals(Sha256.of(result.get().sharedObject()), result.get().sha256());
            assertEquals(List.of("twice"), ElfSymbols.functions(result.get().sharedObject()));
        }
        assertEquals(1, cached(".key").size());
        assertTrue(
                cached(".so").stream().noneMatch(p -> p.getFileName().toString().startsWith("tmp-")));
    }

    @Test
    void errorsKeepFileAndLineAndAreNotHiddenByWarnings() throws IOException {
        StringBuilder text = new StringBuilder("#warning first of all\n");
        for (int i = 0; i < 40; i++) {
            text.append("int f")
                    .append(i)
                    .append("(void) { return nowhere")
                    .append(i)
                    .append("; }\n");
        }
        Path source = TestCompiler.source(folder, "bad.c", text.toString());
        CompileException e = refused(source);
        String message = message(e);
        assertTrue(message.startsWith(source + " does not compile ("), message);
        // gcc first says in which function, so the first line is either of these.
        assertTrue(message.contains("bad.c:2:") && message.contains("error: "), message);
        assertTrue(message.contains("nowhere0"), message);
        assertFalse(message.contains("first of all"), message);
        assertTrue(message.contains("more lines)"), message);
        assertEquals(22, message.lines().count(), message);
    }

    @Test
    void aFunctionThatIsNowhereIsRefusedNowAndNotAtRunTime() throws IOException {
        Path source = TestCompiler.source(folder, "loose.c", "int nowhere(int);\nint f(void) { return nowhere(1); }\n");
        String message = message(refused(source));
        assertTrue(message.contains("nowhere"), message);
        assertTrue(cached(".so").isEmpty());
    }

    @Test
    void whatIsNoSourceIsNamed() throws IOException {
        assertTrue(
                message(refused(folder.resolve("none.c"))).endsWith("does not exist; expected a file with C source"));
        assertTrue(message(refused(folder)).endsWith("is a folder; expected a file with C source"));
        Path binary = Files.write(folder.resolve("binary.c"), new byte[] {'i', 'n', 't', 0, 1, 2});
        assertTrue(message(refused(binary)).endsWith("is not C source: it is binary (a zero byte at offset 3)"));
    }

    @Test
    void aCacheThatCannotBeWrittenIsNamed() throws IOException {
        Path source = TestCompiler.source(folder, "twice.c", KERNEL);
        Path occupied = Files.writeString(folder.resolve("occupied"), "a file where the folder should be");
        HostCompiler compiler = TestCompiler.real();
        CompileException e = assertThrows(CompileException.class, () -> compiler.compile(source, List.of(), occupied));
        assertTrue(message(e).startsWith("the cache folder " + occupied + " cannot be written"), message(e));
    }

    @Test
    void aCompilerThatHangsIsKilledWithItsChildren() throws IOException {
        Path pids = folder.resolve("pids");
        HostCompiler hanging = TestCompiler.script(
                folder,
                "case \"$*\" in *--version*|*-dM*) exec $REAL \"$@\";; esac\n" + "sleep 600 & echo $$ $! > " + pids
                        + "\nwait",
                Duration.ofSeconds(1));
        Path source = TestCompiler.source(folder, "twice.c", KERNEL);
        CompileException e =
                assertThrows(CompileException.class, () -> hanging.compile(source, List.of(), folder.resolve("cache")));
        assertTrue(message(e).contains("was killed because it had not ended after 1 s"), message(e));
        for (String pid : Files.readString(pids).strip().split(" ", -1)) {
            ProcessHandle.of(Long.parseLong(pid)).ifPresent(p -> p.onExit().join());
        }
    }

    @Test
    void aCompilerWithoutMarchNativeIsUsedWithoutIt() throws IOException {
        HostCompiler plain = TestCompiler.script(
                folder,
                "case \"$*\" in *-march=native*|*-mcpu=native*) echo 'error: unknown option' >&2; exit 1;; esac\n"
                        + "exec $REAL \"$@\"",
                Duration.ofSeconds(60));
        CompiledObject made =
                plain.compile(TestCompiler.source(folder, "twice.c", KERNEL), List.of(), folder.resolve("cache"));
        assertTrue(made.flags().stream().noneMatch(f -> f.contains("native")), made::toString);
        assertEquals(List.of("twice"), ElfSymbols.functions(made.sharedObject()));
    }

    @Test
    void missingHeadersAreToldApartFromABadKernel() throws IOException {
        HostCompiler headless = TestCompiler.script(
                folder,
                "case \"$*\" in *-dM*) echo '<stdin>:1:10: fatal error: math.h: No such file' >&2; exit 1;; esac\n"
                        + "exec $REAL \"$@\"",
                Duration.ofSeconds(60));
        Path source = TestCompiler.source(folder, "twice.c", KERNEL);
        CompileException e = assertThrows(
                CompileException.class, () -> headless.compile(source, List.of(), folder.resolve("cache")));
        assertTrue(message(e).contains("fatal error: math.h"), message(e));
        assertTrue(message(e).contains("libc6-dev"), message(e));
    }

    private CompiledObject logged(Path log, Path source, String... options) throws IOException {
        return TestCompiler.logging(folder, log).compile(source, List.of(options), folder.resolve("cache"));
    }

    private CompileException refused(Path source) {
        HostCompiler compiler = TestCompiler.real();
        return assertThrows(CompileException.class, () -> compiler.compile(source, List.of(), folder.resolve("cache")));
    }

    private List<Path> cached(String ending) throws IOException {
        Path cache = folder.resolve("cache");
        if (!Files.exists(cache)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(cache)) {
            return files.filter(p -> p.toString().endsWith(ending)).toList();
        }
    }

    private static Availability.Unavailable<HostCompiler> unavailable(Map<String, String> env) {
        return (Availability.Unavailable<HostCompiler>) HostCompiler.find(env);
    }
}
