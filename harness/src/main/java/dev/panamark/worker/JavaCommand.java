package dev.panamark.worker;

import dev.panamark.device.emulated.EmulatedProvider;
import dev.panamark.ptx.JvmFlags;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command line of a worker JVM. */
final class JavaCommand implements WorkerCommand {
    private final List<String> more;

    /** Of any device. */
    JavaCommand() {
        this(List.of());
    }

    private JavaCommand(List<String> more) {
        this.more = more;
    }

    @Override
    public WorkerCommand on(String device) {
        return device.startsWith(EmulatedProvider.PREFIX) ? new JavaCommand(JvmFlags.vectors()) : this;
    }

    @Override
    public List<String> line(Path folder, Path socket) {
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.addAll(WorkerFlags.all());
        line.addAll(more);
        // What is left there by a worker that is killed goes with its folder.
        line.add("-Djava.io.tmpdir=" + folder);
        line.add("-XX:ErrorFile=" + folder.resolve(LastWords.CRASH_REPORT));
        line.add("-cp");
        line.add(System.getProperty("java.class.path"));
        line.add(WorkerMain.class.getName());
        line.add(socket.toString());
        return line;
    }
}
