package dev.panamark.worker;

import dev.panamark.result.Row;
import dev.panamark.result.Status;
import java.util.List;

/** A way to learn what the launches of rows do, after these were timed. Used by one thread. */
interface CountingWay {

    /**
     * A row to count.
     *
     * @param task as it was measured
     * @param entries kernels that one pass launches, in order
     */
    record Job(Task task, List<String> entries) {
        /** Copies the list. */
        public Job {
            entries = List.copyOf(entries);
        }

        /** A row that says why it is not counted. */
        Row not(String device, String why) {
            return Row.builder(
                            device,
                            task.kernel(),
                            "",
                            task.problem(),
                            task.mode().tag())
                    .invocation(0)
                    .status(Status.UNSUPPORTED, why)
                    .build();
        }
    }

    /** A row for each job: its metrics are counts where its status is ok, and otherwise it says why there are none. */
    List<Row> count(List<Job> jobs);

    /** Ends it at once; any thread may. */
    void interrupt();
}
