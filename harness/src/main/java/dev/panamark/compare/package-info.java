/** Two results side by side: which rows belong together, what changed, and whether that is more than chance. */
@NullMarked
package dev.panamark.compare;

import org.jspecify.annotations.NullMarked;
