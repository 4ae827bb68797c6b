/** NVRTC: the real one where it is, and a fake of native-build/fakes/nvrtc for what goes wrong. */
@NullMarked
package dev.panamark.driver.nvrtc;

import org.jspecify.annotations.NullMarked;
