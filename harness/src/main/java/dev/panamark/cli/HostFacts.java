package dev.panamark.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/** What identifies the machine and the software of a run. */
final class HostFacts {
    private HostFacts() {}

    static SequencedMap<String, Object> gather(Surroundings surroundings, List<String> workerFlags) {
        SequencedMap<String, Object> facts = new LinkedHashMap<>();
        facts.put("panamark", Version.number());
        facts.put("java", Runtime.version().toString());
        facts.put("jvm", System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
        facts.put("worker_flags", workerFlags);
        facts.put("os", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        facts.put("arch", System.getProperty("os.arch"));
        facts.put("processors", Runtime.getRuntime().availableProcessors());
        surroundings.variable("HOSTNAME").or(HostFacts::hostname).ifPresent(name -> facts.put("hostname", name));
        surroundings.variable("SLURM_JOB_ID").ifPresent(id -> facts.put("slurm_job_id", id));
        return facts;
    }

    private static java.util.Optional<String> hostname() {
        try {
            return java.util.Optional.of(Files.readString(Path.of("/proc/sys/kernel/hostname"))
                            .strip())
                    .filter(n -> !n.isEmpty());
        } catch (IOException e) {
            return java.util.Optional.empty();
        }
    }
}
