/** AMD GPUs, through HIP. */
@NullMarked
package dev.panamark.device.hip;

import org.jspecify.annotations.NullMarked;
