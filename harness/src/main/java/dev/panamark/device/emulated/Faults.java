package dev.panamark.device.emulated;

import dev.panamark.device.DeviceBuffer;
import dev.panamark.device.DeviceException;
import dev.panamark.device.FaultFinder;
import dev.panamark.finding.Check;
import dev.panamark.finding.Fault;
import dev.panamark.ptx.DeviceMemory;
import dev.panamark.ptx.KernelFault;
import dev.panamark.ptx.LaunchOptions;
import dev.panamark.ptx.check.Checker;
import dev.panamark.ptx.check.Finding;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Looks for faults in the launches of one emulated device. */
final class Faults implements FaultFinder {
    private final DeviceMemory memory;
    private final Path folder;
    private final String device;

    /** Null while nothing is looked for. */
    private @Nullable Checker checker;

    /** @param folder where what is known of the memory lies */
    Faults(DeviceMemory memory, Path folder, String device) {
        this.memory = memory;
        this.folder = folder;
        this.device = device;
    }

    /** A fault that was noted ended a launch. */
    private static final class Noted extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Noted(KernelFault cause) {
            super(cause.getMessage(), cause, false, false);
        }
    }

    @Override
    public List<Fault> find(Set<Check> checks, Runnable work) {
        Set<dev.panamark.ptx.check.Check> kinds = EnumSet.noneOf(dev.panamark.ptx.check.Check.class);
        checks.forEach(check -> kinds.add(kind(check)));
        try (Checker looking = checker(kinds)) {
            checker = looking;
            try {
                work.run();
            } catch (Noted e) {
                // told below, with what was found before it
            }
            return looking.findings().stream().map(Faults::fault).toList();
        } finally {
            checker = null;
        }
    }

    private Checker checker(Set<dev.panamark.ptx.check.Check> kinds) {
        try {
            return new Checker(memory, kinds, folder);
        } catch (UncheckedIOException e) {
            throw new DeviceException(device + " cannot look for faults: " + e.getMessage(), e);
        }
    }

    private static dev.panamark.ptx.check.Check kind(Check check) {
        return switch (check) {
            case MEM -> dev.panamark.ptx.check.Check.MEMORY;
            case INIT -> dev.panamark.ptx.check.Check.INITIALISED;
            case RACE -> dev.panamark.ptx.check.Check.RACE;
            case SYNC -> dev.panamark.ptx.check.Check.SYNC;
        };
    }

    private static Check check(dev.panamark.ptx.check.Check kind) {
        return switch (kind) {
            case MEMORY -> Check.MEM;
            case INITIALISED -> Check.INIT;
            case RACE -> Check.RACE;
            case SYNC -> Check.SYNC;
        };
    }

    private static Fault fault(Finding finding) {
        return new Fault(
                check(finding.check()),
                finding.kind(),
                finding.text(),
                Optional.ofNullable(finding.place()).map(Faults::spot),
                Optional.ofNullable(finding.other()).map(Faults::spot),
                finding.count());
    }

    private static Fault.Spot spot(KernelFault.Place place) {
        Long address = place.address();
        return new Fault.Spot(
                place.kernel(),
                place.source() == null ? "ptx:" + place.line() : place.source(),
                Optional.of(place.block().toString()),
                Optional.of(place.thread().toString()),
                address == null ? OptionalLong.empty() : OptionalLong.of(address));
    }

    /** The options of a launch that is looked at, if any is. */
    LaunchOptions looking(LaunchOptions options) {
        return checker == null ? options : options.checker(checker);
    }

    /** A launch ended with a fault, which ends the work where it is what is looked for. */
    void ended(KernelFault fault) {
        if (checker != null && fault.kind() != KernelFault.Kind.BUDGET && fault.kind() != KernelFault.Kind.DEADLINE) {
            checker.add(fault);
            throw new Noted(fault);
        }
    }

    /** The host wrote bytes. */
    void written(long address, long bytes) {
        if (checker != null) {
            checker.holdsData(address, bytes);
        }
    }

    /** Bytes hold nothing. */
    void emptied(long address, long bytes) {
        if (checker != null) {
            checker.holdsNothing(address, bytes);
        }
    }

    @Override
    public Optional<Unwritten> unwritten(DeviceBuffer buffer) {
        long address = ((EmulatedBuffer) buffer).address();
        long first = looking().nextUnwritten(address, buffer.size());
        return first < 0
                ? Optional.empty()
                : Optional.of(new Unwritten(looking().unwritten(address, buffer.size()), first));
    }

    @Override
    public boolean isWritten(DeviceBuffer buffer, long offset, int bytes) {
        return looking().nextUnwritten(((EmulatedBuffer) buffer).address() + offset, bytes) < 0;
    }

    /** How much more room memory takes while faults are looked for: what is known of each byte, and of who wrote it. */
    int room() {
        return checker == null ? 1 : 3;
    }

    @Override
    public Optional<Fault.Spot> writer(DeviceBuffer buffer, long offset) {
        long address = ((EmulatedBuffer) buffer).address() + offset;
        return looking()
                .writer(address)
                .map(writer -> new Fault.Spot(
                        writer.kernel(),
                        writer.source().orElse("ptx:" + writer.line()),
                        Optional.empty(),
                        Optional.empty(),
                        OptionalLong.of(address)));
    }

    private Checker looking() {
        if (checker == null) {
            throw new IllegalStateException("faults are not being looked for on " + device);
        }
        return checker;
    }
}
