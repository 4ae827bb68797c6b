/** GPUs that this program emulates: the PTX of kernels runs on the host and is counted. */
@NullMarked
package dev.panamark.device.emulated;

import org.jspecify.annotations.NullMarked;
