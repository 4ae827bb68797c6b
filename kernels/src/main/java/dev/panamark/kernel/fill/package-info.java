/** Seeded contents for a problem's buffers. */
@NullMarked
package dev.panamark.kernel.fill;

import org.jspecify.annotations.NullMarked;
