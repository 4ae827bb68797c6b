package dev.panamark.device;

import dev.panamark.kernel.Argument;
import java.util.List;
import java.util.Map;

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
}
