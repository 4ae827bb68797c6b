/** The wrappers of CUPTI, on the real library, whose host side needs no GPU, and on the fake one of native-build/fakes. */
@NullMarked
package dev.panamark.driver.cupti;

import org.jspecify.annotations.NullMarked;
