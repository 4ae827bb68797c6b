package dev.panamark.device;

import java.nio.file.Path;
import java.util.List;

/** A program that runs another one, has the hardware count what its launches do, and leaves a report. */
public interface ProfilerProgram {

    /** What messages call it: {@code ncu}. */
    String name();

    /**
     * The words that a command line has before its own for its launches to be counted.
     *
     * @param report file for what it finds; not there yet
     */
    List<String> before(Launches launches, Path report);

    /**
     * What it found.
     *
     * @throws DeviceException where the report is not what it should be; the message has the program's own words
     */
    Profile read(Path report, Launches launches);

    /**
     * Which launches are counted.
     *
     * @param entries names of the kernels
     * @param skip launches of these before those that are counted
     * @param count launches that are counted
     * @param cold whether no data of theirs may be cached before each
     */
    record Launches(List<String> entries, int skip, int count, boolean cold) {
        /** Copies the list. */
        public Launches {
            entries = List.copyOf(entries);
        }
    }
}
