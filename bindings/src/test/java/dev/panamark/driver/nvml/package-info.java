/** The wrappers of NVML, on the fake of native-build/fakes. */
@NullMarked
package dev.panamark.driver.nvml;

import org.jspecify.annotations.NullMarked;
