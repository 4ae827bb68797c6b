package dev.panamark.device;

import dev.panamark.ffi.Availability;
import dev.panamark.kernel.Argument;
import dev.panamark.kernel.Step;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A function that can be launched. */
public interface Entry {

    /**
     * Fixes the parameters, so that launching allocates nothing.
     *
     * @param args in order
     * @param buffers by the names that the arguments use; they must stay open while the result is used
     * @throws UnsupportedException when this backend cannot pass such an argument
     */
    Bound bind(List<Argument> args, Map<String, DeviceBuffer> buffers);

    /**
     * Fixes everything that a step says of its launch, clusters and cooperation among it.
     *
     * @param buffers as for {@link #bind(List, Map)}
     * @return launches as {@link Bound#launch} does
     */
    default Runnable bind(Step.Launch launch, Map<String, DeviceBuffer> buffers) {
        Bound bound = bind(launch.args(), buffers);
        return () -> bound.launch(launch.grid(), launch.block(), launch.shared());
    }

    /** How full a launch makes the device's units, where there is such a thing and launching alone does not tell it. */
    default Optional<Availability<Counted.Occupancy>> occupancy(Step.Launch launch) {
        return Optional.empty();
    }
}
