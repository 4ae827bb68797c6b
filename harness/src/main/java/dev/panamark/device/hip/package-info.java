/** AMD GPUs, through the HIP runtime. */
@NullMarked
package dev.panamark.device.hip;

import org.jspecify.annotations.NullMarked;
