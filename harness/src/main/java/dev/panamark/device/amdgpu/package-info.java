/** Energy and power of AMD GPUs, from what the kernel's driver amdgpu shows: whatever launches the kernels, HIP or nobody. */
@NullMarked
package dev.panamark.device.amdgpu;

import org.jspecify.annotations.NullMarked;
