/** The fake drivers of native-build/fakes, built and loaded. */
@NullMarked
package dev.panamark.driver.fake;

import org.jspecify.annotations.NullMarked;
