package dev.panamark.device;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** Device memory that one kernel buffer lives in. */
public interface DeviceBuffer extends AutoCloseable {

    /** Bytes, guard zones not counted. */
    long size();

    /** Copies {@code size()} bytes from the host. */
    void upload(MemorySegment from);

    /** Copies {@code size()} bytes to the host. */
    void download(MemorySegment to);

    /** Sets every byte. */
    void fill(byte value);

    /** What was written outside the buffer since it was allocated: "12 bytes past its end, the first at +4". */
    Optional<String> damage();

    @Override
    void close();
}
