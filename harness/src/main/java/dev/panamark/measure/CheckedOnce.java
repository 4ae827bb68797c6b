package dev.panamark.measure;

import dev.panamark.device.Device;
import dev.panamark.device.DeviceBuffer;
import dev.panamark.device.FaultFinder;
import dev.panamark.device.UnsupportedException;
import dev.panamark.finding.Check;
import dev.panamark.finding.Fault;
import dev.panamark.kernel.Buffer;
import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.Instance;
import dev.panamark.kernel.Tensor;
import dev.panamark.kernel.format.Formats;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What one pass over a kernel's steps does wrong that can be seen without knowing what its output should be. */
public final class CheckedOnce {
    private CheckedOnce() {}

    /**
     * Runs the steps once.
     *
     * @param seed of the inputs
     * @throws UnsupportedException where the device cannot run this, or finds nothing
     * @throws dev.panamark.device.DeviceException where the code does not compile
     */
    public static List<Fault> of(Device device, Instance instance, long seed, Set<Check> checks) {
        FaultFinder finder = device.faultFinder().orElseThrow(UnsupportedException::new);
        List<Fault> ofOutputs = new ArrayList<>();
        List<Fault> found = new ArrayList<>(finder.find(checks, () -> {
            ofOutputs.addAll(OnePass.with(device, instance, seed, (prepared, inputs, arena) -> {
                prepared.pass();
                return checks.contains(Check.INIT) ? outputs(finder, prepared, inputs, arena) : List.of();
            }));
        }));
        found.addAll(ofOutputs);
        return found;
    }

    private static List<Fault> outputs(FaultFinder finder, Prepared prepared, Inputs inputs, Arena arena) {
        List<Fault> faults = new ArrayList<>();
        Map<String, Tensor> contents = prepared.download(true, arena);
        boolean nanIsNews = nanIsNews(prepared.instance(), inputs);
        prepared.outputs().forEach((buffer, there) -> {
            if (buffer.role() == Buffer.Role.OUTPUT) {
                neverWritten(finder, buffer, there).ifPresent(faults::add);
            }
            Tensor tensor = contents.get(buffer.name());
            if (nanIsNews && tensor != null && buffer.type().floating()) {
                nan(finder, buffer, there, tensor).ifPresent(faults::add);
            }
        });
        return faults;
    }

    /** Whether inputs hold no NaN but where nothing is to be read. */
    private static boolean nanIsNews(Instance instance, Inputs inputs) {
        for (Buffer buffer : instance.buffers()) {
            boolean read = buffer.role() == Buffer.Role.INPUT || buffer.role() == Buffer.Role.INOUT;
            if (read && buffer.type().floating() && buffer.unused().isEmpty()) {
                Tensor tensor = inputs.get(buffer.name());
                for (long i = 0; i < tensor.shape().elements(); i++) {
                    if (Double.isNaN(Formats.get(tensor, i))) {
                        return false;
                    }
                }
            }
        }
        return true;
    }

    private static Optional<Fault> neverWritten(FaultFinder finder, Buffer buffer, DeviceBuffer there) {
        return finder.unwritten(there).map(none -> {
            int size = buffer.type().bytes();
            return new Fault(
                    Check.INIT,
                    "output-not-written",
                    none.bytes() + " of the " + buffer.bytes() + " bytes of output '" + buffer.name()
                            + "' were never written; the first are at " + element(buffer, none.first() / size),
                    Optional.empty(),
                    Optional.empty(),
                    (none.bytes() + size - 1) / size);
        });
    }

    private static Optional<Fault> nan(FaultFinder finder, Buffer buffer, DeviceBuffer there, Tensor tensor) {
        int size = buffer.type().bytes();
        long first = -1;
        long count = 0;
        for (long i = 0; i < tensor.shape().elements(); i++) {
            if (Double.isNaN(Formats.get(tensor, i)) && finder.isWritten(there, i * size, size)) {
                first = first < 0 ? i : first;
                count++;
            }
        }
        return first < 0
                ? Optional.empty()
                : Optional.of(new Fault(
                        Check.INIT,
                        "nan-in-output",
                        "output '" + buffer.name() + "' is NaN at " + element(buffer, first)
                                + ", and no input is but where nothing is to be read",
                        finder.writer(there, first * size),
                        Optional.empty(),
                        count));
    }

    private static String element(Buffer buffer, long at) {
        return buffer.name() + buffer.shape().index(at);
    }
}
