/** The wrappers of the CUDA driver, on the fake driver of native-build/fakes. */
@NullMarked
package dev.panamark.driver.cuda;

import org.jspecify.annotations.NullMarked;
