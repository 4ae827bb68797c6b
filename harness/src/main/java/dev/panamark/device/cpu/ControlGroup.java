package dev.panamark.device.cpu;

import dev.panamark.device.TextFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** What the control groups of this process, version 1 or 2, leave it of the machine. */
final class ControlGroup {
    private final Path proc;
    private final Path mount;

    ControlGroup(HostRoots roots) {
        this.proc = roots.proc();
        this.mount = roots.sys().resolve("fs").resolve("cgroup");
    }

    /** Bytes that may still be used before the tightest limit; empty when nothing limits it. */
    OptionalLong memoryLeft() {
        long least = Long.MAX_VALUE;
        for (Path group : folders("")) {
            least = Math.min(least, left(group, "memory.max", "memory.current", "inactive_file"));
        }
        for (Path group : folders("memory")) {
            least = Math.min(
                    least, left(group, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"));
        }
        return least == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(least);
    }

    /** Processors' worth of time that the tightest quota grants; empty when there is none. */
    OptionalDouble cpuQuota() {
        double least = Double.POSITIVE_INFINITY;
        for (Path group : folders("")) {
            Optional<String> max = TextFiles.word(group.resolve("cpu.max"));
            if (max.isPresent()) {
                List<String> words = List.of(max.get().split("\\s+", -1));
                least = Math.min(
                        least,
                        quota(
                                TextFiles.parse(words.getFirst()),
                                words.size() > 1 ? TextFiles.parse(words.get(1)) : OptionalLong.of(100_000)));
            }
        }
        for (Path group : folders("cpu")) {
            least = Math.min(
                    least,
                    quota(
                            TextFiles.number(group.resolve("cpu.cfs_quota_us")),
                            TextFiles.number(group.resolve("cpu.cfs_period_us"))));
        }
        return Double.isInfinite(least) ? OptionalDouble.empty() : OptionalDouble.of(least);
    }

    private static double quota(OptionalLong quota, OptionalLong period) {
        return quota.isPresent() && period.isPresent() && quota.getAsLong() > 0 && period.getAsLong() > 0
                ? (double) quota.getAsLong() / period.getAsLong()
                : Double.POSITIVE_INFINITY;
    }

    private static long left(Path group, String limitFile, String usageFile, String reclaimable) {
        OptionalLong limit = TextFiles.number(group.resolve(limitFile)); // "max" is no number
        OptionalLong usage = TextFiles.number(group.resolve(usageFile));
        // Version 1 writes "no limit" as the largest multiple of a page.
        if (limit.isEmpty() || limit.getAsLong() > Long.MAX_VALUE / 2) {
            return Long.MAX_VALUE;
        }
        long cached = TextFiles.text(group.resolve("memory.stat"))
                .orElse("")
                .lines()
                .filter(l -> l.startsWith(reclaimable + " "))
                .map(l -> TextFiles.parse(l.substring(reclaimable.length())))
                .flatMapToLong(OptionalLong::stream)
                .findFirst()
                .orElse(0);
        long used = Math.max(0, usage.orElse(0) - cached);
        return Math.max(0, limit.getAsLong() - used);
    }

    /** The process's group and all above it, which limit it too; those that are not mounted here do not exist. */
    private List<Path> folders(String controller) {
        List<Path> folders = new ArrayList<>();
        Path root = controller.isEmpty() ? mount : mount.resolve(controller);
        folders.add(root);
        for (String line : TextFiles.text(proc.resolve("self").resolve("cgroup"))
                .orElse("")
                .lines()
                .toList()) {
            List<String> parts = List.of(line.split(":", 3));
            if (parts.size() == 3 && List.of(parts.get(1).split(",", -1)).contains(controller)) {
                Path folder = root;
                for (String name : parts.get(2).split("/", -1)) {
                    if (!name.isEmpty() && !name.equals("..")) {
                        folder = folder.resolve(name);
                        folders.add(folder);
                    }
                }
            }
        }
        return folders;
    }
}
