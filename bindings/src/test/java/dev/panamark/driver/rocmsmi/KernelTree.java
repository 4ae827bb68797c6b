package dev.panamark.driver.rocmsmi;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files as below /sys/class, of GPUs in slots of the bus 0001:c1, written by a test. */
record KernelTree(Path sysClass) {
    /** A GPU with a folder of sensors and a gpu_metrics that begins like this. */
    KernelTree gpu(int slot, int format, int content) throws IOException {
        Path device = device(slot);
        Files.writeString(
                Files.createDirectories(device.resolve("hwmon/hwmon" + slot)).resolve("name"), "amdgpu\n");
        Files.write(device.resolve("gpu_metrics"), new byte[] {96, 0, (byte) format, (byte) content, 0, 0});
        Path card = Files.createDirectories(sysClass.resolve("drm/card" + slot));
        Files.createSymbolicLink(card.resolve("device"), device);
        Files.createDirectories(sysClass.resolve("drm/card" + slot + "-DP-1"));
        return this;
    }

    Path device(int slot) {
        return sysClass.resolve("fake").resolve("0001:c1:%02x.0".formatted(slot));
    }

    Path node(int number) throws IOException {
        return Files.createDirectories(sysClass.resolve("kfd/kfd/topology/nodes/" + number));
    }

    KernelFiles files() {
        return new KernelFiles(sysClass);
    }
}
