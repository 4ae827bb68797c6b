package dev.panamark.driver.rocmsmi;

import dev.panamark.raw.rocmsmi.rocmsmi_h;

/** What to do about a status. */
final class RocmSmiRemedy {
    private RocmSmiRemedy() {}

    static String of(int status) {
        if (status == rocmsmi_h.RSMI_STATUS_PERMISSION()) {
            return "Let this user read the files of the GPU below /sys/class/drm and open /dev/kfd (often membership in the "
                    + "group render or video does), or run as one who may";
        }
        if (status == rocmsmi_h.RSMI_STATUS_INIT_ERROR()) {
            return "Check that the driver is loaded (modprobe amdgpu) and that /sys/class/kfd/kfd/topology/nodes is there; "
                    + "containers need access to the GPU (docker run --device /dev/kfd --device /dev/dri)";
        }
        if (status == rocmsmi_h.RSMI_STATUS_NOT_SUPPORTED()
                || status == rocmsmi_h.RSMI_STATUS_NOT_YET_IMPLEMENTED()
                || status == rocmsmi_h.RSMI_STATUS_NOT_FOUND()) {
            return "This GPU, its driver or this version of the library cannot do this; a newer one may";
        }
        if (status == rocmsmi_h.RSMI_STATUS_BUSY()) {
            return "Another process holds the library's lock on this GPU: wait for it, or end it";
        }
        return "Check that rocm-smi works";
    }
}
