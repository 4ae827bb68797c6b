package dev.panamark.device;

import dev.panamark.ffi.Availability;
import java.util.List;
import java.util.Optional;

/** Finds the devices of one backend. */
public interface DeviceProvider {

    /** The backend's name: {@code cpu}. */
    String backend();

    /**
     * Looks for devices; opens none. Cheap enough for every command, and never throws: what went wrong is a reason.
     *
     * @return a candidate for every device found, or the reasons why there is none
     */
    List<Availability<Candidate>> discover();

    /** A device that was seen and not yet opened. */
    interface Candidate {
        /** Which one it is. */
        DeviceInfo info();

        /** Whether it only exists in this program. */
        default boolean isEmulated() {
            return false;
        }

        /** Whether it is meant where all devices, or all of its backend, are asked for. */
        default boolean isUsual() {
            return true;
        }

        /**
         * Holds its clock at one frequency, for all processes.
         *
         * @throws UnsupportedException where that cannot be done here, or not by this user
         */
        default ClockLock lockClocks(int megahertz) {
            throw new UnsupportedException("the clock of " + info().id() + " cannot be held; name GPUs with --devices");
        }

        /** A program that reads its counters from outside; empty for devices without counters. */
        default Optional<Availability<ProfilerProgram>> profilerProgram() {
            return Optional.empty();
        }

        /**
         * Opens it for this process; the caller closes it.
         *
         * @throws DeviceException when it cannot be opened
         */
        Device open();
    }
}
