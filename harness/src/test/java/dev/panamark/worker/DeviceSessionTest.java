package dev.panamark.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.panamark.measure.Effort;
import dev.panamark.measure.Mode;
import dev.panamark.result.Row;
import dev.panamark.result.Status;
import dev.panamark.telemetry.EnergyMode;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bounds on waits are generous: they only end a test that would hang. */
@Timeout(60)
class DeviceSessionTest {
    /** For one phase: far above what a scripted worker needs. */
    private static final Deadlines PATIENT = new Deadlines(20);

    private static final Deadlines SHORT = new Deadlines(0.5, 0.5);

    @TempDir
    Path cache;

    private final List<Path> folders = Collections.synchronizedList(new ArrayList<>());

    @AfterEach
    void nothingIsLeftBehind() {
        folders.forEach(f -> assertFalse(Files.exists(f), f::toString));
    }

    /** The command, and a note of the folder that it got. */
    private WorkerCommand noted(WorkerCommand command) {
        return (folder, socket) -> {
            folders.add(folder);
            assertTrue(Files.isDirectory(folder));
            return command.line(folder, socket);
        };
    }

    private DeviceSession session(WorkerCommand command, Deadlines deadlines) {
        return new DeviceSession("cpu:0", List.of(), cache, EnergyMode.OFF, deadlines, noted(command), Errand.MEASURE);
    }

    private DeviceSession scripted() {
        return session(ScriptedWorker.command(), PATIENT);
    }

    private static WorkerCommand shell(String script) {
        return (folder, socket) -> List.of("sh", "-c", script);
    }

    static Task task(String kernel) {
        return new Task(
                kernel, "", WireTest.map("n", 5L), 1, new Effort(1, 0, 0.01, 0.01), null, null, Mode.HOT, false, null);
    }

    private static DeviceSession.Finished one(DeviceSession session, Task task) {
        return session.measure(List.of(task)).getFirst();
    }

    private static DeviceSession.Finished failed(DeviceSession session, String kernel, Status status, String... words) {
        DeviceSession.Finished done = one(session, task(kernel));
        String reason = String.valueOf(done.row().reason());
        assertEquals(status, done.row().status(), reason);
        for (String word : words) {
            assertTrue(reason.contains(word), () -> "'" + word + "' is not in: " + reason);
        }
        assertEquals("cpu:0", done.row().device());
        assertEquals(kernel, done.row().kernel());
        assertEquals(Map.of("n", 5L), done.row().problem());
        assertEquals(Map.of(), done.code());
        return done;
    }

    private static long pid(Row row) {
        return row.run().get("pid") instanceof Long pid ? pid : -1;
    }

