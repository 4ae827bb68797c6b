/** Number formats, bit for bit. */
@NullMarked
package dev.panamark.kernel.format;

import org.jspecify.annotations.NullMarked;
