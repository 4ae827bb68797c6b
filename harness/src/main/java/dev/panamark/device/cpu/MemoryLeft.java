package dev.panamark.device.cpu;

import dev.panamark.device.TextFiles;
import java.util.OptionalLong;

/** How much memory this process may still take. */
final class MemoryLeft {
    private final HostRoots roots;
    private final ControlGroup group;

    MemoryLeft(HostRoots roots) {
        this.roots = roots;
        this.group = new ControlGroup(roots);
    }

    /** Bytes: the smaller of what the machine has left and what the control groups leave; empty if neither is known. */
    OptionalLong bytes() {
        OptionalLong machine = meminfo("MemAvailable");
        OptionalLong limit = group.memoryLeft();
        if (machine.isPresent() && limit.isPresent()) {
            return OptionalLong.of(Math.min(machine.getAsLong(), limit.getAsLong()));
        }
        return machine.isPresent() ? machine : limit;
    }

    /** Bytes that the machine has, used or not. */
    OptionalLong installed() {
        return meminfo("MemTotal");
    }

    private OptionalLong meminfo(String key) {
        return TextFiles.text(roots.proc().resolve("meminfo"))
                .orElse("")
                .lines()
                .filter(l -> l.startsWith(key + ":"))
                .map(l -> TextFiles.parse(l.substring(key.length() + 1).replace("kB", "")))
                .flatMapToLong(OptionalLong::stream)
                .map(kib -> kib << 10)
                .findFirst();
    }
}
