package dev.panamark.device.cpu;

import dev.panamark.device.Device;
import dev.panamark.device.DeviceProvider;
import dev.panamark.device.Module;
import dev.panamark.device.Timer;
import dev.panamark.ffi.Availability;
import dev.panamark.kernel.Dim3;
import dev.panamark.kernel.Image;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Assumptions;

/** The real host CPU for tests; they are skipped where there is no compiler. */
final class CpuTestDevice {
    static final Dim3 ONE = new Dim3(1, 1, 1);

    private CpuTestDevice() {}

    static Device open(Path folder, int threads) {
        return open(folder, threads, HostRoots.system());
    }

    static Device open(Path folder, int threads, HostRoots roots) {
        return switch (new CpuProvider(System.getenv(), folder.resolve("cache"), OptionalInt.of(threads), roots)
                .discover()
                .getFirst()) {
            case Availability.Available<DeviceProvider.Candidate>(DeviceProvider.Candidate cpu) -> cpu.open();
            case Availability.Unavailable<DeviceProvider.Candidate> none -> Assumptions.abort(none.text());
        };
    }

    static Timer timer(Device device) {
        return device.timer() instanceof Availability.Available<Timer>(Timer timer)
                ? timer
                : org.junit.jupiter.api.Assertions.fail("a CPU has a clock");
    }

    static Module load(Device device, Path folder, String source, String... options) throws IOException {
        Path file = Files.createTempFile(folder, "kernel", ".c");
        Files.writeString(file, source);
        return device.load(new Image("cpu", file, List.of(options)));
    }

    static String message(Throwable t) {
        return String.valueOf(t.getMessage());
    }
}
