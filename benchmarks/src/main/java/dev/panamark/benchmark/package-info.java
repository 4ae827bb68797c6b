/** Panamark's own costs, side by side with what they are compared to. */
@NullMarked
package dev.panamark.benchmark;

import org.jspecify.annotations.NullMarked;
