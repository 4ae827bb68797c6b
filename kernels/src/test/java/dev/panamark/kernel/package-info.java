/** Tests of kernel files. */
@NullMarked
package dev.panamark.kernel;

import org.jspecify.annotations.NullMarked;
