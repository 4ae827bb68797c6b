/** Statistics of series of samples: pure functions on arrays, which they never change. */
@NullMarked
package dev.panamark.stats;

import org.jspecify.annotations.NullMarked;
