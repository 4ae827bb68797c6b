package dev.panamark.driver.cuda;

import dev.panamark.raw.cuda.cuda_h;

/** What to do when {@code cuInit} fails. */
final class InitRemedy {
    private InitRemedy() {}

    static String of(int status) {
        if (status == cuda_h.CUDA_ERROR_NO_DEVICE()) {
            return "Check that nvidia-smi lists a GPU, that CUDA_VISIBLE_DEVICES does not hide all of them, and that a "
                    + "container was started with access to them (docker run --gpus all)";
        }
        if (status == cuda_h.CUDA_ERROR_STUB_LIBRARY()) {
            return "The toolkit's stub for linking was found in place of the driver: take its folder (lib64/stubs) out of "
                    + "LD_LIBRARY_PATH";
        }
        if (status == cuda_h.CUDA_ERROR_SYSTEM_DRIVER_MISMATCH()) {
            return "The driver's library and its kernel module are of different versions, as after an update: reboot, or "
                    + "reload the module";
        }
        if (status == cuda_h.CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE()) {
            return "The forward compatibility library does not serve this GPU: take its folder (cuda/compat) out of "
                    + "LD_LIBRARY_PATH, or update the driver";
        }
        if (status == cuda_h.CUDA_ERROR_SYSTEM_NOT_READY()) {
            return "Start the services that the machine needs; with NVSwitch that is nvidia-fabricmanager of the driver's "
                    + "version";
        }
        if (status == cuda_h.CUDA_ERROR_DEVICE_UNAVAILABLE()) {
            return "Another process has the GPU for itself, or its compute mode forbids use (nvidia-smi -q -d COMPUTE)";
        }
        return "Check that nvidia-smi works and that /dev/nvidia* may be read and written by this user";
    }
}
