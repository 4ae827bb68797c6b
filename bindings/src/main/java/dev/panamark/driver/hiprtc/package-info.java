/** AMD's compiler of HIP as a library. */
@NullMarked
package dev.panamark.driver.hiprtc;

import org.jspecify.annotations.NullMarked;
