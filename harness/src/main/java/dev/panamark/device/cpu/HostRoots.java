package dev.panamark.device.cpu;

import java.nio.file.Path;

/**
 * Where the machine describes itself.
 *
 * @param proc usually {@code /proc}
 * @param sys usually {@code /sys}
 * @param etc usually {@code /etc}
 */
public record HostRoots(Path proc, Path sys, Path etc) {
    /** Those of the running system. */
    public static HostRoots system() {
        return new HostRoots(Path.of("/proc"), Path.of("/sys"), Path.of("/etc"));
    }
}
