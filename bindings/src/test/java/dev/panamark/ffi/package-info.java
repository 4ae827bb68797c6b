/** Finding libraries and owning handles. */
@NullMarked
package dev.panamark.ffi;

import org.jspecify.annotations.NullMarked;
