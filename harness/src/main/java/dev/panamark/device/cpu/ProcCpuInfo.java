package dev.panamark.device.cpu;

import dev.panamark.device.TextFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** {@code /proc/cpuinfo}, whose keys differ between architectures. */
final class ProcCpuInfo {
    /** MIDR_EL1 implementers and parts, as in the Linux kernel's {@code arch/arm64/include/asm/cputype.h}. */
    private static final Map<String, String> IMPLEMENTERS = Map.ofEntries(
            Map.entry("0x41", "ARM"),
            Map.entry("0x42", "Broadcom"),
            Map.entry("0x43", "Cavium"),
            Map.entry("0x46", "Fujitsu"),
            Map.entry("0x48", "HiSilicon"),
            Map.entry("0x4e", "NVIDIA"),
            Map.entry("0x51", "Qualcomm"),
            Map.entry("0x61", "Apple"),
            Map.entry("0xc0", "Ampere"));

    private static final Map<String, String> PARTS = Map.ofEntries(
            Map.entry("0x41/0xd03", "Cortex-A53"),
            Map.entry("0x41/0xd05", "Cortex-A55"),
            Map.entry("0x41/0xd08", "Cortex-A72"),
            Map.entry("0x41/0xd0b", "Cortex-A76"),
            Map.entry("0x41/0xd0c", "Neoverse-N1"),
            Map.entry("0x41/0xd40", "Neoverse-V1"),
            Map.entry("0x41/0xd41", "Cortex-A78"),
            Map.entry("0x41/0xd49", "Neoverse-N2"),
            Map.entry("0x41/0xd4f", "Neoverse-V2"),
            Map.entry("0x41/0xd84", "Neoverse-V3"),
            Map.entry("0x41/0xd8e", "Neoverse-N3"),
            Map.entry("0x43/0x0af", "ThunderX2"),
            Map.entry("0x46/0x001", "A64FX"),
            Map.entry("0x48/0xd01", "TaiShan-v110"),
            Map.entry("0xc0/0xac3", "Ampere-1"));

    private final List<Map<String, String>> processors;

    private ProcCpuInfo(List<Map<String, String>> processors) {
        this.processors = processors;
    }

    static ProcCpuInfo read(Path proc) {
        List<Map<String, String>> processors = new ArrayList<>();
        Map<String, String> current = new LinkedHashMap<>();
        for (String line :
                TextFiles.text(proc.resolve("cpuinfo")).orElse("").lines().toList()) {
            int colon = line.indexOf(':');
            if (colon < 0) {
                current = new LinkedHashMap<>();
                continue;
            }
            String key = line.substring(0, colon).strip();
            if (key.equals("processor")) {
                current = new LinkedHashMap<>();
                processors.add(current);
            }
            current.put(key, line.substring(colon + 1).strip());
        }
        return new ProcCpuInfo(processors);
    }

    /** {@code GenuineIntel}, {@code AuthenticAMD}, {@code ARM}. */
    Optional<String> vendor() {
        return first("vendor_id").or(() -> first("CPU implementer").map(i -> IMPLEMENTERS.getOrDefault(i, i)));
    }

    /** The model name; on ARM, which has none, the names of the core types. */
    Optional<String> model() {
        Optional<String> name = first("model name").filter(n -> !n.isEmpty());
        if (name.isPresent()) {
            return name;
        }
        Set<String> cores = new LinkedHashSet<>();
        for (Map<String, String> processor : processors) {
            String implementer = processor.get("CPU implementer");
            String part = processor.get("CPU part");
            if (implementer != null && part != null) {
                String maker = IMPLEMENTERS.getOrDefault(implementer, "implementer " + implementer);
                cores.add(maker + " " + PARTS.getOrDefault(implementer + "/" + part, "part " + part));
            }
        }
        return cores.isEmpty() ? Optional.empty() : Optional.of(String.join(" + ", cores));
    }

    /** Instruction set extensions; empty where nothing is readable. */
    Set<String> flags() {
        return first("flags")
                .or(() -> first("Features"))
                .<Set<String>>map(f -> new LinkedHashSet<>(List.of(f.split("\\s+", -1))))
                .orElse(Set.of());
    }

    /** Packages and cores, where the file tells them (x86 does). */
    Optional<Topology> topology() {
        Set<String> sockets = new HashSet<>();
        Set<String> cores = new HashSet<>();
        for (Map<String, String> processor : processors) {
            String socket = processor.get("physical id");
            String core = processor.get("core id");
            if (socket == null || core == null) {
                return Optional.empty();
            }
            sockets.add(socket);
            cores.add(socket + "/" + core);
        }
        return processors.isEmpty()
                ? Optional.empty()
                : Optional.of(new Topology(sockets.size(), cores.size(), processors.size()));
    }

    private Optional<String> first(String key) {
        return processors.stream()
                .map(p -> Optional.ofNullable(p.get(key)))
                .flatMap(Optional::stream)
                .findFirst();
    }
}
