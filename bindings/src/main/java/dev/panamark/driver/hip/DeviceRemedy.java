package dev.panamark.driver.hip;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What to do where HIP finds no device. */
final class DeviceRemedy {
    /** Each hides devices: the first two from HIP alone, the third from whatever uses ROCm. */
    private static final List<String> HIDING =
            List.of("HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES");

    private DeviceRemedy() {}

    /**
     * By what the machine lacks.
     *
     * @param root of the file system
     */
    static String of(Map<String, String> env, Path root) {
        Path kfd = root.resolve("dev/kfd");
        if (!Files.exists(kfd)) {
            return "There is no /dev/kfd: load the kernel module amdgpu (ROCm's installation guide: "
                    + "https://rocm.docs.amd.com), and start containers with --device /dev/kfd --device /dev/dri "
                    + "--group-add render";
        }
        if (!Files.isReadable(kfd) || !Files.isWritable(kfd)) {
            return "This user may not open /dev/kfd: add it to the groups render and video (usermod -aG render,video USER) "
                    + "and log in again";
        }
        String hiding = HIDING.stream()
                .filter(env::containsKey)
                .map(name -> name + "=" + env.get(name))
                .collect(Collectors.joining(", "));
        return hiding.isEmpty()
                ? "Check that rocminfo lists a GPU which this release of ROCm supports, and that /dev/dri/renderD* may be "
                        + "opened (groups render and video)"
                : "Devices may be hidden: unset " + hiding + ", or set it to a device that is there";
    }
}
