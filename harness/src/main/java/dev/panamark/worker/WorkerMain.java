package dev.panamark.worker;

import dev.panamark.device.BrokenDeviceException;
import dev.panamark.device.Device;
import dev.panamark.device.DeviceException;
import dev.panamark.device.DeviceInfo;
import dev.panamark.device.Profiler;
import dev.panamark.device.UnsupportedException;
import dev.panamark.ffi.Availability;
import dev.panamark.kernel.Catalogue;
import dev.panamark.kernel.KernelFileException;
import dev.panamark.measure.EnergyMeasurement;
import dev.panamark.measure.HostClock;
import dev.panamark.measure.Measured;
import dev.panamark.measure.Phase;
import dev.panamark.measure.ProfileMeasurement;
import dev.panamark.measure.Request;
import dev.panamark.measure.RowMeasurement;
import dev.panamark.telemetry.RowEnergy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * The worker: owns one device, measures the rows it is told to, and ends when its socket does. Everything it prints
 * goes to a file that the parent quotes from when it dies.
 */
public final class WorkerMain implements RowMeasurement.Listener {
    private final Wire wire;
    private final LinkedBlockingQueue<Message> inbox = new LinkedBlockingQueue<>();

    private final @Nullable Path folder;

    private WorkerMain(Wire wire, @Nullable Path folder) {
        this.wire = wire;
        this.folder = folder;
    }

    /** {@code args[0]} is the parent's socket. */
    public static void main(String[] args) throws Exception {
        try (Wire wire = Wire.connect(Path.of(args[0]))) {
            new WorkerMain(wire, Path.of(args[0]).getParent()).run();
        }
    }

    private void run() throws IOException, InterruptedException {
        Thread.ofPlatform().name("wire").daemon().start(this::listen);
        if (!(inbox.take() instanceof Message.Open open)) {
            throw new IOException("the first message must be 'open'");
        }
        Catalogue catalogue;
        Device device;
        try {
            catalogue = catalogue(open);
            device = Backends.open(open.device(), System.getenv(), Path.of(open.cache()));
        } catch (KernelFileException | DeviceException | UnsupportedException e) {
            wire.send(new Message.Refused(String.valueOf(e.getMessage())));
            return;
        }
        try (device) {
            wire.send(new Message.Opened(Map.of("id", device.info().id())));
            HostClock clock = HostClock.system();
            try (Meters meters = Meters.of(System.getenv());
                    RowMeasurement measurement =
                            new RowMeasurement(device, catalogue, clock, energy(open, device, meters, clock))) {
                Optional<String> broken = Optional.empty();
                ProfileMeasurement counts = new ProfileMeasurement(device, catalogue, clock);
                while (broken.isEmpty() && inbox.take() instanceof Message.Measure told) {
                    List<Request> requests =
                            told.tasks().stream().map(Task::toRequest).toList();
                    broken = broken(
                            device,
                            switch (told.errand()) {
                                case MEASURE -> () -> measurement.measure(requests, this);
                                case COUNT -> () -> count(counts, requests, device);
                                case LAUNCH -> () -> counts.launch(requests, this);
                            });
                }
                if (broken.isPresent()) {
                    wire.send(new Message.Broken(broken.get()));
                }
            }
        }
    }

    private void count(ProfileMeasurement counts, List<Request> requests, Device device) {
        switch (device.profiler()) {
            case Availability.Available<Profiler>(Profiler profiler) -> counts.profile(requests, profiler, this);
            case Availability.Unavailable<Profiler> none -> tell(new Message.Refused(none.text()));
        }
    }

    /** Does something; why this process cannot go on with the device, if it cannot. */
    private static Optional<String> broken(Device device, Runnable errand) {
        try {
            errand.run();
            return device.broken();
        } catch (BrokenDeviceException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    private static EnergyMeasurement energy(Message.Open open, Device device, Meters meters, HostClock clock) {
        DeviceInfo info = device.info();
        return new RowEnergy(clock, meters.of(info), meters.absence(info), open.energy(), clock.nanos());
    }

    private static Catalogue catalogue(Message.Open open) {
        return Catalogue.builtin(Path.of(open.cache()))
                .withFiles(open.kernelFiles().stream().map(Path::of).toList());
    }

    @Override
    public void entered(int row, Phase phase) {
        tell(new Message.Entered(row, phase));
    }

    @Override
    public void loaded(int row, SequencedMap<String, Object> code) {
        tell(new Message.Loaded(row, code));
    }

    @Override
    public void ended(int row, Measured done) {
        tell(new Message.Done(row, done.row().toJson(), done.code(), done.inputFault()));
    }

    private void tell(Message message) {
        try {
            wire.send(message);
        } catch (IOException e) {
            orphaned();
        }
    }

    private void listen() {
        try {
            for (Optional<Message> m = wire.receive(); m.isPresent(); m = wire.receive()) {
                inbox.add(m.get());
            }
        } catch (IOException e) {
            System.err.println("the parent's line broke: " + e.getMessage());
        }
        orphaned();
    }

    /** Without a parent nobody reads the rows; a kernel that hangs must not keep the device. */
    private void orphaned() {
        ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly); // compilers, mostly
        Folders.delete(folder);
        Runtime.getRuntime().halt(0);
    }
}
