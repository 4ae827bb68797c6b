/** The compiler of code objects, where there is one. */
@NullMarked
package dev.panamark.driver.hipcc;

import org.jspecify.annotations.NullMarked;
