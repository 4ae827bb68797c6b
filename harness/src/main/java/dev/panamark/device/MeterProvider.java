package dev.panamark.device;

import dev.panamark.ffi.Availability;
import java.util.List;

/** Finds the meters that one interface of the system or of a driver offers. */
public interface MeterProvider {

    /** The interface's name: {@code powercap}. */
    String source();

    /** The backend of whose devices it meters: {@code cpu}. */
    String backend();

    /**
     * Looks for meters and reads each once; never throws: what went wrong is a reason.
     *
     * @return every meter that can be read, which the caller closes, then the reasons why others, or all, cannot
     */
    List<Availability<PowerMeter>> discover();
}
