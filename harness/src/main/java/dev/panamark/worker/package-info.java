/** The JVM that owns a device, and the parent's side of it. */
@NullMarked
package dev.panamark.worker;

import org.jspecify.annotations.NullMarked;
