package dev.panamark.device;

import dev.panamark.finding.Check;
import dev.panamark.finding.Fault;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Looks for what kernels do wrong. Buffers must be allocated while it does. */
public interface FaultFinder {

    /**
     * Does some work, the launches of which are looked at. A launch that ends with a fault ends the work.
     *
     * @return what was found, in the order in which it was seen first
     * @throws DeviceException where the work fails for another reason
     */
    List<Fault> find(Set<Check> checks, Runnable work);

    /**
     * What of a buffer nothing has written, neither the host nor a kernel; while looking.
     *
     * @param bytes of it
     * @param first of them
     */
    record Unwritten(long bytes, long first) {}

    /** What of a buffer nothing has written; empty where all is. */
    Optional<Unwritten> unwritten(DeviceBuffer buffer);

    /** Whether all of some bytes of a buffer are written, {@code bytes} from {@code offset} on. */
    boolean isWritten(DeviceBuffer buffer, long offset, int bytes);

    /** The instruction of a kernel that wrote a byte last; empty where none did. */
    Optional<Fault.Spot> writer(DeviceBuffer buffer, long offset);
}
