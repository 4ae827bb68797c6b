/** What the wrappers of compilers share: finding and running them, and keeping what they made by the hash of its source. */
@NullMarked
package dev.panamark.driver.compile;

import org.jspecify.annotations.NullMarked;
