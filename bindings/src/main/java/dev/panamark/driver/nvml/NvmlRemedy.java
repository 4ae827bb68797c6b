package dev.panamark.driver.nvml;

import dev.panamark.raw.nvml.nvml_h;

/** What to do about a status. */
final class NvmlRemedy {
    private NvmlRemedy() {}

    static String of(int status) {
        if (status == nvml_h.NVML_ERROR_NO_PERMISSION()) {
            return "Let this user read and write /dev/nvidiactl and /dev/nvidia0 and so on (nvidia-modprobe makes them; often "
                    + "membership in the group video or render does), or run as one who may";
        }
        if (status == nvml_h.NVML_ERROR_OPERATING_SYSTEM()) {
            return "The operating system or a control group keeps the GPU away: ask for it in the job (srun --gres=gpu:1) or "
                    + "start the container with it (docker run --gpus all)";
        }
        if (status == nvml_h.NVML_ERROR_LIB_RM_VERSION_MISMATCH()) {
            return "The driver's library and its kernel module are of different versions, as after an update: reboot, or "
                    + "reload the module (modprobe -r nvidia_uvm nvidia; modprobe nvidia)";
        }
        if (status == nvml_h.NVML_ERROR_DRIVER_NOT_LOADED()) {
            return "Load the kernel module (modprobe nvidia), and read the kernel's log (dmesg) where that fails; containers "
                    + "need access to the GPU (docker run --gpus all)";
        }
        if (status == nvml_h.NVML_ERROR_GPU_IS_LOST() || status == nvml_h.NVML_ERROR_RESET_REQUIRED()) {
            return "Read the kernel's log (dmesg) for Xid, then reset the GPU (nvidia-smi --gpu-reset) or reboot";
        }
        if (status == nvml_h.NVML_ERROR_NOT_SUPPORTED()
                || status == nvml_h.NVML_ERROR_FUNCTION_NOT_FOUND()
                || status == nvml_h.NVML_ERROR_DEPRECATED()) {
            return "This device or its driver cannot do this; a newer driver may";
        }
        if (status == nvml_h.NVML_ERROR_LIBRARY_NOT_FOUND()) {
            return "A library of the driver's is missing: install the whole of NVIDIA's driver package";
        }
        return "Check that nvidia-smi works";
    }
}
