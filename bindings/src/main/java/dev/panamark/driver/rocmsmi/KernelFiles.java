package dev.panamark.driver.rocmsmi;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What the library will find below {@code /sys/class}, looked at before it is asked: versions 5.2.3 and 7.3.0 were run on
 * made-up trees of such files, with one missing at a time, to find which of them it aborts the process without.
 *
 * @param sysClass usually {@code /sys/class}
 */
record KernelFiles(Path sysClass) {
    /** The last content revision of gpu_metrics that libraries before ROCm 6.0 were written for. */
    private static final int LAST_OLD_REVISION = 3;

    /** Those of the running system. */
    static KernelFiles system() {
        return new KernelFiles(Path.of("/sys/class"));
    }

    /** Why the library must not be initialized; empty where it may. */
    Optional<String> againstInit() {
        Path drm = sysClass.resolve("drm");
        if (!Files.isDirectory(drm)) {
            return Optional.of(drm + " is not there, so there is no AMD GPU");
        }
        for (Path node : entries(sysClass.resolve("kfd/kfd/topology/nodes"), "*")) {
            if (!Files.isDirectory(node.resolve("io_links"))) {
                return Optional.of(node + " has no io_links, without which the library aborts the process");
            }
        }
        return Optional.empty();
    }

    /** Why power, its limit and temperatures must not be asked of a GPU; empty where they may. */
    Optional<String> againstPower(String pciAddress) {
        List<Path> sensors = device(pciAddress)
                .map(device -> entries(device.resolve("hwmon"), "hwmon*"))
                .orElse(List.of());
        return sensors.stream().anyMatch(KernelFiles::isAmdgpus)
                ? Optional.empty()
                : Optional.of("the driver shows no hwmon of " + pciAddress
                        + ", without which the library aborts the process");
    }

    private static boolean isAmdgpus(Path hwmon) {
        try {
            return Files.readString(hwmon.resolve("name")).strip().equals("amdgpu");
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Why energy must not be asked of a GPU; empty where it may.
     *
     * @param old whether the library is older than ROCm 6.0
     */
    Optional<String> againstEnergy(String pciAddress, boolean old) {
        Optional<Path> metrics =
                device(pciAddress).map(d -> d.resolve("gpu_metrics")).filter(Files::isReadable);
        if (metrics.isEmpty()) {
            return Optional.of("the driver shows no gpu_metrics of " + pciAddress);
        }
        byte[] header = new byte[4]; // its size, 2 bytes, then the revisions of its format and of its content
        try (InputStream in = Files.newInputStream(metrics.get())) {
            if (in.readNBytes(header, 0, header.length) < header.length) {
                return Optional.of(metrics.get() + " is shorter than its header");
            }
        } catch (IOException e) {
            return Optional.of(metrics.get() + " cannot be read: " + e.getMessage());
        }
        int format = Byte.toUnsignedInt(header[2]);
        int content = Byte.toUnsignedInt(header[3]);
        boolean known = format == 1 && content >= 1 && content <= LAST_OLD_REVISION;
        return old && !known
                ? Optional.of(metrics.get() + " is of revision " + format + "." + content
                        + ", on which libraries before ROCm 6.0 abort the process")
                : Optional.empty();
    }

    private Optional<Path> device(String pciAddress) {
        return entries(sysClass.resolve("drm"), "card*").stream()
                .flatMap(card -> target(card.resolve("device")).stream())
                .filter(device -> device.endsWith(pciAddress))
                .findFirst();
    }

    /** Empty for a connector of a card, or a card that went meanwhile. */
    private static Optional<Path> target(Path link) {
        try {
            return Optional.of(link.toRealPath());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static List<Path> entries(Path folder, String glob) {
        List<Path> all = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder, glob)) {
            stream.forEach(all::add);
        } catch (IOException e) {
            return List.of();
        }
        return all;
    }
}
