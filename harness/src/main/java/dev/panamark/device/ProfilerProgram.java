package dev.panamark.device;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A program that runs another one, has the hardware count what its launches do, and leaves a report. */
public interface ProfilerProgram {

    /** What messages call it: {@code ncu}. */
    String name();

    /** How often it has to run the other, as it counts few things in one process. */
    default int runs() {
        return 1;
    }

    /**
     * The words that a command line has before its own for its launches to be counted.
     *
     * @param run which one, from 0
     * @param report file or folder for what it finds; not there yet
     */
    List<String> before(Launches launches, int run, Path report);

    /**
     * What it found.
     *
     * @param runs in their order
     * @throws DeviceException where no report is what it should be; the message has the program's own words
     */
    Profile read(List<Run> runs, Launches launches);

    /**
     * A run that has ended.
     *
     * @param report what it may have left
     * @param failure why the process that it ran did not end well; empty where it did
     */
    record Run(Path report, Optional<String> failure) {}

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
