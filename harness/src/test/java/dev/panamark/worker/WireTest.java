package dev.panamark.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.kernel.Problem;
import dev.panamark.kernel.Value;
import dev.panamark.measure.Effort;
import dev.panamark.measure.Mode;
import dev.panamark.measure.Phase;
import dev.panamark.measure.Request;
import dev.panamark.result.Row;
import dev.panamark.result.Status;
import dev.panamark.telemetry.EnergyMode;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class WireTest {
    private @Nullable Path folder;
    private @Nullable SocketChannel near;
    private @Nullable Wire far;

    @BeforeEach
    void connect() throws IOException {
        // A test's own temporary folder may lie too deep for a socket.
        Path made = Folders.forSocket(List.of(Path.of(System.getProperty("java.io.tmpdir")), Path.of("/tmp")), "s");
        folder = made;
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(made.resolve("s")));
            near = SocketChannel.open(UnixDomainSocketAddress.of(made.resolve("s")));
            far = new Wire(server.accept());
        }
    }

    @AfterEach
    void disconnect() throws IOException {
        far().close();
        near().close();
        Folders.delete(folder);
        assertTrue(folder == null || !Files.exists(folder));
    }

    private Wire far() {
        return java.util.Objects.requireNonNull(far);
    }

    private SocketChannel near() {
        return java.util.Objects.requireNonNull(near);
    }

    private void say(String text) throws IOException {
        near().write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }

    static SequencedMap<String, Object> map(Object... pairs) {
        SequencedMap<String, Object> out = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            out.put((String) pairs[i], pairs[i + 1]);
        }
        return out;
    }

    private static Task task(@Nullable String model, @Nullable Long layers, @Nullable String dump) {
        return new Task(
                "a.b",
                "cafe",
                map("n", 5_000_000_000L, "k", 7, "dtype", "f16\n\"ü\"", "x", 0.1, "flag", true),
                -1L,
                new Effort(3, 0.5, 0.01, 2.25),
                model,
                layers,
                Mode.COLD,
                true,
                dump);
    }

    static List<Message> messages() {
        Row row = Row.builder("cpu:0", "a.b", "", map("n", 1L), "hot")
                .status(Status.FAILED, "line one\nline two \u2028 \"quoted\"")
                .build();
        return List.of(
                new Message.Open("cpu:0", "/a cache", List.of("/k.yaml", "/ü.yaml"), EnergyMode.QUICK),
                new Message.Opened(map("id", "cpu:0", "units", 4)),
                new Message.Measure(List.of(task("llama3-8b", 32L, "/dump"), task(null, null, null)), Errand.MEASURE),
                new Message.Measure(List.of(task(null, null, null)), Errand.COUNT),
                new Message.Entered(3, Phase.REVALIDATE),
                new Message.Done(2, row.toJson(), map("compiler", "cc", "flags", List.of("-O3")), true),
                new Message.Done(2, row.toJson(), map(), false),
                new Message.Refused("no\nsuch device"));
    }

    @ParameterizedTest
    @MethodSource("messages")
    void aMessageArrivesAsItWasSent(Message message) throws IOException {
        Wire sender = new Wire(near());
        sender.send(message);
        sender.send(new Message.Entered(3, Phase.LOAD));
        assertEquals(Optional.of(message), far().receive());
        assertEquals(Optional.of(new Message.Entered(3, Phase.LOAD)), far().receive(), "one line each");
    }

    @Test
    void aRowSurvivesTheWay() throws IOException {
        Row row = Row.builder("cpu:0", "a.b", "", map("n", 1L), "hot")
                .status(Status.FAILED, "two\nlines")
                .build();
        new Wire(near()).send(new Message.Done(2, row.toJson(), map(), false));
        Message.Done done = (Message.Done) far().receive().orElseThrow();
        assertEquals(row, Row.fromJson(done.row()));
    }

    @Test
    void theOtherEndsCloseIsAnEnd() throws IOException {
        near().close();
        assertEquals(Optional.empty(), far().receive());
    }

    @Test
    void unknownFieldsAreIgnored() throws IOException {
        say("{\"say\":\"refused\",\"since\":\"version 9\",\"reason\":\"why\",\"more\":{\"a\":[1]}}\n");
        assertEquals(Optional.of(new Message.Refused("why")), far().receive());
    }

    @Test
    void aTornLineIsNoMessageAndIsQuoted() throws IOException {
        say("{\"say\":\"refused\",\"reas");
        near().close();
        IOException e = assertThrows(IOException.class, () -> far().receive());
        assertTrue(String.valueOf(e.getMessage()).contains("{\"say\":\"refused\",\"reas"), e::getMessage);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "hello",
                "",
                "null",
                "[]",
                "{}",
                "{\"say\":\"shout\"}",
                "{\"say\":\"refused\"}",
                "{\"say\":\"done\",\"row\":\"{}\"}",
                "{\"say\":\"measure\"}",
                "{\"say\":\"opened\"}",
                "{\"say\":\"phase\",\"phase\":\"lunch\"}",
                "{\"say\":\"open\",\"device\":\"cpu:0\"}"
            })
    void anythingElseIsNotUnderstood(String line) throws IOException {
        say(line + "\n");
        IOException e = assertThrows(IOException.class, () -> far().receive());
        assertEquals("a line of the worker protocol is not understood: \"" + line + "\"", e.getMessage());
    }

    @Test
    void aLongLineIsQuotedInPart() throws IOException {
        say("y".repeat(5000) + "\n");
        IOException e = assertThrows(IOException.class, () -> far().receive());
        assertTrue(String.valueOf(e.getMessage()).length() < 300);
    }

    @Test
    void aTaskIsTheRequestThatItCameFrom() {
        LinkedHashMap<String, Value> values = new LinkedHashMap<>();
        values.put("n", new Value.Int(1L << 40));
        values.put("small", new Value.Int(3));
        values.put("x", new Value.Real(2.0));
        values.put("dtype", new Value.Text("bf16"));
        values.put("causal", new Value.Bool(false));
        Problem problem = new Problem(values);
        Task task = new Task(
                "a.b", "cafe", Task.json(problem), 9, new Effort(3, 1, 0.1, 2), "m", 32L, Mode.COLD, false, "/d");
        assertEquals(
                Map.of("n", 1L << 40, "small", 3L, "x", 2.0, "dtype", "bf16", "causal", false), Task.json(problem));
        Request request = task.toRequest();
        assertEquals(problem, request.problem());
        assertEquals(
                List.copyOf(values.keySet()),
                List.copyOf(request.problem().values().keySet()));
        assertEquals(Optional.of(new Request.ModelLayers("m", 32)), request.model());
        assertEquals(Optional.of(Path.of("/d")), request.dump());
        assertEquals(9, request.seed());
        assertEquals(Mode.COLD, request.mode());
    }

    @Test
    void aRealThatIsWholeStaysARealOnTheWay() throws IOException {
        Problem problem = new Problem(new LinkedHashMap<>(Map.of("x", new Value.Real(2.0))));
        Task task =
                new Task("a.b", "", Task.json(problem), 9, new Effort(3, 1, 0.1, 2), null, null, Mode.HOT, false, null);
        new Wire(near()).send(new Message.Measure(List.of(task), Errand.MEASURE));
        Message.Measure got = (Message.Measure) far().receive().orElseThrow();
        assertEquals(problem, got.tasks().getFirst().toProblem());
        assertEquals(Optional.empty(), got.tasks().getFirst().toRequest().model());
        assertEquals(Optional.empty(), got.tasks().getFirst().toRequest().dump());
    }
}
