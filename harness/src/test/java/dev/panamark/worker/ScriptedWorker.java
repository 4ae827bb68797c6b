package dev.panamark.worker;

import dev.panamark.measure.Phase;
import dev.panamark.result.Row;
import dev.panamark.result.Source;
import dev.panamark.result.Tags;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * A worker that measures nothing: how it behaves is the name of the kernel that it is told to measure. Run with the
 * socket's path, and with what it shall say instead of {@code opened} where that matters.
 */
final class ScriptedWorker {
    private ScriptedWorker() {}

    /** Starts it with as little JVM as possible. */
    static WorkerCommand command(String... more) {
        return (folder, socket) -> {
            List<String> line = new java.util.ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "-Xmx64m",
                    "-XX:-UsePerfData",
                    "-XX:ErrorFile=" + folder.resolve(LastWords.CRASH_REPORT),
                    "-cp",
                    System.getProperty("java.class.path"),
                    ScriptedWorker.class.getName(),
                    socket.toString()));
            line.addAll(List.of(more));
            return line;
        };
    }

    static void main(String[] args) throws Exception {
        SocketChannel channel = SocketChannel.open(java.net.UnixDomainSocketAddress.of(args[0]));
        try (Wire wire = new Wire(channel)) {
            wire.receive();
            String opening = args.length > 1 ? args[1] : "opened";
            switch (opening) {
                case "refused" -> wire.send(new Message.Refused("no such device"));
                case "silent" -> Thread.sleep(600_000);
                case "garbage" -> say(channel, "What is this?\n");
                default -> wire.send(new Message.Opened(Map.of()));
            }
            for (Optional<Message> m = wire.receive(); m.isPresent(); m = wire.receive()) {
                if (m.get() instanceof Message.Measure measure) {
                    switch (measure.errand()) {
                        case MEASURE -> measure(wire, channel, measure.tasks());
                        case COUNT, LAUNCH -> count(wire, measure);
                    }
                }
            }
        }
    }

    /** As the real one does: each row is prepared, those that live take turns, each is finished. */
    private static void measure(Wire wire, SocketChannel channel, List<Task> tasks) throws Exception {
        for (int i = 0; i < tasks.size(); i++) {
            wire.send(new Message.Entered(i, Phase.LOAD));
            wire.send(new Message.Entered(i, Phase.VALIDATE));
            prepare(wire, channel, tasks.get(i));
        }
        if (tasks.size() > 1) {
            wire.send(new Message.Entered(-1, Phase.SAMPLE));
            if (tasks.stream().anyMatch(t -> t.kernel().equals("it.spoils.the.rest"))) {
                System.exit(9);
            }
        }
        for (int i = 0; i < tasks.size(); i++) {
            Task task = tasks.get(i);
            wire.send(new Message.Entered(i, Phase.REVALIDATE));
            wire.send(new Message.Done(
                    i, row(task).toJson(), code(task), task.kernel().equals("it.faults")));
        }
    }

    /** As the real one does where counters can be read; of a kernel whose name says so they cannot. */
    private static void count(Wire wire, Message.Measure told) throws Exception {
        List<Task> tasks = told.tasks();
        if (told.errand() == Errand.COUNT && tasks.getFirst().kernel().startsWith("it.refuses")) {
            wire.send(new Message.Refused("counters are root's"));
            return;
        }
        for (int i = 0; i < tasks.size(); i++) {
            wire.send(new Message.Entered(i, Phase.COUNT));
            if (tasks.get(i).kernel().equals("it.counts.for.ever")) {
                Thread.sleep(600_000);
            }
            Row.Builder row = Row.builder(
                            "cpu:0", tasks.get(i).kernel(), "", tasks.get(i).problem(), "hot")
                    .invocation(0);
            if (told.errand() == Errand.COUNT) {
                row.metric(Tags.OCCUPANCY_ACHIEVED, Tags.OCCUPANCY_ACHIEVED.value(0.5, Source.MEASURED))
                        .run(new LinkedHashMap<>(Map.of(
                                "counters",
                                Map.of("pid", ProcessHandle.current().pid()))));
            }
            wire.send(new Message.Done(i, row.build().toJson(), new LinkedHashMap<>(), false));
        }
    }

    private static void prepare(Wire wire, SocketChannel channel, Task task) throws Exception {
        switch (task.kernel()) {
            case "it.ends" -> {
                System.out.println("one\n\ntwo\nthree\nfour");
                System.exit(7);
            }
            case "it.hangs" -> Thread.sleep(600_000);
            case "it.dies" -> ProcessHandle.of(ProcessHandle.current().pid()).ifPresent(ScriptedWorker::die);
            case "it.tears" -> {
                say(channel, "{\"say\":\"done\",\"row\":\"{");
                System.exit(3);
            }
            case "it.babbles" -> {
                say(channel, "null\n");
                Thread.sleep(600_000);
            }
            case "it.misreports" -> wire.send(new Message.Done(0, "{\"device\": 1}", new LinkedHashMap<>(), false));
            case "it.opens" -> wire.send(new Message.Opened(Map.of()));
            default -> {}
        }
    }

    private static SequencedMap<String, Object> code(Task task) {
        return new LinkedHashMap<>(Map.of("kernel", task.kernel()));
    }

    /** A row that tells which process made it and what it was asked. */
    private static Row row(Task task) {
        LinkedHashMap<String, Object> run = new LinkedHashMap<>();
        run.put("pid", ProcessHandle.current().pid());
        run.put("seconds", task.effort().seconds());
        LinkedHashMap<String, Object> work = new LinkedHashMap<>();
        work.put("flops", Map.of("fma_f32", 1e9));
        if (task.kernel().startsWith("ceiling.")) {
            work.put("ceiling", "flops");
        }
        double seconds = task.kernel().startsWith("ceiling.") ? 0.1 : 0.2;
        Row.Builder row = Row.builder("cpu:0", task.kernel(), "cafe", task.problem(), "hot")
                .invocation(0)
                .work(work)
                .run(run)
                .metric(Tags.TIME_MEDIAN, Tags.TIME_MEDIAN.value(seconds, Source.MEASURED))
                .metric(Tags.RATE_FLOPS, Tags.RATE_FLOPS.value(1e9 / seconds, Source.COMPUTED));
        if (task.effort().blocks() > 0) {
            row.metric(
                    Tags.SHARED_CONFLICTS,
                    Tags.SHARED_CONFLICTS.value(task.effort().blocks(), Source.EMULATED));
        }
        return row.build();
    }

    /** As by {@code kill -9}: nothing is written any more. */
    private static void die(ProcessHandle self) {
        try {
            new ProcessBuilder("kill", "-9", Long.toString(self.pid())).start().waitFor();
            Thread.sleep(600_000);
        } catch (java.io.IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void say(SocketChannel channel, String text) throws java.io.IOException {
        var out = Channels.newOutputStream(channel);
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }
}
