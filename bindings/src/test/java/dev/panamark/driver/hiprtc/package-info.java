/** AMD's compiler as a library, on the fake of native-build/fakes/nvrtc. */
@NullMarked
package dev.panamark.driver.hiprtc;

import org.jspecify.annotations.NullMarked;
