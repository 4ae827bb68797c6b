package dev.panamark.fake;

import dev.panamark.driver.cuda.CudaDriver;
import dev.panamark.driver.cupti.Cupti;
import dev.panamark.driver.nvml.Nvml;
import dev.panamark.worker.WorkerCommand;
import dev.panamark.worker.WorkerMain;
import java.util.ArrayList;
import java.util.List;

/** A worker as any other, but that the GPU of its fake driver runs what is launched. */
public final class FakeWorker {
    private FakeWorker() {}

    /** Workers of a driver that a script makes. */
    public static WorkerCommand command(FakeCuda fake, String script) {
        return (folder, socket) -> {
            List<String> line = new ArrayList<>(List.of(
                    "env",
                    CudaDriver.VARIABLE + "=" + fake.file(),
                    Nvml.VARIABLE + "=" + fake.file(),
                    Cupti.VARIABLE + "=" + fake.file(),
                    "PANAMARK_FAKE_SCRIPT=" + script));
            for (String word : WorkerCommand.usual().line(folder, socket)) {
                line.add(word.equals(WorkerMain.class.getName()) ? FakeWorker.class.getName() : word);
            }
            return line;
        };
    }

    /** {@code args} are a worker's. */
    @SuppressWarnings("resource") // for as long as the process lives
    public static void main(String[] args) throws Throwable {
        new EmulatorEngine(FakeCuda.of(System.getenv(CudaDriver.VARIABLE)), 0);
        WorkerMain.main(args);
    }
}
