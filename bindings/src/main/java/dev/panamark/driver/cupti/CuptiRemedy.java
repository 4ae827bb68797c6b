package dev.panamark.driver.cupti;

import dev.panamark.raw.cupti.cupti_h;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** What to do about a status. */
final class CuptiRemedy {
    /** Where the kernel module tells its options; {@code RmProfilingAdminOnly: 1} keeps counters for administrators. */
    private static final String PARAMETERS = "proc/driver/nvidia/params";

    private static final String OPTION = "RmProfilingAdminOnly:";

    private static final String RIGHTS =
            "run as root or with CAP_SYS_ADMIN (from driver R565 on CAP_PERFMON does), start containers with "
                    + "--cap-add=SYS_ADMIN, or let everybody read counters: put \"options nvidia "
                    + "NVreg_RestrictProfilingToAdminUsers=0\" into a file of /etc/modprobe.d and reboot";

    private static final String OTHERS =
            "End other tools that use the counters: Nsight Compute or Systems, cuda-gdb, or DCGM (dcgmi profiling --pause)";

    private static final Map<Integer, String> CURES = Map.ofEntries(
            Map.entry(
                    cupti_h.CUPTI_ERROR_INVALID_METRIC_NAME(),
                    "Take names that the chip has; metrics differ between chips and releases of CUPTI"),
            Map.entry(
                    cupti_h.CUPTI_ERROR_OUT_OF_MEMORY(),
                    "Free memory, or collect fewer metrics at once: CUPTI needs some on the host and on the device"),
            Map.entry(
                    cupti_h.CUPTI_ERROR_NOT_INITIALIZED(),
                    "CUPTI does not reach the driver: use a CUPTI that is no newer than the CUDA release that nvidia-smi "
                            + "shows, or update the driver"),
            Map.entry(cupti_h.CUPTI_ERROR_HARDWARE_BUSY(), OTHERS),
            Map.entry(cupti_h.CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED(), OTHERS),
            Map.entry(
                    cupti_h.CUPTI_ERROR_NOT_SUPPORTED(),
                    "The range profiler needs a GPU of compute capability 7.5 or newer and a driver that serves CUPTI's "
                            + "release of CUDA"),
            Map.entry(
                    cupti_h.CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED(),
                    "This virtual GPU has no counters: use the whole GPU (pass-through), or a vGPU profile and a "
                            + "release of vGPU software that has them"),
            Map.entry(
                    cupti_h.CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES(),
                    "The hypervisor keeps counters from this virtual GPU: its administrator sets enable_profiling=1 among "
                            + "the vGPU's plugin parameters"),
            Map.entry(
                    cupti_h.CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED(),
                    "Counters cannot be read in confidential computing mode: turn it off for the GPU, or measure on another"),
            Map.entry(
                    cupti_h.CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED(),
                    "Mining processors (CMP) have no counters that can be read: measure on another GPU"),
            Map.entry(
                    cupti_h.CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED(),
                    "Counters of this MIG instance cannot be read: give it the whole GPU as one instance, or turn MIG off "
                            + "(nvidia-smi -mig 0)"),
            Map.entry(
                    cupti_h.CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED(),
                    "Counters cannot be read in SLI mode: turn SLI off for the GPU"),
            Map.entry(
                    cupti_h.CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED(),
                    "Counters cannot be read on this Windows Subsystem for Linux: it takes WSL 2, Windows 11 and a driver "
                            + "of 525 or newer, or Linux itself"),
            Map.entry(
                    cupti_h.CUPTI_ERROR_INVALID_CHIP_NAME(),
                    "This CUPTI does not know the chip: use that of a newer CUDA toolkit (and write names in capitals, "
                            + "GH100)"));

    private CuptiRemedy() {}

    /**
     * What to do.
     *
     * @param root of the file system
     */
    static String of(int status, Path root) {
        if (status == cupti_h.CUPTI_ERROR_INSUFFICIENT_PRIVILEGES()) {
            return ofPrivileges(root.resolve(PARAMETERS));
        }
        return cure(status);
    }

    /** What to do, whatever this machine's files say. */
    static String cure(int status) {
        return CURES.getOrDefault(
                status,
                "Check that nvidia-smi works, that CUPTI is no newer than the CUDA release that it shows, and that no other "
                        + "tool profiles the GPU");
    }

    private static String ofPrivileges(Path parameters) {
        Optional<String> option = option(parameters);
        if (option.isEmpty()) {
            return "Counters may be for administrators only: " + RIGHTS;
        }
        return option.get().equals("0")
                ? "The kernel module lets everybody read counters (RmProfilingAdminOnly: 0), so something around this "
                        + "process does not, such as a container or the administrator of the host: ask there, or "
                        + RIGHTS
                : "The kernel module keeps counters for administrators (RmProfilingAdminOnly: " + option.get() + "): "
                        + RIGHTS;
    }

    private static Optional<String> option(Path parameters) {
        try {
            return Files.readAllLines(parameters, StandardCharsets.ISO_8859_1).stream()
                    .filter(line -> line.startsWith(OPTION))
                    .map(line -> line.substring(OPTION.length()).strip())
                    .findFirst();
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
