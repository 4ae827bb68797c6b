package dev.panamark.device.cpu;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A machine described by files written in a test. */
final class SyntheticMachine {
    private final Path root;

    SyntheticMachine(Path root) {
        this.root = root;
    }

    HostRoots roots() {
        return new HostRoots(root.resolve("proc"), root.resolve("sys"), root.resolve("etc"));
    }

    SyntheticMachine proc(String file, String text) throws IOException {
        return write(root.resolve("proc").resolve(file), text);
    }

    SyntheticMachine sys(String file, String text) throws IOException {
        return write(root.resolve("sys").resolve(file), text);
    }

    SyntheticMachine etc(String file, String text) throws IOException {
        return write(root.resolve("etc").resolve(file), text);
    }

    SyntheticMachine cpu(String file, String text) throws IOException {
        return sys("devices/system/cpu/" + file, text);
    }

    SyntheticMachine cache(int cpu, int index, int level, String type, String size, String shared) throws IOException {
        String folder = "cpu" + cpu + "/cache/index" + index + "/";
        return cpu(folder + "level", level + "\n")
                .cpu(folder + "type", type + "\n")
                .cpu(folder + "size", size + "\n")
                .cpu(folder + "shared_cpu_list", shared + "\n");
    }

    private SyntheticMachine write(Path file, String text) throws IOException {
        Path parent = file.getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        Files.writeString(file, text);
        return this;
    }
}
