/** Double-precision references, by name. */
@NullMarked
package dev.panamark.kernel.reference;

import org.jspecify.annotations.NullMarked;