    @Test
    void rowsOfOneSessionComeFromOneWorkerWhichEndsWithIt() {
        long pid;
        try (DeviceSession session = scripted()) {
            DeviceSession.Finished first = one(session, task("it.works"));
            assertEquals(Status.OK, first.row().status(), first.row()::reason);
            assertEquals(Map.of("kernel", "it.works"), first.code());
            assertFalse(first.inputFault());
            assertFalse(first.interrupted());
            DeviceSession.Finished second = one(session, task("it.faults"));
            assertTrue(second.inputFault());
            pid = pid(first.row());
            assertEquals(pid, pid(second.row()));
            assertEquals(1, folders.size());
            assertTrue(ProcessHandle.of(pid).isPresent());
        }
        assertFalse(ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false));
    }

    @Test
    void whateverAWorkerDiesOfCostsItsRowOnly() {
        try (DeviceSession session = scripted()) {
            long first = pid(one(session, task("it.works")).row());
            failed(
                    session,
                    "it.ends",
                    Status.FAILED,
                    "the worker ended with status 7",
                    "it last printed: two | three | four",
                    "phase validate");
            long second = pid(one(session, task("it.works")).row());
            assertNotEquals(first, second);
            failed(session, "it.dies", Status.FAILED, "status 137 (signal 9, SIGKILL", "phase validate");
            failed(session, "it.tears", Status.FAILED, "the worker ended with status 3");
            failed(session, "it.babbles", Status.FAILED, "not understood: \"null\"", "was killed");
            failed(session, "it.misreports", Status.FAILED, "row");
            failed(session, "it.opens", Status.FAILED, "instead of a row");
            DeviceSession.Finished last = one(session, task("it.works"));
            assertEquals(Status.OK, last.row().status(), last.row()::reason);
            // Each of the six faults took a worker with it.
            assertEquals(7, folders.size());
        }
    }

    private static List<String> together(DeviceSession session, String... kernels) {
        return session.measure(Stream.of(kernels).map(DeviceSessionTest::task).toList()).stream()
                .map(f -> f.row().kernel() + " " + f.row().status())
                .toList();
    }

    @Test
    void aWorkerThatDiesOfOneRowOfSeveralCostsThatRow() {
        try (DeviceSession session = scripted()) {
            assertEquals(
                    List.of("it.works OK", "it.ends FAILED", "it.faults OK"),
                    together(session, "it.works", "it.ends", "it.faults"));
            assertEquals(2, folders.size(), "the other two go on together");
        }
    }

    @Test
    void aWorkerThatDiesWhileRowsTakeTurnsLeavesThemToBeMeasuredOneByOne() {
        try (DeviceSession session = scripted()) {
            assertEquals(
                    List.of("it.works OK", "it.spoils.the.rest OK", "it.faults OK"),
                    together(session, "it.works", "it.spoils.the.rest", "it.faults"));
            assertEquals(2, folders.size());
        }
    }

    @Test
    void withoutAWorkerEveryRowFails() {
        try (DeviceSession session = session((folder, socket) -> List.of("/no/such/program"), PATIENT)) {
            assertEquals(List.of("it.works FAILED", "it.faults FAILED"), together(session, "it.works", "it.faults"));
        }
    }

    @Test
    void aWorkerThatDoesNotAnswerIsKilledAtTheDeadline() {
        try (DeviceSession session = session(ScriptedWorker.command(), new Deadlines(2.5))) {
            failed(session, "it.hangs", Status.TIMEOUT, "validate did not end within 2.5 s", "--timeout allows more");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "refused; no such device; no such device",
                "garbage; not understood: \"What is this?\"; phase load",
            })
    void aDeviceThatDoesNotOpenFailsTheRow(String how, String words, String more) {
        try (DeviceSession session = session(ScriptedWorker.command(how), PATIENT)) {
            failed(session, "it.works", Status.FAILED, words, more);
            assertEquals(how.equals("refused") ? Optional.of(words) : Optional.empty(), session.refused());
        }
    }

    @Test
    void aDeviceThatNeverOpensIsATimeout() {
        try (DeviceSession session = session(ScriptedWorker.command("silent"), SHORT)) {
            failed(session, "it.works", Status.TIMEOUT, "opening cpu:0 did not end within 0.5 s");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "exit 0; the worker ended with status 0",
                "echo no JVM here; the worker ended with status 0",
                "echo no JVM here 1>&2 && exit 9; the worker ended with status 9",
                "kill -9 $$; signal 9, SIGKILL"
            })
    void aProgramThatEndsBeforeItConnectsFailsTheRow(String script, String words) {
        try (DeviceSession session = session(shell(script), PATIENT)) {
            failed(session, "it.works", Status.FAILED, "a worker ended before it began", words);
            if (script.startsWith("echo")) {
                failed(session, "it.works", Status.FAILED, "it last printed: no JVM here");
            }
        }
    }

    @Test
    void aProgramThatIsNotThereFailsTheRow() {
        try (DeviceSession session = session((folder, socket) -> List.of("/no/such/program"), PATIENT)) {
            failed(session, "it.works", Status.FAILED, "a worker could not be started", "/no/such/program");
        }
    }

    /** The shell holds the deadline up where it can: SIGTERM is not enough to end it. */
    @Test
    void aProgramThatNeverConnectsIsKilledAtTheDeadline() {
        Path pidFile = cache.resolve("pid");
        WorkerCommand deaf =
                shell("trap '' TERM; echo $$ > " + pidFile + "; echo still here; while :; do sleep 0.1; done");
        WorkerProcess.WorkerGone gone = assertThrows(
                WorkerProcess.WorkerGone.class,
                () -> WorkerProcess.start(noted(deaf), Duration.ofMillis(700), () -> false));
        assertTrue(gone.late());
        assertEquals("a worker did not connect within 0.7 s; it last printed: still here", gone.reason());
        assertFalse(alive(pidFile));
    }

    private static boolean alive(Path pidFile) {
        try {
            long pid = Long.parseLong(Files.readString(pidFile).strip());
            return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void anInterruptEndsARowFromAnotherThread() throws Exception {
        DeviceSession session = scripted();
        CountDownLatch started = new CountDownLatch(1);
        List<DeviceSession.Finished> done = Collections.synchronizedList(new ArrayList<>());
        Thread conducting = Thread.ofPlatform().start(() -> {
            one(session, task("it.works"));
            started.countDown();
            done.add(one(session, task("it.hangs")));
            done.add(one(session, task("it.works")));
            session.close();
        });
        assertTrue(started.await(30, TimeUnit.SECONDS));
        session.interrupt();
        conducting.join(Duration.ofSeconds(15));
        assertFalse(conducting.isAlive(), "the row would have hung for 20 s");
        assertTrue(done.getFirst().interrupted());
        assertTrue(done.getLast().interrupted(), "no worker is started for a further row");
        assertEquals(1, folders.size());
    }

    @Test
    void anInterruptWhileAWorkerStartsIsNotLost() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        DeviceSession session = session(
                (folder, socket) -> {
                    started.countDown();
                    return List.of("sleep", "600");
                },
                PATIENT);
        List<DeviceSession.Finished> done = Collections.synchronizedList(new ArrayList<>());
        Thread conducting = Thread.ofPlatform().start(() -> done.add(one(session, task("it.works"))));
        assertTrue(started.await(30, TimeUnit.SECONDS));
        session.interrupt();
        conducting.join(Duration.ofSeconds(15));
        assertFalse(conducting.isAlive());
        assertTrue(done.getFirst().interrupted());
    }

    @Test
    void aTemporaryFolderTooDeepForASocketDoesNotMatter() throws IOException {
        Path deep = Files.createDirectories(cache.resolve("d".repeat(60)).resolve("e".repeat(60)));
        String before = System.setProperty("java.io.tmpdir", deep.toString());
        try (DeviceSession session = scripted()) {
            DeviceSession.Finished done = one(session, task("it.works"));
            assertEquals(Status.OK, done.row().status(), done.row()::reason);
        } finally {
            System.setProperty("java.io.tmpdir", String.valueOf(before));
        }
    }

    /** The real worker: without a parent nobody would end it. */
    @Test
    void aWorkerEndsWhenItsParentIsGone() throws Exception {
        Path folder = Folders.forSocket(List.of(Path.of("/tmp")), "s");
        Path socket = folder.resolve("s");
        Process process;
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket));
            process = new ProcessBuilder(new JavaCommand().line(folder, socket))
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("output").toFile())
                    .start();
            try (Wire wire = assertTimeoutPreemptively(Duration.ofSeconds(30), () -> new Wire(server.accept()))) {
                wire.send(new Message.Open("cpu:0", cache.toString(), List.of(), EnergyMode.OFF));
                Message answer = wire.receive().orElseThrow();
                // A refusal would end the worker by itself.
                assumeTrue(answer instanceof Message.Opened, "no C compiler on this machine, so cpu:0 is not there");
                assertTrue(process.isAlive());
            }
        }
        try {
            assertTrue(process.waitFor(20, TimeUnit.SECONDS), "the worker is an orphan and does not end");
            assertEquals(0, process.exitValue(), () -> LastWords.of(folder, process));
        } finally {
            process.destroyForcibly();
            Folders.delete(folder);
        }
    }
}
