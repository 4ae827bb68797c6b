package dev.panamark.worker;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.panamark.measure.Phase;
import dev.panamark.telemetry.EnergyMode;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/** What parent and worker say to each other: one JSON object a line over a Unix-domain socket. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "say")
@JsonSubTypes({
    @JsonSubTypes.Type(value = Message.Open.class, name = "open"),
    @JsonSubTypes.Type(value = Message.Opened.class, name = "opened"),
    @JsonSubTypes.Type(value = Message.Measure.class, name = "measure"),
    @JsonSubTypes.Type(value = Message.Entered.class, name = "phase"),
    @JsonSubTypes.Type(value = Message.Loaded.class, name = "loaded"),
    @JsonSubTypes.Type(value = Message.Done.class, name = "done"),
    @JsonSubTypes.Type(value = Message.Refused.class, name = "refused"),
    @JsonSubTypes.Type(value = Message.Broken.class, name = "broken")
})
sealed interface Message {

    /** Parent: own this device, read these kernel files, measure energy like that. */
    record Open(
            @JsonProperty("device") String device,
            @JsonProperty("cache") String cache,
            @JsonProperty("kernel_files") List<String> kernelFiles,
            @JsonProperty("energy") EnergyMode energy)
            implements Message {
        /** Refuses a message without one of its fields, as all others do. */
        public Open {
            requireNonNull(device, "device");
            requireNonNull(cache, "cache");
            requireNonNull(kernelFiles, "kernel_files");
            requireNonNull(energy, "energy");
        }
    }

    /** Worker: the device is open. */
    record Opened(@JsonProperty("device") Map<String, Object> device) implements Message {
        public Opened {
            requireNonNull(device, "device");
        }
    }

    /** Parent: do this with these rows together; they are known by their numbers in this list. */
    record Measure(
            @JsonProperty("tasks") List<Task> tasks,
            @JsonProperty("errand") Errand errand) implements Message {
        public Measure {
            requireNonNull(tasks, "tasks");
            requireNonNull(errand, "errand");
        }
    }

    /** Worker: a phase has begun for a row, or for all (-1); the parent's deadline starts anew. */
    record Entered(
            @JsonProperty("row") int row,
            @JsonProperty("phase") Phase phase) implements Message {
        public Entered {
            requireNonNull(phase, "phase");
        }
    }

    /** Worker: the image is loaded, and this identifies it; the parent needs it for the row of a worker that dies. */
    record Loaded(
            @JsonProperty("row") int row,
            @JsonProperty("code") SequencedMap<String, Object> code) implements Message {
        public Loaded {
            requireNonNull(code, "code");
        }
    }

    /**
     * Worker: a row is finished.
     *
     * @param number of the row
     * @param row as one line of a journal
     * @param code what identifies the code; empty when it was not loaded
     * @param inputFault whether the row failed because of what a person wrote
     */
    record Done(
            @JsonProperty("number") int number,
            @JsonProperty("row") String row,
            @JsonProperty("code") SequencedMap<String, Object> code,
            @JsonProperty("input_fault") boolean inputFault)
            implements Message {
        public Done {
            requireNonNull(row, "row");
            requireNonNull(code, "code");
        }
    }

    /** Worker: the device could not be opened, the kernel files not be read, or no row's counters be. */
    record Refused(@JsonProperty("reason") String reason) implements Message {
        public Refused {
            requireNonNull(reason, "reason");
        }
    }

    /** Worker: its process cannot use the device any more, and ends; rows that are not done are for a fresh one. */
    record Broken(@JsonProperty("reason") String reason) implements Message {
        public Broken {
            requireNonNull(reason, "reason");
        }
    }
}
