/** What backends of GPUs have in common, whatever the driver: memory, arguments, times and refusals. */
@NullMarked
package dev.panamark.device.gpu;

import org.jspecify.annotations.NullMarked;
