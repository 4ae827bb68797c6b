/** The wrappers of the HIP runtime, on the fake of native-build/fakes and on what clang makes. */
@NullMarked
package dev.panamark.driver.hip;

import org.jspecify.annotations.NullMarked;
