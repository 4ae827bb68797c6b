/** Acceptance rules: is an output right, and if not, where. */
@NullMarked
package dev.panamark.kernel.check;

import org.jspecify.annotations.NullMarked;
