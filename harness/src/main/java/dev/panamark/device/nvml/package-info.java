/** Energy and power of NVIDIA GPUs, through NVML: whatever launches the kernels, CUDA or nobody. */
@NullMarked
package dev.panamark.device.nvml;

import org.jspecify.annotations.NullMarked;
