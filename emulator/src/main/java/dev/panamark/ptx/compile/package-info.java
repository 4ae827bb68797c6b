/** Segments to JVM bytecode. */
@NullMarked
package dev.panamark.ptx.compile;

import org.jspecify.annotations.NullMarked;
