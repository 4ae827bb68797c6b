/** What launches of CUDA and HIP share. */
@NullMarked
package dev.panamark.driver.launch;

import org.jspecify.annotations.NullMarked;
