/** Finding native libraries and owning what they hand out. */
@NullMarked
package dev.panamark.ffi;

import org.jspecify.annotations.NullMarked;
