package dev.panamark.worker;

import java.nio.file.Path;
import java.util.List;

/** What a worker is started with. */
public interface WorkerCommand {
    /** The command line; the worker's crash report goes into {@code folder}. */
    List<String> line(Path folder, Path socket);

    /** That of a worker for a device. */
    default WorkerCommand on(String device) {
        return this;
    }

    /** A JVM like this one, with the flags that measuring wants. */
    static WorkerCommand usual() {
        return new JavaCommand();
    }
}
