/** Kernel files, problems, and what a kernel becomes for one problem on one device. */
@NullMarked
package dev.panamark.kernel;

import org.jspecify.annotations.NullMarked;
