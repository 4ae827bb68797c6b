/** NVIDIA's GPUs, through the CUDA driver. */
@NullMarked
package dev.panamark.device.cuda;

import org.jspecify.annotations.NullMarked;
