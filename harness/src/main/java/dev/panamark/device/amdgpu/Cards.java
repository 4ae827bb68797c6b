package dev.panamark.device.amdgpu;

import dev.panamark.device.TextFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;

/**
 * The AMD GPUs below a folder like {@code /sys/class/drm}.
 *
 * @param gpus in the order of the PCI bus
 * @param partitions names of cards that stand for further partitions of one of them: these have no sensors of their own
 */
record Cards(List<GpuCard> gpus, List<String> partitions) {
    private static final String AMD = "0x1002";

    /** The driver makes such a platform device for each partition but the first (amdgpu_xcp_drv.c). */
    private static final String PARTITION = "amdgpu_xcp";

    static Cards in(Path drm) {
        SequencedMap<String, Path> found = new TreeMap<>();
        List<String> partitions = new ArrayList<>();
        List<String> names = TextFiles.names(drm, "card\\d+").stream()
                .sorted(Comparator.comparingInt(String::length).thenComparing(n -> n))
                .toList();
        for (String card : names) {
            Path folder = drm.resolve(card).resolve("device");
            String device = target(folder);
            if (device.startsWith(PARTITION)) {
                partitions.add(card);
            } else if (TextFiles.word(folder.resolve("vendor")).equals(Optional.of(AMD))) {
                found.put(device, folder);
            }
        }
        List<GpuCard> gpus = new ArrayList<>();
        found.forEach((address, folder) -> gpus.add(GpuCard.of(gpus.size(), folder, address)));
        return new Cards(List.copyOf(gpus), List.copyOf(partitions));
    }

    /** What the link leads to; empty where it leads nowhere. */
    private static String target(Path link) {
        try {
            return String.valueOf(link.toRealPath().getFileName());
        } catch (IOException e) {
            return "";
        }
    }
}
