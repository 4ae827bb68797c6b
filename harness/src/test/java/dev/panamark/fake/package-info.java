/** The fake CUDA driver with the emulator behind it: launches through the C ABI that really run. */
@NullMarked
package dev.panamark.fake;

import org.jspecify.annotations.NullMarked;
