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

    /** Sets every byte to what no right result leaves behind, which a kernel must write over before it reads it. */
    default void poison(byte pattern) {
        fill(pattern);
    }

    /** What was written outside the buffer since it was allocated: "12 bytes past its end, the first at +4". */
    Optional<String> damage();

    @Override
    void close();
}
